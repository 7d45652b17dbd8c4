package search

import (
	"errors"
	"fmt"
	"math"
)

// ARPO samples as ARPO does (arXiv 2507.19849): rollouts go turn by turn, and
// where the policy is less sure of what it says after a tool result than it was
// of its first turn, it more likely says it again. AEPO's root split and its
// penalty on branching round after round (arXiv 2510.14545) are options. It does
// not look at outcomes.
//
// Entropies are scores divided by ln|V|, so 1 is a uniform policy. The papers
// add up 20 ids where [FirstSurprise] is their mean: a reply that is shorter is
// not taken for a surer one, and Weight and RootSplit are 20 times the papers'.
type ARPO struct {
	// Size is how many rollouts a tree has, M of the paper, those that failed
	// included. Default 16.
	Size int `yaml:"size"`
	// Roots is how many of them start at the root, N. Default 8.
	Roots int `yaml:"roots"`
	// Beam is one more than the branches tried at a tool result. Default 2.
	Beam int `yaml:"beam"`
	// Branch is the chance of a branch where the entropy is that of the first
	// turn, p_b. Default 0.5.
	Branch float64 `yaml:"branch"`
	// Weight of the difference in entropy, w. Default 4.
	Weight float64 `yaml:"weight"`
	// Vocabulary is |V|, the ids of the model. Default 1,152, the embedded one's.
	Vocabulary int `yaml:"vocabulary"`
	// Score measures an edge. Default [FirstSurprise] of 20 ids.
	Score Uncertainty
	// Penalty lowers the chance after rounds in a row that branched; AEPO's is
	// 0.05. Default 0: none.
	Penalty float64 `yaml:"penalty"`
	// RootSplit is β of AEPO: a first rollout is played alone, and how sure the
	// policy is of its first turn and of its tool results says how many rollouts
	// start at the root; AEPO's 0.5 is 10 here. Default 0: Roots of them.
	RootSplit float64 `yaml:"root_split"`
}

// splitTokens is how many ids of the first turn the root split looks at.
const splitTokens = 50

// DefaultARPO is what ARPO's scripts use.
func DefaultARPO() ARPO {
	return ARPO{Size: 16, Roots: 8, Beam: 2, Branch: 0.5, Weight: 4, Vocabulary: 1152, Score: FirstSurprise{}}
}

// Validate reports every field out of range.
func (c ARPO) Validate() error {
	errs := []error{atLeast(map[string]bound{"size": {c.Size, 1}, "roots": {c.Roots, 1}, "beam": {c.Beam, 1}, "vocabulary": {c.Vocabulary, 2}}), limited("size", c.Size)}
	if c.Roots > c.Size {
		errs = append(errs, fmt.Errorf("roots is %d, must be at most the size, %d", c.Roots, c.Size))
	}
	if !(c.Branch >= 0 && c.Branch <= 1) {
		errs = append(errs, fmt.Errorf("branch is %v, must be from 0 to 1", c.Branch))
	}
	errs = append(errs, notNegative("weight", c.Weight), notNegative("penalty", c.Penalty), notNegative("root_split", c.RootSplit))
	if c.Score == nil {
		errs = append(errs, errors.New("score is missing"))
	}
	return errors.Join(errs...)
}

// notNegative refuses what is no number from 0 up.
func notNegative(name string, v float64) error {
	if v >= 0 && !math.IsInf(v, 1) {
		return nil
	}
	return fmt.Errorf("%s is %v, must be at least 0", name, v)
}

// Strategy is one pass, after one of the first rollout when the root is split.
func (c ARPO) Strategy() Strategy {
	s := Strategy{Name: "arpo", Rollouts: c.Size}
	if c.RootSplit > 0 {
		s.Passes = append(s.Passes, Pass{Allocator: Roots{Count: 1, Keep: true}})
	}
	s.Passes = append(s.Passes, Pass{Allocator: c})
	return s
}

// Name is "entropy_prob".
func (ARPO) Name() string { return "entropy_prob" }

// Traits: it branches at turns and looks at logprobs alone.
func (ARPO) Traits() Traits { return Traits{Inner: true} }

// probability of a branch where the entropy is delta above that of the first
// turn, after so many rounds in a row that branched: the chance that a uniform U
// has (U + w·Δ)·(1 − penalty·rounds) ≥ 1 − p_b. Without a penalty that is
// p_b + w·Δ, clipped.
func (c ARPO) probability(delta float64, rounds int) float64 {
	left := 1 - c.Penalty*float64(rounds)
	if left <= 0 {
		return 0
	}
	return min(1, max(0, 1-((1-c.Branch)/left-c.Weight*delta)))
}

// split is how many rollouts start at the root, from the entropy of the first
// turn and the mean entropy after tool results: ⌊M·σ(β(root − tool))⌋ + 1.
func (c ARPO) split(root, tool float64) int {
	sigma := 1 / (1 + math.Exp(-c.RootSplit*(root-tool)))
	return min(c.Size, int(float64(c.Size)*sigma)+1)
}
