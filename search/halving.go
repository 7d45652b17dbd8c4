package search

import "fmt"

// Round is one round of sequential halving: Pulls expansions of each of the
// Arms that are left.
type Round struct{ Arms, Pulls int }

// HalvingRounds is the schedule of sequential halving (Karnin et al., ICML 2013)
// for an allocator of one's own: which of several prefixes deserve to be gone on
// from. There are ⌈log2 arms⌉ rounds; each gives every arm that is left
// ⌊budget/(arms left · rounds)⌋ expansions, at least one, and the better half of
// them, rounded up, goes on. Who goes by it looks at outcomes.
func HalvingRounds(arms, budget int) ([]Round, error) {
	if arms < 2 {
		return nil, fmt.Errorf("arms is %d, must be at least 2", arms)
	}
	rounds := 0
	for n := 1; n < arms; n *= 2 {
		rounds++
	}
	out := make([]Round, rounds)
	for i := range out {
		out[i] = Round{arms, max(1, budget/(arms*rounds))}
		arms = (arms + 1) / 2
	}
	return out, nil
}
