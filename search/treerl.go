package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// TreeRL samples as EPTree does (TreeRL, arXiv 2506.11902): chains from the
// root, then rollouts from where the policy was least sure. It looks at
// logprobs alone, not at outcomes. Fields are M, N, L and T of the paper.
//
// The paper branches before a token; here it is before the edge that holds it:
// a turn, or a chunk where the context manager makes segments. The paper's code
// also bars what follows the words "conclusion" and "answer", which means
// nothing for turns, and trains 16 of the 30 rollouts with a correct one forced
// in, which is biased: here all are trained.
type TreeRL struct {
	// Chains from the root, each a tree. Default 6.
	Chains int `yaml:"chains"`
	// Places of each tree that are branched in a round. Default 2.
	Places int `yaml:"places"`
	// Rounds follow the chains. Default 1.
	Rounds int `yaml:"rounds"`
	// Branches from each place. Default 2.
	Branches int `yaml:"branches"`
	// Diverse takes the places that lie farthest apart, by the length of the
	// context there, of five times as many. Default false.
	Diverse bool `yaml:"diverse"`
	// Penalty is taken off the score of a place for each branch that earlier
	// rounds made there, in units of the score. Default 0: a place may be taken
	// in every round. AT²PO (arXiv 2601.04767) has 0.05, on mean scores.
	Penalty float64 `yaml:"penalty"`
	// Score ranks the places. Default [MaxSurprise].
	Score Uncertainty
}

// DefaultTreeRL is the paper's 30 rollouts.
func DefaultTreeRL() TreeRL {
	return TreeRL{Chains: 6, Places: 2, Rounds: 1, Branches: 2, Score: MaxSurprise{}}
}

// Validate reports every field out of range.
func (c TreeRL) Validate() error {
	err := atLeast(map[string]bound{"chains": {c.Chains, 1}, "places": {c.Places, 1}, "rounds": {c.Rounds, 0}, "branches": {c.Branches, 1}})
	err = errors.Join(err, limited("chains × places × rounds × branches", c.Chains, c.Places, c.Rounds, c.Branches))
	if c.Score == nil {
		err = errors.Join(err, errors.New("there is no score"))
	}
	if !(c.Penalty >= 0) || math.IsInf(c.Penalty, 0) {
		err = errors.Join(err, fmt.Errorf("penalty is %v, must be at least 0", c.Penalty))
	}
	return err
}

// Strategy is a pass of chains and one for each round. It makes
// M(1 + N·L·T) rollouts, fewer where a tree has fewer places.
func (c TreeRL) Strategy() Strategy {
	s := Strategy{Name: "treerl", Credit: "treerl", Passes: []Pass{{Allocator: Roots{Count: c.Chains, Keep: true}}}}
	for range c.Rounds {
		s.Passes = append(s.Passes, Pass{Allocator: UncertainPlaces{PerTree: c.Places, Branches: c.Branches, Diverse: c.Diverse, Penalty: c.Penalty, Score: c.Score}})
	}
	if c.Rounds == 0 {
		s.Rollouts = c.Chains
	}
	return s
}

// UncertainPlaces plays rollouts to their end from before the edges that the
// policy was least sure of. Trees are what is below the children of the root
// that this allocator did not make itself.
type UncertainPlaces struct {
	// PerTree is the places of each tree; at least 1.
	PerTree int
	// Branches from each place; at least 1.
	Branches int
	// Diverse prefers places that lie apart.
	Diverse bool
	// Penalty is taken off a place's score for each branch that is there.
	Penalty float64
	// Score ranks the edges; one without a score is no place.
	Score Uncertainty
}

const uncertain = "uncertain-places"

// Name is "uncertain-places".
func (UncertainPlaces) Name() string { return uncertain }

// Traits: it goes on from inner nodes and looks at no outcome.
func (UncertainPlaces) Traits() Traits { return Traits{Inner: true} }

// Open chooses all places of the pass.
func (a UncertainPlaces) Open(v *View) Selector {
	out := &queue{view: v}
	for _, tree := range v.Tree().Trees() {
		for _, p := range a.choose(a.places(v, tree)) {
			out.add(Pick{From: p.from, Tree: tree[0], Keep: true}, a.Branches)
		}
	}
	return out
}

// place is a node to branch from, for the edge that follows it.
type place struct {
	from, next NodeID
	score      float64
	at         int // tokens that the edge was sent
	extra      int // branches of this tree that earlier rounds made here
}

// places are those of a tree, the least sure first. The first edge of a side
// branch is none: what it follows is branched already. A place may be taken
// again in a later round, by the edge that was there first.
func (a UncertainPlaces) places(v *View, tree []NodeID) []place {
	var out []place
	extra := map[NodeID]int{}
	for _, id := range tree {
		n := v.Tree().Node(id)
		side := n.Expansion.Allocator == uncertain && n.Expansion.From == n.Parent
		if side && n.Failure == nil {
			extra[n.Parent]++
		}
		if side || n.Failure != nil || !v.Room(v.Tree().Node(n.Parent)) {
			continue
		}
		// A node of the tree has its edge: it was checked when it was told.
		turns, _ := v.Tree().Edge(id)
		if len(turns) == 0 {
			continue
		}
		if score, ok := a.Score.Score(slices.Values(turns)); ok {
			out = append(out, place{from: n.Parent, next: id, score: score, at: turns[0].PrefixLen})
		}
	}
	for i := range out {
		out[i].extra = extra[out[i].from]
	}
	a.rank(out)
	return out
}

// rank sorts places: the highest score less the penalty first, ties by node.
func (a UncertainPlaces) rank(places []place) {
	slices.SortFunc(places, func(p, q place) int {
		return cmp.Or(cmp.Compare(a.worth(q), a.worth(p)), cmp.Compare(p.next, q.next))
	})
}

// worth is a place's score less the penalty. The conversion keeps machines from
// fusing the product into the difference: all are to rank alike.
func (a UncertainPlaces) worth(p place) float64 {
	return p.score - float64(a.Penalty*float64(p.extra))
}

// diversity is how many times more places are looked at than taken.
const diversity = 5

// choose takes the first places, or of more of them those farthest apart:
// beginning with the first, each next has the largest distance to the nearest
// that was taken.
func (a UncertainPlaces) choose(ranked []place) []place {
	if !a.Diverse {
		return ranked[:min(a.PerTree, len(ranked))]
	}
	pool := ranked[:min(diversity*a.PerTree, len(ranked))]
	var out []place
	for len(out) < a.PerTree && len(out) < len(pool) {
		best, far := 0, -1
		for i, p := range pool {
			if d := apart(p, out); d > far {
				best, far = i, d
			}
		}
		out = append(out, pool[best])
	}
	return out
}

// apart is the distance in tokens to the nearest of the places taken; 0 to
// everything before the first is, and −1 for one that is taken.
func apart(p place, taken []place) int {
	least := 0
	for i, q := range taken {
		if p.next == q.next {
			return -1
		}
		if d := max(p.at-q.at, q.at-p.at); i == 0 || d < least {
			least = d
		}
	}
	return least
}
