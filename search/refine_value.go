package search

// spread is what is known of the values of a node's children.
type spread struct {
	k            int     // children that have a value
	sum, squares float64 // of their values
	ended        int     // of them, rollouts that ended with a return from 0 to 1
}

// tell adds a child's value, or with −1 takes it away.
func (s *spread) tell(v float64, ended bool, by int) {
	s.k += by
	s.sum += float64(by) * v
	s.squares += float64(by) * v * v
	if ended && v >= 0 && v <= 1 {
		s.ended += by
	}
}

// variance is s² of a child's value: that of the Beta-smoothed mean where the
// children are rollouts of returns from 0 to 1 or there is only one, else the
// sample variance. There is at least one child.
func (s spread) variance() float64 {
	k := float64(s.k)
	if s.k == 1 || s.ended == s.k {
		p := (min(max(s.sum, 0), k) + 0.5) / (k + 1)
		return p * (1 - p)
	}
	return max(0, (s.squares-s.sum*s.sum/k)/(k-1))
}

// gain is how much of the variance of a node's value one more child takes, by
// the tries that were made and are in flight.
func (s spread) gain(tries int) float64 {
	k := float64(tries)
	return s.variance() / (k * (k + 1))
}

// dilution is ω² of a child: how much of its value's variance the node's has.
func (s spread) dilution() float64 { return 1 / float64(s.k*s.k) }
