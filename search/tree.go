package search

import (
	"iter"

	"focus/rollout"
)

// NodeID numbers the nodes of a tree in the order they were added; the root is 0.
type NodeID = int32

// NoParent is the parent of a root.
const NoParent NodeID = -1

// Node is a checkpoint, and the edge that leads to it.
type Node struct {
	ID     NodeID
	Parent NodeID
	// State is the checkpoint; the zero State at a root that no expansion has
	// started yet.
	State rollout.State
	// Attempt counts the tries that this edge took, from 1.
	Attempt int
	// Allocator and Pass say who asked for the node.
	Allocator string
	Pass      int
	// Failure is the infrastructure's; nil for a node that search may use.
	Failure *rollout.Failure
}

// Tree is the checkpoints of one task.
type Tree struct {
	ID    rollout.TreeID
	Task  rollout.Task
	nodes []*Node
}

// NewTree is a tree with a root where nothing has happened.
func NewTree(id rollout.TreeID, task rollout.Task) *Tree {
	return &Tree{ID: id, Task: task, nodes: []*Node{{ID: 0, Parent: NoParent}}}
}

// Len is the number of nodes.
func (t *Tree) Len() int { return len(t.nodes) }

// Node is the node of an id. It panics when there is none.
func (t *Tree) Node(id NodeID) *Node { return t.nodes[id] }

// Nodes walks the tree in the order the nodes were added: parents first.
func (t *Tree) Nodes() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, n := range t.nodes {
			if !yield(n) {
				return
			}
		}
	}
}

// Leaves walks the nodes that nothing was expanded from, the bare root excepted.
func (t *Tree) Leaves() iter.Seq[*Node] {
	inner := make([]bool, len(t.nodes))
	for _, n := range t.nodes {
		if n.Parent != NoParent {
			inner[n.Parent] = true
		}
	}
	return func(yield func(*Node) bool) {
		for _, n := range t.nodes[1:] {
			if !inner[n.ID] && !yield(n) {
				return
			}
		}
	}
}

// Branch is the ids from the root to a node.
func (t *Tree) Branch(id NodeID) []NodeID {
	var up []NodeID
	for at := id; at != NoParent; at = t.nodes[at].Parent {
		up = append(up, at)
	}
	out := make([]NodeID, len(up))
	for i, n := range up {
		out[len(up)-1-i] = n
	}
	return out
}

// Edge is the turns between a node and its parent.
func (t *Tree) Edge(id NodeID) ([]*rollout.Turn, error) {
	n := t.nodes[id]
	if n.Parent == NoParent {
		return nil, nil
	}
	return n.State.Edge(t.nodes[n.Parent].State)
}

func (t *Tree) add(n Node) {
	n.ID = NodeID(len(t.nodes))
	t.nodes = append(t.nodes, &n)
}
