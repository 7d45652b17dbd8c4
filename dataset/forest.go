package dataset

import (
	"fmt"

	"focus/rollout"
)

// place is where a turn is in its tree.
type place struct {
	node  int32
	index int
}

// grown is a tree whose edges are checked and found by node.
type grown struct {
	edges    map[int32]*Edge
	depth    map[int32]int32
	children map[int32]int
	places   map[*rollout.Turn]place
	// last is the last turn of a node's branch, nil before the first.
	last map[int32]*rollout.Turn
}

// grow checks that the edges of a tree form one, and that no turn is in two.
func grow(t Tree) (*grown, error) {
	g := &grown{
		edges: make(map[int32]*Edge, len(t.Edges)), depth: map[int32]int32{}, children: map[int32]int{},
		places: map[*rollout.Turn]place{}, last: map[int32]*rollout.Turn{},
	}
	for i := range t.Edges {
		e := &t.Edges[i]
		if g.edges[e.Node] != nil || e.Node < 0 {
			return nil, fmt.Errorf("node %d is negative or there twice", e.Node)
		}
		g.edges[e.Node] = e
		for k, turn := range e.Turns {
			if at, ok := g.places[turn]; ok {
				return nil, fmt.Errorf("turn %d of node %d is also turn %d of node %d", k, e.Node, at.index, at.node)
			}
			g.places[turn] = place{e.Node, k}
		}
	}
	roots := 0
	for _, e := range g.edges {
		if e.Parent == NoParent {
			roots++
			continue
		}
		if g.edges[e.Parent] == nil {
			return nil, fmt.Errorf("node %d has parent %d, which is not in the tree", e.Node, e.Parent)
		}
		g.children[e.Parent]++
	}
	if roots != 1 {
		return nil, fmt.Errorf("%d roots, want 1", roots)
	}
	for node := range g.edges {
		if err := g.settle(node); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// settle fills depth and last of a node from its ancestors'.
func (g *grown) settle(node int32) error {
	var path []*Edge
	for at := node; ; {
		if _, done := g.depth[at]; done {
			break
		}
		if len(path) > len(g.edges) {
			return fmt.Errorf("node %d is its own ancestor", node)
		}
		e := g.edges[at]
		path = append(path, e)
		if e.Parent == NoParent {
			break
		}
		at = e.Parent
	}
	for i := len(path) - 1; i >= 0; i-- {
		e := path[i]
		if e.Parent != NoParent {
			g.depth[e.Node], g.last[e.Node] = g.depth[e.Parent]+1, g.last[e.Parent]
		} else {
			g.depth[e.Node] = 0
		}
		if n := len(e.Turns); n > 0 {
			g.last[e.Node] = e.Turns[n-1]
		}
	}
	return nil
}

// follow checks that a line's branch is a path of the tree and that its edges
// hold the line's turns.
func (g *grown) follow(l Line) ([]*rollout.Turn, error) {
	if len(l.Branch) == 0 {
		return nil, fmt.Errorf("rollout %s: the branch is empty", l.ID)
	}
	var turns []*rollout.Turn
	parent := NoParent
	for _, node := range l.Branch {
		e := g.edges[node]
		if e == nil || e.Parent != parent {
			return nil, fmt.Errorf("rollout %s: node %d of branch %v is not a child of node %d", l.ID, node, l.Branch, parent)
		}
		turns = append(turns, e.Turns...)
		parent = node
	}
	i := 0
	for t := range l.State.Turns() {
		if i >= len(turns) || turns[i] != t {
			return nil, fmt.Errorf("rollout %s: turn %d of its log is not turn %d of the edges along branch %v", l.ID, i, i, l.Branch)
		}
		i++
	}
	if i != len(turns) {
		return nil, fmt.Errorf("rollout %s: its log has %d turns and the edges along branch %v have %d", l.ID, i, l.Branch, len(turns))
	}
	return turns, nil
}

// continues reports whether t extends the sequence of the turn before it, so
// that both are in one region.
func continues(before, t *rollout.Turn) bool {
	return before != nil && before.Tag == t.Tag && t.Prefix().HasPrefix(before.Context)
}
