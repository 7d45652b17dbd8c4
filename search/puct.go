package search

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// PUCT is Monte Carlo tree search over checkpoints. A simulation goes down from
// the root to a node that may have one more child and plays from there. It looks
// at outcomes. With Q and N the mean return and the count of what came back
// through a child, O those in flight, P its prior, and N_p, O_p its parent's:
//
//	puct   Q + c·P·√(N_p+O_p) / (1+N+O)
//	uct    Q + c·√(ln(N_p+O_p) / (N+O))
//
// Counting O in the second term alone is WU-UCT (arXiv 1810.11755); a virtual
// loss puts it into Q as well. Both read the counts that the tree keeps, so a
// simulation that comes back or fails takes back all it added.
//
// A choice costs the depth of the tree times the width of its nodes, at most the
// gate's: every score below a node changes with each visit of it.
type PUCT struct {
	// Simulations of a tree. To the end, each is a rollout. Default 16.
	Simulations int `yaml:"simulations"`
	// Rule is puct (default) or uct.
	Rule Rule `yaml:"rule"`
	// C weighs what was seen little against what was good: in units of a
	// return. Default 1, for returns from 0 to 1.
	C float64 `yaml:"c"`
	// Prior of a child, for puct: uniform (default), or policy, the exponential of
	// the mean logprob of its edge, normalised over siblings. Siblings are alike
	// where one was never scored.
	Prior Prior `yaml:"prior"`
	// Unobserved is wu (default) or virtual_loss: what simulations in flight do
	// to the Q of where they went.
	Unobserved Unobserved `yaml:"unobserved"`
	// Loss is the return that a virtual loss supposes. Default 0.
	Loss float64 `yaml:"loss"`
	// Widen and Alpha bound the children of a node to ⌈Widen·(N+O)^Alpha⌉.
	// Default 2 and 0.5; an Alpha of 0 is a fixed width, 1 no bound.
	Widen float64 `yaml:"widen"`
	Alpha float64 `yaml:"alpha"`
	// Step is the decisions of a simulation. Default 0: to the end, with a node
	// for each branch point. Steps need a value model: without one they tell
	// nothing until a rollout ends.
	Step int `yaml:"step"`
}

// Rule is the formula that a child is chosen by.
type Rule string

// Prior is what is known of a child before it was tried.
type Prior string

// Unobserved is how simulations in flight count.
type Unobserved string

const (
	RulePUCT          Rule       = "puct"
	RuleUCT           Rule       = "uct"
	PriorUniform      Prior      = "uniform"
	PriorPolicy       Prior      = "policy"
	UnobservedWU      Unobserved = "wu"
	UnobservedVirtual Unobserved = "virtual_loss"
)

// DefaultPUCT searches to the end of rollouts, four at once.
func DefaultPUCT() PUCT {
	return PUCT{Simulations: 16, Rule: RulePUCT, C: 1, Prior: PriorUniform, Unobserved: UnobservedWU, Widen: 2, Alpha: 0.5}
}

// Validate reports every field out of range.
func (c PUCT) Validate() error {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	errs := []error{
		atLeast(map[string]bound{"simulations": {c.Simulations, 1}, "step": {c.Step, 0}}),
		oneOf("rule", c.Rule, RulePUCT, RuleUCT), oneOf("prior", c.Prior, PriorUniform, PriorPolicy),
		oneOf("unobserved", c.Unobserved, UnobservedWU, UnobservedVirtual),
	}
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(c.Simulations > maxGroup, "simulations is %d, must be at most %d", c.Simulations, maxGroup)
	bad(!(c.C >= 0) || !finite(c.C), "c is %v, must be at least 0", c.C)
	bad(!finite(c.Loss), "loss is %v, must be a number", c.Loss)
	bad(!(c.Widen > 0) || !finite(c.Widen), "widen is %v, must be above 0", c.Widen)
	bad(!(c.Alpha >= 0 && c.Alpha <= 1), "alpha is %v, must be from 0 to 1", c.Alpha)
	bad(c.Rule == RuleUCT && c.Prior == PriorPolicy, "prior is %s, which uct does not read", c.Prior)
	bad(c.Unobserved == UnobservedWU && c.Loss != 0, "loss is %v, which %s does not read", c.Loss, c.Unobserved)
	return errors.Join(errs...)
}

func oneOf[T ~string](key string, v T, of ...T) error {
	if slices.Contains(of, v) {
		return nil
	}
	names := make([]string, len(of))
	for i, o := range of {
		names[i] = string(o)
	}
	return fmt.Errorf("%s is %q, must be one of %s", key, v, strings.Join(names, ", "))
}

// puctGate is the default: the more simulations of a tree run at once, the less
// each knows of those before, and a width without bound makes choices in large
// trees dear.
var puctGate = Gate{InFlight: 4, Width: 32}

// Strategy is one pass.
func (c PUCT) Strategy() Strategy {
	s := Strategy{Name: "puct", Credit: "td", Passes: []Pass{{Allocator: treePolicy{c}, Gate: puctGate}}}
	if c.Step == 0 {
		s.Rollouts = c.Simulations
	}
	return s
}

// treePolicy is the allocator of [PUCT].
type treePolicy struct{ PUCT }

// Name is the rule.
func (c treePolicy) Name() string { return string(c.Rule) }

// Traits: it goes on from inner nodes and looks at returns; in steps it needs a
// value model.
func (c treePolicy) Traits() Traits {
	return Traits{OutcomeAdaptive: true, Inner: true, Values: c.Step > 0}
}

// arm is what the rules read of a child and of its parent.
type arm struct {
	returns                float64 // sum over scored
	scored, visits, flying int
	prior                  float64
	above, parentFlying    int
	parentMean             float64 // where nothing was scored
}

// score is what the rule gives a child.
func (c PUCT) score(a arm) float64 {
	q, n := a.parentMean, float64(a.scored)
	if a.scored > 0 {
		q = a.returns / n
	}
	if o := float64(a.flying); c.Unobserved == UnobservedVirtual && o > 0 {
		q = (a.returns + o*c.Loss) / (n + o)
	}
	here, above := float64(a.visits+a.flying), float64(a.above+a.parentFlying)
	if c.Rule == RuleUCT {
		return q + c.C*math.Sqrt(math.Log(above)/here)
	}
	return q + c.C*a.prior*math.Sqrt(above)/(1+here)
}
