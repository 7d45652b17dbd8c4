package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Rank is what the checkpoints of a beam or a frontier are ordered by.
type Rank string

const (
	// ByConfidence: the negative score of the whole path; with [MeanSurprise]
	// its mean logprob.
	ByConfidence Rank = "confidence"
	// ByEstimate: the value model's estimate; those without one come after, by
	// confidence.
	ByEstimate Rank = "estimate"
	// ByFrontier: DeepSearch's frontier score; see [BestFirst].
	ByFrontier Rank = "frontier"
)

// validate refuses a rank that is none of those given.
func (r Rank) validate(among ...Rank) error {
	if slices.Contains(among, r) {
		return nil
	}
	names := make([]string, len(among))
	for i, a := range among {
		names[i] = string(a)
	}
	return fmt.Errorf("rank is %q, must be one of %s", r, strings.Join(names, ", "))
}

// standing is where a checkpoint stands: those of a lower tier are better
// whatever their number, so that numbers of two kinds are never compared.
type standing struct {
	id     NodeID
	tier   int
	number float64
}

// Tiers of a standing.
const (
	tierScore = iota
	tierConfidence
	tierNothing
)

// order is below 0 when a is better than b; ties go to what was added first.
func (a standing) order(b standing) int {
	return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(b.number, a.number), cmp.Compare(a.id, b.id))
}

// stand is where a checkpoint stands by estimate or confidence.
func (r Rank) stand(n *Node, u Uncertainty) standing {
	if r == ByEstimate && n.Estimate != nil {
		return standing{n.ID, tierScore, *n.Estimate}
	}
	if h, ok := u.Score(n.State.Turns()); ok {
		return standing{n.ID, tierConfidence, -h}
	}
	return standing{n.ID, tierNothing, 0}
}
