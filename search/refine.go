package search

import "errors"

// ValueRefinement plays the next rollout where it is expected to take most of
// the variance of the root's value away, for what it costs. With k children of a
// node whose values have the variance s², and ω the product of 1/k over the
// nodes above, one more child takes
//
//	gain = m·ω²·s²·(1/k − 1/(k+1)) = m·ω²·s² / (k(k+1))
//
// of it, and the node with the largest gain per cost is next. Where all children
// are rollouts that ended with a return from 0 to 1, or there is one child, s² is
// p(1−p) with p = (Σ+½)/(k+1), the mean under a Beta(½,½) prior; else it is the
// sample variance. A cost is the tokens that rollouts from the node still took,
// on average, and those that replaying its world is worth.
//
// It looks at outcomes. Values from it are biased: see [Traits]. It is VIP
// (arXiv 2602.01601) within one task's tree.
type ValueRefinement struct {
	// Roots are played first. Default 4.
	Roots int `yaml:"roots"`
	// Leaves of a tree, Roots included. Default 16.
	Leaves int `yaml:"leaves"`
	// Mass is the m of a node: one (default), so that the root's value is what
	// counts, or tokens: the sampled tokens of the edges that begin and end there,
	// whose advantages read its value.
	Mass Mass `yaml:"mass"`
	// ReplayTokens is how many sampled tokens a tool call costs as much as, when
	// it is made again to rebuild a node's world. Default 50, a guess: measure
	// what a call takes.
	ReplayTokens int `yaml:"replay_tokens"`
	// Probes says that the refining rollouts only estimate values: they are not
	// trained, and nothing is expanded from their checkpoints. Default false.
	Probes bool `yaml:"probes"`
}

// Mass says how much the value of a node matters.
type Mass string

const (
	MassOne    Mass = "one"
	MassTokens Mass = "tokens"
)

// DefaultValueRefinement has the leaves of [DefaultPUCT].
func DefaultValueRefinement() ValueRefinement {
	return ValueRefinement{Roots: 4, Leaves: 16, Mass: MassOne, ReplayTokens: 50}
}

// Validate reports every field out of range.
func (c ValueRefinement) Validate() error {
	return errors.Join(
		atLeast(map[string]bound{"roots": {c.Roots, 1}, "leaves": {c.Leaves, max(1, c.Roots)}, "replay_tokens": {c.ReplayTokens, 0}}),
		limited("leaves", c.Leaves),
		oneOf("mass", c.Mass, MassOne, MassTokens),
	)
}

// Strategy is a pass of roots and one that refines.
func (c ValueRefinement) Strategy() Strategy {
	return Strategy{Name: "value-refinement", Credit: "td", Rollouts: c.Leaves, Passes: []Pass{
		{Allocator: Roots{Count: c.Roots, Keep: true}},
		{Allocator: marginalMSE{c}, Gate: Gate{InFlight: refineInFlight}},
	}}
}

// refineInFlight is how many refining rollouts of a tree run at once by default.
const refineInFlight = 4

// marginalMSE is the allocator of [ValueRefinement].
type marginalMSE struct{ ValueRefinement }

// Name is "marginal-mse".
func (marginalMSE) Name() string { return "marginal-mse" }

// Traits: it goes on from inner nodes and looks at returns.
func (marginalMSE) Traits() Traits { return Traits{OutcomeAdaptive: true, Inner: true} }

// Open starts with what the tree has.
func (c marginalMSE) Open(v *View) Selector {
	s := &refineSelector{ValueRefinement: c.ValueRefinement, view: v, left: c.Leaves - c.Roots}
	var ends []*Node
	for n := range v.Tree().Nodes() {
		s.add(n)
		if len(n.children) == 0 {
			ends = append(ends, n)
		}
	}
	for _, n := range ends {
		s.came(n)
	}
	return s
}
