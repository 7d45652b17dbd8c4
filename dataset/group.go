package dataset

import (
	"focus/rollout"
)

// Group is what a search produced for one task: the unit that is built,
// checked and written as a whole.
type Group struct {
	ID   rollout.GroupID
	Task rollout.Task
	// Trees are in an order of their own that does not depend on who finished
	// first: the order of lines decides who owns a shared turn.
	Trees []Tree
}

// Tree is a tree of checkpoints with the rollouts through it. Independent
// rollouts are a root with one edge per rollout.
type Tree struct {
	ID rollout.TreeID
	// Edges hold every node once, the root included (its edge has no turns).
	Edges []Edge
	// Lines are the rollouts, in an order that does not depend on timing.
	Lines []Line
}

// Edge is a node and the turns between it and its parent. No turn is in two
// edges.
type Edge struct {
	Node int32
	// Parent is [NoParent] at the root.
	Parent int32
	Turns  []*rollout.Turn
	// Visits to Pass are search's own; see [Node].
	Visits    int
	Value     *float64
	Prior     *float64
	Proposal  string
	Allocator string
	Pass      int
	// Status overrides what is derived from the tree and its lines.
	Status string
}

// Line is one rollout.
type Line struct {
	ID rollout.RolloutID
	// Attempt counts the tries of this rollout, from 1; 0 reads as 1.
	Attempt int
	// Probe marks a rollout that was made to estimate a value.
	Probe bool
	// Left says why the rollout is left out of training: InvalidPruned,
	// InvalidZeroSpread or InvalidOverlong; empty when it is not.
	Left string
	// State is the leaf.
	State rollout.State
	// Branch is the node ids from root to leaf; the turns of their edges are
	// the turns of State.
	Branch []int32
	// Advantages and Weights have one value per turn of State, fold turns
	// included; nil means nobody computed them.
	Advantages []float64
	Weights    []float64
	// OutcomeAdaptive says that search looked at outcomes before it chose to
	// make this line.
	OutcomeAdaptive bool
	// ZeroSpread says that all scored rollouts of the group were worth the same.
	ZeroSpread bool
}

// Rows is a built group: the rows of each tree together, trees in the same
// order in both.
type Rows struct {
	Samples []*Sample
	Nodes   []*Node
}
