package search

import "errors"

// VinePPO estimates the value of every step of a few chains from fresh rollouts
// that are not trained on (arXiv 2410.01679). It does not look at outcomes.
//
// The paper estimates V of the task from probes too, and V of a step from its
// probes alone. Here the chain itself is one more sample of each step's value,
// and V of the task is the mean over the chains. Of a chain with more steps than
// are estimated, the rest is one edge.
type VinePPO struct {
	// Chains are trained. Default 8, as many as the paper's responses per task.
	Chains int `yaml:"chains"`
	// Probes from each step that is estimated, K of the paper. Default 9.
	Probes int `yaml:"probes"`
	// Steps of a chain that are estimated, the first ones. Default 25.
	Steps int `yaml:"steps"`
}

// DefaultVinePPO is what the paper's code uses.
func DefaultVinePPO() VinePPO { return VinePPO{Chains: 8, Probes: 9, Steps: 25} }

// Validate reports every field out of range.
func (c VinePPO) Validate() error {
	return errors.Join(
		atLeast(map[string]bound{"chains": {c.Chains, 1}, "probes": {c.Probes, 1}, "steps": {c.Steps, 1}}),
		limited("chains × probes", c.Chains, c.Probes),
	)
}

// Strategy is a pass of chains and one of probes.
func (c VinePPO) Strategy() Strategy {
	return Strategy{Name: "vineppo", Credit: "td", Passes: []Pass{
		{Allocator: Roots{Count: c.Chains, Keep: true}},
		{Allocator: Probes{PerNode: c.Probes, PerChain: c.Steps}},
	}}
}

// Probes plays rollouts that estimate values and are not trained, from the
// checkpoints of the chains that were there before.
type Probes struct {
	// PerNode is how many start from each checkpoint; at least 1.
	PerNode int
	// PerChain is how many checkpoints of a chain get them, the first ones; at
	// least 1.
	PerChain int
}

// Name is "probes".
func (Probes) Name() string { return "probes" }

// Traits: it goes on from inner nodes and looks at nothing.
func (Probes) Traits() Traits { return Traits{Inner: true} }

// Open chooses all probes of the pass.
func (a Probes) Open(v *View) Selector {
	out := &queue{view: v}
	for _, chain := range v.Tree().Trees() {
		left := a.PerChain
		for _, id := range chain {
			if left == 0 {
				break
			}
			if !v.Room(v.Tree().Node(id)) {
				continue
			}
			left--
			out.add(Pick{From: id, Probe: true}, a.PerNode)
		}
	}
	return out
}
