package search

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// TreePO samples as TreePO does (arXiv 2508.17445): replies grow a segment at a
// time, every live path forks at every segment, and what paths that ended would
// have forked is handed to those that live. It does not look at outcomes. It
// needs decisions of a bounded number of tokens.
type TreePO struct {
	// Size is how many rollouts a tree has, those that failed included.
	// Default 16.
	Size int `yaml:"size"`
	// FirstMin and FirstMax bound the width of the first segment, drawn evenly.
	// Default 2 and 8.
	FirstMin int `yaml:"first_min"`
	FirstMax int `yaml:"first_max"`
	// Fork is the children of a path at each segment. Default 2.
	Fork int `yaml:"fork"`
	// Depth is the most segments with forks between them; a path that lives on
	// is played to its end in one edge. Default 14. The paper cuts it off there;
	// here the agent's own budget does.
	Depth int `yaml:"depth"`
	// Allocation shares out the children of a segment. Default [FixedAvg].
	Allocation Allocation `yaml:"allocation"`
	// Score weighs paths when Allocation does. Default [MeanSurprise], over all
	// ids of the path.
	Score Uncertainty
	// Temperature divides the scores, in nats. Default 1.
	Temperature float64 `yaml:"temperature"`
}

// Allocation says which live paths get more children.
type Allocation string

const (
	// FixedAvg: all alike, those that came first one more if it does not divide.
	FixedAvg Allocation = "fixed_avg"
	// Uncertain: by the softmax of the paths' scores, more to unsure ones.
	Uncertain Allocation = "uncertain"
	// Confident: by the softmax of the negative scores.
	Confident Allocation = "confident"
)

// DefaultTreePO is what the paper's recipe uses.
func DefaultTreePO() TreePO {
	return TreePO{Size: 16, FirstMin: 2, FirstMax: 8, Fork: 2, Depth: 14, Allocation: FixedAvg, Score: MeanSurprise{}, Temperature: 1}
}

// Validate reports every field out of range.
func (c TreePO) Validate() error {
	errs := []error{
		atLeast(map[string]bound{"size": {c.Size, 1}, "first_min": {c.FirstMin, 1}, "first_max": {c.FirstMax, c.FirstMin}, "fork": {c.Fork, 1}, "depth": {c.Depth, 1}}),
		limited("size", c.Size), limited("first_max", c.FirstMax), limited("fork", c.Fork),
	}
	if c.Allocation != FixedAvg && c.Allocation != Uncertain && c.Allocation != Confident {
		errs = append(errs, fmt.Errorf("allocation is %q, must be one of %s", c.Allocation, strings.Join([]string{string(FixedAvg), string(Uncertain), string(Confident)}, ", ")))
	}
	if !(c.Temperature > 0) || math.IsInf(c.Temperature, 0) {
		errs = append(errs, fmt.Errorf("temperature is %v, must be above 0", c.Temperature))
	}
	if c.Score == nil {
		errs = append(errs, errors.New("score is missing"))
	}
	return errors.Join(errs...)
}

// Strategy is one pass.
func (c TreePO) Strategy() Strategy {
	return Strategy{Name: "treepo", Credit: "subgroup", Passes: []Pass{{Allocator: c}}, Rollouts: c.Size}
}

// Name is "fixed_width".
func (TreePO) Name() string { return "fixed_width" }

// Traits: it forks within replies, and looks at who ended and at logprobs, never
// at what a rollout was worth.
func (TreePO) Traits() Traits { return Traits{Inner: true, Segments: true} }

// Open starts a pass.
func (c TreePO) Open(v *View) Selector {
	return &treePOSelector{TreePO: c, v: v, queue: queue{view: v}}
}

// weights of live paths; even when one of them has no score.
func (c TreePO) weights(paths []*Node) []float64 {
	out := make([]float64, len(paths))
	sign := map[Allocation]float64{Uncertain: 1, Confident: -1}[c.Allocation]
	for i, n := range paths {
		if sign == 0 {
			continue
		}
		h, ok := c.Score.Score(n.State.Turns())
		if !ok {
			clear(out)
			break
		}
		out[i] = sign * h / c.Temperature
	}
	return softmax(out)
}

// softmax of x, in place.
func softmax(x []float64) []float64 {
	most, sum := math.Inf(-1), 0.0
	for _, v := range x {
		most = max(most, v)
	}
	for i, v := range x {
		x[i] = math.Exp(v - most)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
	return x
}
