package search

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// TreeGRPO samples as Tree-GRPO does (arXiv 2509.21240): chains from the root,
// then rollouts from their turns, drawn uniformly. It does not look at
// outcomes. Fields are M, N, L and K of the paper.
type TreeGRPO struct {
	// Trees is the number of chains from the root. Default 2.
	Trees int `yaml:"trees"`
	// Nodes is how many nodes of each tree are drawn in a round, with
	// replacement. Default 2.
	Nodes int `yaml:"nodes"`
	// Rounds follow the chains. Default 1.
	Rounds int `yaml:"rounds"`
	// Keep is how many rollouts of each tree are trained, drawn without
	// replacement; the others are left out. 0 keeps all; the paper's is 3.
	Keep int `yaml:"keep"`
}

// DefaultTreeGRPO is what the paper's scripts use.
func DefaultTreeGRPO() TreeGRPO { return TreeGRPO{Trees: 2, Nodes: 2, Rounds: 1, Keep: 3} }

// Validate reports every field out of range.
func (c TreeGRPO) Validate() error {
	return errors.Join(
		atLeast(map[string]bound{"trees": {c.Trees, 1}, "nodes": {c.Nodes, 1}, "rounds": {c.Rounds, 0}, "keep": {c.Keep, 0}}),
		limited("trees × nodes × rounds", c.Trees, c.Nodes, c.Rounds),
	)
}

// Strategy is a pass of chains and one for each round.
func (c TreeGRPO) Strategy() Strategy {
	s := Strategy{
		Name: "tree-grpo", Credit: "tree-grpo", Rollouts: c.Trees * (1 + c.Nodes*c.Rounds),
		Passes: []Pass{{Allocator: Roots{Count: c.Trees, Keep: true}}},
	}
	for range c.Rounds {
		s.Passes = append(s.Passes, Pass{Allocator: RandomNodes{PerTree: c.Nodes}})
	}
	if c.Keep > 0 {
		s.Prune = func(t *Tree, v *View) []NodeID { return pruneAll(t, v, c.Keep) }
	}
	return s
}

// RandomNodes draws nodes to go on from to the end: in each of [Tree.Trees],
// uniformly and with replacement from the root and the nodes that search may go
// on from. What is drawn for a tree belongs to it, at the root too.
type RandomNodes struct {
	// PerTree is how many are drawn in each tree; at least 1.
	PerTree int
}

// Name is "random".
func (RandomNodes) Name() string { return "random" }

// Traits: it goes on from inner nodes and looks at nothing.
func (RandomNodes) Traits() Traits { return Traits{Inner: true} }

// Open draws all nodes of the pass: what the pass itself adds is not drawn from.
func (a RandomNodes) Open(v *View) Selector {
	out := &queue{view: v}
	for i, tree := range v.Tree().Trees() {
		r := v.Rand("random nodes " + strconv.Itoa(v.Tree().Len()) + " " + strconv.Itoa(i))
		open := slices.DeleteFunc(slices.Clone(tree), func(id NodeID) bool { return !v.Room(v.Tree().Node(id)) })
		open = append([]NodeID{Root}, open...)
		for range a.PerTree {
			out.add(Pick{From: open[r.IntN(len(open))], Tree: tree[0], Keep: true}, 1)
		}
	}
	return out
}

// pruneAll leaves out all but keep finished rollouts of each tree.
func pruneAll(t *Tree, v *View, keep int) []NodeID {
	var out []NodeID
	for i, tree := range t.Trees() {
		var done []NodeID
		for _, id := range tree {
			if n := t.Node(id); n.State.Done() && n.Failure == nil {
				done = append(done, id)
			}
		}
		out = append(out, without(done, keep, v.Rand("prune "+strconv.Itoa(i)))...)
	}
	slices.Sort(out)
	return out
}

// without is ids less keep of them, drawn.
func without(ids []NodeID, keep int, r *rand.Rand) []NodeID {
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids[min(keep, len(ids)):]
}

// bound is a number and the least it may be.
type bound struct{ value, least int }

// atLeast names the fields that are too small, in order.
func atLeast(fields map[string]bound) error {
	var names []string
	for name, b := range fields {
		if b.value < b.least {
			names = append(names, fmt.Sprintf("%s is %d, must be at least %d", name, b.value, b.least))
		}
	}
	slices.Sort(names)
	return joined(names)
}
