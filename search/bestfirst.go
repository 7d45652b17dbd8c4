package search

import (
	"errors"
	"fmt"
	"math"
)

// BestFirst always goes on from the best checkpoint of the whole tree, a
// decision at a time, until enough rollouts have ended. The order is DeepSearch's
// frontier score (arXiv 2509.25454) by default:
//
//	λ1·tanh(Q(parent)) + λ2·H̄(edge) + λ3·√(d/D)
//
// with Q the mean of what came back through the parent, or see [Backup], H̄ the edge's score and d
// its depth. A term that has no number, because nothing came back yet or the edge
// was never scored, adds nothing.
//
// It is the frontier of DeepSearch alone, without its descent by UCT.
type BestFirst struct {
	// Size is how many rollouts of a tree end, those that failed included; what
	// lives by then is never finished. Default 8.
	Size int `yaml:"size"`
	// Width is the most children of a checkpoint. Default 4; the paper's is 8.
	Width int `yaml:"width"`
	// Expansions is the most decisions asked for, so that a search that never
	// goes deep ends too; with ToEnd the most rollouts. Default 256.
	Expansions int `yaml:"expansions"`
	// ToEnd plays each expansion to the end of the rollout and puts what it
	// passed into the frontier. Default false: one decision.
	ToEnd bool `yaml:"to_end"`
	// Rank is [ByFrontier], the default, [ByEstimate] or [ByConfidence].
	Rank Rank `yaml:"rank"`
	// ValueWeight is λ1. Default 0.4; 0 looks at no outcome.
	ValueWeight float64 `yaml:"value_weight"`
	// Backup says what Q is: [BackupMean], the default, or [BackupDeepSearch],
	// which is for ranking by frontier alone.
	Backup Backup `yaml:"backup"`
	// EntropyWeight is λ2. Default 0.4, as in the paper; its code runs without
	// the term.
	EntropyWeight float64 `yaml:"entropy_weight"`
	// DepthWeight is λ3. Default 0.01.
	DepthWeight float64 `yaml:"depth_weight"`
	// Depth is D, where the last term is λ3. Default 64.
	Depth int `yaml:"depth"`
	// Score is H̄, of the edge alone; by confidence it is of the whole path.
	// Default [MeanSurprise].
	Score Uncertainty
	// InFlight is the most expansions at once. Each is chosen by what is known
	// then, so the more there are the less it is best first. Default 4.
	InFlight int
}

// DefaultBestFirst is the paper's score on a smaller tree.
func DefaultBestFirst() BestFirst {
	return BestFirst{
		Size: 8, Width: 4, Expansions: 256, Rank: ByFrontier, Backup: BackupMean,
		ValueWeight: 0.4, EntropyWeight: 0.4, DepthWeight: 0.01, Depth: 64, Score: MeanSurprise{}, InFlight: 4,
	}
}

// Validate reports every field out of range.
func (c BestFirst) Validate() error {
	errs := []error{
		atLeast(map[string]bound{"size": {c.Size, 1}, "width": {c.Width, 1}, "expansions": {c.Expansions, 1}, "depth": {c.Depth, 1}, "in_flight": {c.InFlight, 1}}),
		limited("expansions", c.Expansions), limited("size", c.Size), c.Rank.validate(ByFrontier, ByEstimate, ByConfidence),
		oneOf("backup", c.Backup, BackupMean, BackupDeepSearch),
	}
	if c.Backup == BackupDeepSearch && c.Rank != ByFrontier {
		errs = append(errs, fmt.Errorf("backup is %s, which rank %s does not read", c.Backup, c.Rank))
	}
	for _, l := range []struct {
		name string
		v    float64
	}{{"value_weight", c.ValueWeight}, {"entropy_weight", c.EntropyWeight}, {"depth_weight", c.DepthWeight}} {
		if math.IsNaN(l.v) || math.IsInf(l.v, 0) {
			errs = append(errs, fmt.Errorf("%s is %v, must be a number", l.name, l.v))
		}
	}
	if c.Score == nil {
		errs = append(errs, errors.New("score is missing"))
	}
	return errors.Join(errs...)
}

// Strategy is one pass. How many rollouts end is not known before: Expansions
// may be spent first.
func (c BestFirst) Strategy() Strategy {
	return Strategy{Name: "best-first", Credit: "td", Passes: []Pass{{Allocator: c, Gate: Gate{InFlight: c.InFlight, Width: c.Width}}}}
}

// Name is "frontier".
func (BestFirst) Name() string { return "frontier" }

// Traits: returns and estimates are outcomes, logprobs and depth are not.
func (c BestFirst) Traits() Traits {
	adaptive := c.Rank == ByEstimate || c.Rank == ByFrontier && c.ValueWeight != 0
	return Traits{Inner: true, OutcomeAdaptive: adaptive, Values: c.Rank == ByEstimate}
}

// score is the frontier score; nil stands for a number that nobody has.
func (c BestFirst) score(q, h *float64, depth int) float64 {
	s := c.DepthWeight * math.Sqrt(float64(depth)/float64(c.Depth))
	if q != nil {
		s += c.ValueWeight * math.Tanh(*q)
	}
	if h != nil {
		s += c.EntropyWeight * *h
	}
	return s
}
