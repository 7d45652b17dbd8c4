package credit

import (
	"fmt"
	"slices"
)

// Overlong says what becomes of a leaf that was cut short of an end of its own
// ([Node.Truncated]).
type Overlong string

const (
	// OverlongScore takes its reward as it is: the world's score of a rollout
	// that did not end.
	OverlongScore Overlong = "score"
	// OverlongMask deletes it (DAPO's overlong filtering, arXiv 2503.14476;
	// SUPO, arXiv 2510.06727).
	OverlongMask Overlong = "mask"
	// OverlongSoft adds [SoftOverlong] to the reward of every leaf, cut short or
	// not.
	OverlongSoft Overlong = "soft"
)

// Validate reports an unknown rule.
func (o Overlong) Validate() error {
	switch o {
	case OverlongScore, OverlongMask, OverlongSoft:
		return nil
	}
	return fmt.Errorf("overlong: %q, must be score, mask or soft", o)
}

// overlong is the forest under the rule of the options, and which leaves the
// rule took out.
func (o Options) overlong(f Forest) (_ Forest, masked []int, _ error) {
	if o.Overlong == OverlongScore {
		return f, nil, nil
	}
	if _, err := f.children(); err != nil {
		return f, nil, err
	}
	f.Nodes = slices.Clone(f.Nodes)
	for i := range f.Nodes {
		n := &f.Nodes[i]
		switch {
		case n.Reward == nil:
		case o.Overlong == OverlongSoft:
			r := *n.Reward + o.Soft.Penalty(f.tokens(i))
			n.Reward = &r
		case n.Truncated:
			n.Reward, masked = nil, append(masked, i)
		}
	}
	return f, masked, nil
}

// tokens counts the sampled ones from the root to a node.
func (f Forest) tokens(at int) int {
	total := 0
	for ; at != NoParent; at = f.Nodes[at].Parent {
		total += f.Nodes[at].Tokens
	}
	return total
}

// SoftOverlong is DAPO's length penalty (arXiv 2503.14476, eq. 13), to be added
// to a leaf's reward where long rollouts are scored and not masked.
type SoftOverlong struct {
	// Max is the sampled tokens of a rollout from which the penalty is whole;
	// Buffer is how many before that it begins.
	Max    int `yaml:"max" json:"max"`
	Buffer int `yaml:"buffer" json:"buffer"`
}

// DefaultSoftOverlong is DAPO's: 20480 and 4096.
func DefaultSoftOverlong() SoftOverlong { return SoftOverlong{Max: 20480, Buffer: 4096} }

// Validate reports a buffer that is empty or longer than the whole.
func (s SoftOverlong) Validate() error {
	if s.Buffer < 1 || s.Buffer > s.Max {
		return fmt.Errorf("buffer: %d, must be at least 1 and at most max, %d", s.Buffer, s.Max)
	}
	return nil
}

// Penalty is 0 up to Max−Buffer sampled tokens, (Max − Buffer − tokens)/Buffer
// up to Max, and −1 beyond.
func (s SoftOverlong) Penalty(tokens int) float64 {
	over := tokens - (s.Max - s.Buffer)
	switch {
	case over <= 0:
		return 0
	case tokens > s.Max:
		return -1
	}
	return -float64(over) / float64(s.Buffer)
}
