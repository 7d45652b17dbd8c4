package search

import (
	"iter"

	"focus/rollout"
)

// NodeID numbers the nodes of a tree in the order they were added; the root is 0.
type NodeID = int32

// NoParent is the parent of a root.
const NoParent NodeID = -1

// Root is the id of a tree's root.
const Root NodeID = 0

// Node is a checkpoint, and the edge that leads to it.
type Node struct {
	ID     NodeID
	Parent NodeID
	// Depth is the number of edges from the root.
	Depth int
	// State is the checkpoint; the zero State at a root.
	State rollout.State
	// Branchable says that search may go on from here: the rollout lives, the
	// branch points include it and the world can be branched here.
	Branchable bool
	// Expansion is what asked for the node; one that keeps checkpoints on its
	// way has several nodes.
	Expansion Expansion
	// Attempt counts the tries that this edge took, from 1.
	Attempt int
	// Failure is the infrastructure's; nil for a node that search may use.
	Failure *rollout.Failure
	// Estimate is the value model's; nil when there is none or it failed.
	Estimate *float64
	// Pruned says that a finished rollout was left out of training, by the
	// strategy's own rule.
	Pruned bool
	// Replay is how many tool calls it takes to rebuild the world of this node,
	// 0 where it need not be rebuilt.
	Replay int

	Stats
	children []NodeID
}

// Stats are what a node's subtree was told.
type Stats struct {
	// Visits counts the expansions from here or below that came back.
	Visits int
	// InFlight counts those that have not yet: the unobserved samples of
	// WU-UCT (arXiv 1810.11755).
	InFlight int
	// Pending counts those of them that start from this very node.
	Pending int
	// Returns is the sum of what Scored visits brought back: the return of a
	// rollout that ended, the estimate of a checkpoint that did not.
	Returns float64
	Scored  int

	// sum and valued are over the children that have a value.
	sum    float64
	valued int
}

// Q is the mean of what came back through a node (leaf-mean); false when
// nothing was scored yet.
func (n *Node) Q() (float64, bool) {
	if n.Scored == 0 {
		return 0, false
	}
	return n.Returns / float64(n.Scored), true
}

// V is the child-mean value: a finished rollout's return, else the mean of the
// children that have a value, else the value model's estimate; false when there
// is none of them.
func (n *Node) V() (float64, bool) {
	if n.State.Done() {
		return n.State.Return()
	}
	if n.valued > 0 {
		return n.sum / float64(n.valued), true
	}
	if n.Estimate != nil {
		return *n.Estimate, true
	}
	return 0, false
}

// Children are the ids of the nodes below, in the order they were added. Do not
// write to them.
func (n *Node) Children() []NodeID { return n.children }

// Probe reports whether the edge was played to estimate a value.
func (n *Node) Probe() bool { return n.Expansion.Probe }

// TreeOf is, for a child of the root, the child of the root whose tree it
// belongs to, often itself; see [Pick].
func (n *Node) TreeOf() NodeID {
	if n.Expansion.Tree != 0 {
		return n.Expansion.Tree
	}
	return n.ID
}

// Tree is the checkpoints of one task.
type Tree struct {
	ID    rollout.TreeID
	Task  rollout.Task
	nodes []*Node
}

// NewTree is a tree with a root where nothing has happened.
func NewTree(id rollout.TreeID, task rollout.Task) *Tree {
	return &Tree{ID: id, Task: task, nodes: []*Node{{ID: Root, Parent: NoParent, Branchable: true}}}
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

// Leaves walks the nodes without children, the bare root excepted.
func (t *Tree) Leaves() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, n := range t.nodes[1:] {
			if len(n.children) == 0 && !yield(n) {
				return
			}
		}
	}
}

// Path walks from a node up to the root, both included.
func (t *Tree) Path(id NodeID) iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for at := id; at != NoParent; at = t.nodes[at].Parent {
			if !yield(t.nodes[at]) {
				return
			}
		}
	}
}

// Branch is the ids from the root to a node.
func (t *Tree) Branch(id NodeID) []NodeID {
	out := make([]NodeID, t.nodes[id].Depth+1)
	for n := range t.Path(id) {
		out[n.Depth] = n.ID
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

// Trees are the ids of the trees that the task's tree is made of, parents first:
// the chains that started at the root, each with all that was branched off it.
func (t *Tree) Trees() [][]NodeID {
	var out [][]NodeID
	of := make([]int, len(t.nodes))
	for _, n := range t.nodes[1:] {
		first := n.TreeOf()
		switch {
		case n.Depth > 1:
			of[n.ID] = of[n.Parent]
		case first != n.ID:
			of[n.ID] = of[first]
		default:
			of[n.ID] = len(out)
			out = append(out, nil)
		}
		out[of[n.ID]] = append(out[of[n.ID]], n.ID)
	}
	return out
}

// add joins a node to the tree and lets its ancestors know its value. It costs
// the depth of the node.
func (t *Tree) add(n Node) *Node {
	n.ID = NodeID(len(t.nodes))
	parent := t.nodes[n.Parent]
	n.Depth = parent.Depth + 1
	parent.children = append(parent.children, n.ID)
	t.nodes = append(t.nodes, &n)
	if v, ok := n.V(); ok && n.Failure == nil {
		t.revalue(parent, nil, v)
	}
	return &n
}

// revalue tells a node that a child's value became v, and its ancestors what
// follows; was is the child's value before, nil when it had none.
func (t *Tree) revalue(n *Node, was *float64, v float64) {
	for {
		var before *float64
		if b, ok := n.V(); ok {
			before = &b
		}
		if was == nil {
			n.sum, n.valued = n.sum+v, n.valued+1
		} else {
			n.sum += v - *was
		}
		if n.Parent == NoParent {
			return
		}
		v, was, n = n.sum/float64(n.valued), before, t.nodes[n.Parent]
	}
}

// visited tells a path that an expansion that ended at a node came back.
func (t *Tree) visited(end *Node) {
	v, scored := 0.0, false
	if end.Failure == nil {
		v, scored = end.V()
	}
	for n := range t.Path(end.ID) {
		n.Visits++
		if scored {
			n.Returns, n.Scored = n.Returns+v, n.Scored+1
		}
	}
}

// fly counts an expansion in flight from a node, or with -1 its return.
func (t *Tree) fly(from NodeID, by int) {
	t.nodes[from].Pending += by
	for n := range t.Path(from) {
		n.InFlight += by
	}
}
