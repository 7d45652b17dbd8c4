package search

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"focus/rollout"
)

// Strategy is a named list of passes.
type Strategy struct {
	// Name is the kind a job file names it by.
	Name   string
	Passes []Pass
	// Credit is the kind of estimator that a job takes where it names none: the
	// one that the method was published with, or near it. Default grpo.
	Credit string
	// Budget limits all passes of a tree together; a zero axis is no limit.
	Budget Cost
	// Order in which results join the tree. Default: tickets.
	Order Order
	// Prune, when set, chooses at the end the finished rollouts that are left
	// out of training, of those it is given; nil leaves out none.
	Prune func(t *Tree, v *View) []NodeID
	// BranchPoints override those of the context manager; nil leaves them.
	BranchPoints rollout.BranchPoints
	// Rollouts is how many there will be of each tree, 0 when that is not known
	// before.
	Rollouts int
}

// Order says when a result joins the tree.
type Order string

const (
	// Tickets: in the order they were asked for. The tree does not depend on
	// timing; a slow expansion holds up those after it in the same tree.
	Tickets Order = "tickets"
	// Arrival: at once. The tree depends on what came back first.
	Arrival Order = "arrival"
)

// Pass is one phase of a strategy.
type Pass struct {
	Allocator Allocator
	// Budget limits this pass; a zero axis is no limit.
	Budget Cost
	Gate   Gate
	// Proposal draws the law of each edge. Default: [Anchor].
	Proposal Proposal
}

// Gate bounds how much of a tree is asked for at once.
type Gate struct {
	// InFlight is the most expansions of the pass in flight; 0 is no bound. It
	// is part of what the tree will be, unlike a run's concurrency: the fewer,
	// the more each choice knows.
	InFlight int `yaml:"in_flight"`
	// Width is the most children of a node; 0 is no bound beyond the
	// allocator's own.
	Width int `yaml:"width"`
}

// Traits are what an allocator needs and looks at.
type Traits struct {
	// OutcomeAdaptive says that it looks at returns or at the values of a model
	// before it chooses. Values estimated from such a tree are biased, so it is
	// copied to the rows.
	OutcomeAdaptive bool
	// Inner says that it expands from checkpoints past the root.
	Inner bool
	// Segments says that it needs decisions of a bounded number of tokens.
	Segments bool
	// Values says that it needs a value model.
	Values bool
}

// Allocator says where to expand. It is configuration: shared by all trees and
// never changed.
type Allocator interface {
	Name() string
	Traits() Traits
	// Open starts a pass over a tree, which may have nodes already.
	Open(v *View) Selector
}

// Selector chooses for one pass over one tree. It is not used concurrently.
type Selector interface {
	// Next is the next pick; false when there is none until more results are
	// applied, or for good. A pick that Next returned will be asked for, unless
	// the budget is spent.
	Next() (Pick, bool)
	// Applied tells of a result that joined the tree: its nodes in order, the
	// last where it ended.
	Applied(x Expansion, nodes []*Node)
}

// View is what a selector may look at.
type View struct {
	tree *Tree
	gate Gate
	seed string
}

// Tree is the tree so far. Do not write to it.
func (v *View) Tree() *Tree { return v.tree }

// Room reports whether one more expansion may start from a node: search may go
// on from it, and its width is not used up by children and what is in flight.
func (v *View) Room(n *Node) bool {
	return n.Branchable && n.Failure == nil && (v.gate.Width == 0 || len(n.children)+n.Pending < v.gate.Width)
}

// Rand is a source of randomness that belongs to the tree and the label: the
// same label gives the same numbers.
func (v *View) Rand(label string) *rand.Rand {
	a := uint64(rollout.DeriveSeed("search", v.seed, string(v.tree.ID), label))
	b := uint64(rollout.DeriveSeed("search", string(v.tree.ID), label, v.seed))
	return rand.New(rand.NewPCG(a, b))
}

// OutcomeAdaptive reports whether any pass looks at outcomes.
func (s Strategy) OutcomeAdaptive() bool {
	return s.any(func(t Traits) bool { return t.OutcomeAdaptive })
}

// Inner reports whether any pass expands from checkpoints past the root.
func (s Strategy) Inner() bool { return s.any(func(t Traits) bool { return t.Inner }) }

// Segments reports whether any pass needs decisions of a bounded length.
func (s Strategy) Segments() bool { return s.any(func(t Traits) bool { return t.Segments }) }

// Values reports whether any pass needs a value model.
func (s Strategy) Values() bool { return s.any(func(t Traits) bool { return t.Values }) }

func (s Strategy) any(has func(Traits) bool) bool {
	for _, p := range s.Passes {
		if has(p.Allocator.Traits()) {
			return true
		}
	}
	return false
}

// OffAnchor reports whether any edge may be sampled under another law than the
// run's.
func (s Strategy) OffAnchor() bool {
	for _, p := range s.Passes {
		if p.Proposal != nil && p.Proposal.OffAnchor() {
			return true
		}
	}
	return false
}

// Validate reports everything that is wrong.
func (s Strategy) Validate() error {
	var errs []error
	if s.Name == "" {
		errs = append(errs, errors.New("the strategy has no name"))
	}
	if len(s.Passes) == 0 {
		errs = append(errs, errors.New("the strategy has no passes"))
	}
	if s.Order != "" && s.Order != Tickets && s.Order != Arrival {
		errs = append(errs, fmt.Errorf("order is %q, must be %s or %s", s.Order, Tickets, Arrival))
	}
	errs = append(errs, s.Budget.Validate())
	for i, p := range s.Passes {
		if p.Allocator == nil {
			errs = append(errs, fmt.Errorf("pass %d has no allocator", i))
		}
		if p.Gate.InFlight < 0 || p.Gate.Width < 0 {
			errs = append(errs, fmt.Errorf("pass %d: gate is %+v, must not be negative", i, p.Gate))
		}
		if err := p.Budget.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("pass %d: %w", i, err))
		}
		if v, ok := p.Proposal.(interface{ Validate() error }); ok {
			errs = append(errs, v.Validate())
		}
	}
	return errors.Join(errs...)
}
