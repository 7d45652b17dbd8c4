package search

import "focus/rollout"

// Pick is where and how to go on: what an allocator chooses.
type Pick struct {
	// From is the node to go on from. At the root the world is reset.
	From NodeID
	// Tree is, for a rollout from the root, the child of the root whose tree it
	// belongs to; 0 starts a tree of its own. See [Tree.Trees].
	Tree NodeID
	// Decisions is how many decisions to make before the next branch point is
	// the end of the edge; 0 plays to the end of the rollout.
	Decisions int
	// Keep makes a node of every branch point that is passed on the way.
	Keep bool
	// Probe marks a rollout that is played to estimate a value and never
	// trained on.
	Probe bool
	// Prior is the allocator's own, for the record; nil when it has none.
	Prior *float64
}

// Expansion asks for one more edge.
type Expansion struct {
	Pick
	// Ticket numbers the expansions of a tree from 0.
	Ticket int
	// Branch is the new line's name; see [rollout.State].
	Branch string
	// Pass and Allocator say who asks.
	Pass      int
	Allocator string
	// Law is what its replies are sampled under.
	Law Law
	// Reserved is what it may cost.
	Reserved Cost
}

// Checkpoint is a state that an expansion reached.
type Checkpoint struct {
	State rollout.State
	// Branchable says that search may go on from here.
	Branchable bool
	// Estimate is the value model's; nil when there is none or it failed.
	Estimate *float64
	// Replay is how many tool calls it takes to rebuild the world here.
	Replay int
}

// Result is what came of an expansion.
type Result struct {
	Ticket int
	// Path is the checkpoints reached, at least one, each a descendant of the
	// one before. The last is where the expansion ended, also when the
	// infrastructure failed on the way.
	Path []Checkpoint
	// Attempt counts the tries it took, from 1.
	Attempt int
	// Failure is set when the infrastructure failed for good.
	Failure *rollout.Failure
	// Cost is what all tries took.
	Cost Cost
}

// End is the checkpoint where the expansion ended.
func (r Result) End() Checkpoint { return r.Path[len(r.Path)-1] }
