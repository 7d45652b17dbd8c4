package dataset

import (
	"time"

	"focus/rollout"
)

// NoParent is the parent of a tree's root.
const NoParent int32 = -1

// Statuses of a node that no line ended at. A node that a line ended at has
// the line's stop reason; when the infrastructure failed it, "failed:" and the
// cause.
const (
	// StatusOpen: search could have gone on from here.
	StatusOpen = "open"
	// StatusExpanded: search went on from here.
	StatusExpanded = "expanded"
)

// Node is one row of `nodes`: a checkpoint of a search tree and the edge that
// leads to it.
type Node struct {
	Node   int32          `json:"node"`
	Parent int32          `json:"parent"`
	Tree   rollout.TreeID `json:"tree"`
	// Depth is the number of edges from the root.
	Depth int32 `json:"depth"`
	// IDs are the tokens the edge added. For each of its turns: what follows
	// the turn before it on the branch, when the prefix begins with that turn's
	// whole context and the tag is the same; else the whole context. So the
	// edges along a branch, joined, are the rows of its rollout, joined.
	IDs []rollout.TokenID `json:"ids"`
	// Visits, Value, Prior, Proposal, Allocator and Pass are search's; nil and
	// empty mean nobody computed it.
	Visits int32    `json:"visits"`
	Value  *float64 `json:"value"`
	Prior  *float64 `json:"prior"`
	// Reward is the reward of the line that ended here, if any did.
	Reward    *float64 `json:"reward"`
	Proposal  string   `json:"proposal"`
	Allocator string   `json:"allocator"`
	Pass      int32    `json:"pass"`
	// Tokens is how many ids the edge sampled, in Turns turns.
	Tokens int32  `json:"tokens"`
	Turns  int32  `json:"turns"`
	Status string `json:"status"`
	// Server names who sampled the edge; several are joined by commas.
	Server string `json:"server"`
	// Started is when the edge's first request was sent; zero when unknown.
	Started  time.Time     `json:"started"`
	Generate time.Duration `json:"generate_ns"`
	Apply    time.Duration `json:"apply_ns"`
}

// bytes estimates what the row takes in a batch.
func (n *Node) bytes() int {
	return 160 + 4*len(n.IDs) + len(n.Tree) + len(n.Proposal) + len(n.Allocator) + len(n.Status) + len(n.Server)
}
