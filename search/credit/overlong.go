package credit

import "fmt"

// SoftOverlong is DAPO's length penalty (arXiv 2503.14476, eq. 13), to be added
// to a leaf's reward where long rollouts are scored and not masked.
type SoftOverlong struct {
	// Max is the sampled tokens from which the penalty is whole; Buffer is how
	// many before that it begins. DAPO's are 20480 and 4096.
	Max, Buffer int
}

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
