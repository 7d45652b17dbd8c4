package search

import (
	"fmt"
	"slices"
)

// SPOTree is a full tree of segments, as SPO-tree samples (arXiv 2505.23564):
// every node of a level gets the same number of children, each one segment
// long, those of the last level to their end. It does not look at outcomes; the
// paper's estimator is tree.td with child-mean values.
type SPOTree struct {
	// Widths are the children of each node, by level from the root. The last
	// level's rollouts go to their end. Default 6, 6, 6: at most 216 rollouts on
	// 258 edges.
	Widths []int `yaml:"widths"`
	// Segment is the decisions of an edge above the last level. Default 1: one
	// turn, or one chunk where the context manager makes segments. The paper's
	// are 30 (GSM8K) or 600 (MATH) tokens.
	Segment int `yaml:"segment"`
}

// DefaultSPOTree is the paper's tree, with a turn for a segment.
func DefaultSPOTree() SPOTree { return SPOTree{Widths: []int{6, 6, 6}, Segment: 1} }

// Validate reports every field out of range, and a tree that could not be held.
func (c SPOTree) Validate() error {
	bad := map[string]bound{"segment": {c.Segment, 1}, "the number of widths": {len(c.Widths), 1}}
	rollouts := 1
	for i, w := range c.Widths {
		bad[fmt.Sprintf("widths[%d]", i)] = bound{w, 1}
		rollouts = min(rollouts, maxGroup) * min(max(w, 1), maxGroup)
	}
	if rollouts > maxGroup {
		return fmt.Errorf("widths %v make more than %d rollouts of a tree", c.Widths, maxGroup)
	}
	return atLeast(bad)
}

// Strategy is one pass, level after level.
func (c SPOTree) Strategy() Strategy {
	s := Strategy{Name: "spo-tree", Credit: "td", Passes: []Pass{{Allocator: Levels{Widths: slices.Clone(c.Widths), Segment: c.Segment}}}}
	if len(c.Widths) == 1 {
		// With more levels, a rollout that ends early leaves out those below it.
		s.Rollouts = c.Widths[0]
	}
	return s
}

// Levels gives every node of a level the same number of children. A rollout
// that ends above the last level is a leaf there.
type Levels struct {
	Widths  []int
	Segment int
}

// Name is "levels".
func (Levels) Name() string { return "levels" }

// Traits: it looks at nothing.
func (l Levels) Traits() Traits { return Traits{Inner: len(l.Widths) > 1} }

// Open starts with the root's children.
func (l Levels) Open(v *View) Selector {
	s := &levelSelector{queue: queue{view: v}, levels: l}
	s.grow(Root, 0)
	return s
}

type levelSelector struct {
	queue
	levels Levels
}

// grow asks for the children of a node of a level.
func (s *levelSelector) grow(from NodeID, level int) {
	p := Pick{From: from, Decisions: s.levels.Segment}
	if level == len(s.levels.Widths)-1 {
		p.Decisions = 0
	}
	s.add(p, s.levels.Widths[level])
}

func (s *levelSelector) Applied(_ Expansion, nodes []*Node) {
	// Every edge is one node, so that a node's depth is its level.
	if n := nodes[len(nodes)-1]; n.Branchable && n.Depth < len(s.levels.Widths) {
		s.grow(n.ID, n.Depth)
	}
}
