package credit

import (
	"fmt"
	"math"
)

// StepTargets are what a value model may be trained to say of each node of a
// finished tree (ReST-MCTS*, arXiv 2406.03816), from 0 to 1. A leaf is right
// where its Reward is at least pass. From v = 0 at a root, each turn of an edge
// changes the value of the node before it by
//
//	v ← max(0, v + (1−v)/m)   towards a right leaf
//	v ← max(0, v − (1−v)/m)   where no leaf below is right
//
// m is the fewest turns, this one included, in which a right leaf is reached
// from before the turn: by this very turn where one is below it, and otherwise
// from the last node that has one below, as if the wrong turns were taken back.
// A right leaf is 1, and all is 0 where no leaf is right.
//
// A node with no scored leaf at or below it has no target: nil. Probes count as
// any other leaf. An edge of n turns is as n edges of one, so that where edges
// are cut changes no target; one without turns changes nothing.
//
// It is an error where the nodes are not a forest or pass is not a number.
func StepTargets(f Forest, pass float64) ([]*float64, error) {
	kids, err := f.children()
	if err != nil {
		return nil, err
	}
	if math.IsNaN(pass) {
		return nil, fmt.Errorf("forest of prompt %s: pass is %v", f.Prompt, pass)
	}
	kids = alive(f, kids)
	order := topDown(f, kids)
	far := toRight(f, kids, order, pass)
	out := make([]*float64, len(f.Nodes))
	// back is far of the nearest node up the path that has a right leaf below.
	back := make([]int, len(f.Nodes))
	for _, i := range order {
		n, v := f.Nodes[i], 0.0
		back[i] = far[i]
		if n.Parent != NoParent {
			v = *out[n.Parent]
			if far[i] == nowhere {
				back[i] = back[n.Parent]
			}
		}
		for left := n.Turns - 1; left >= 0; left-- {
			switch {
			case far[i] != nowhere:
				v += (1 - v) / float64(1+left+far[i])
			case back[i] != nowhere:
				v = max(0, v-(1-v)/float64(1+back[i]))
			}
		}
		out[i] = &v
	}
	return out, nil
}

// nowhere is the distance to a right leaf where there is none.
const nowhere = -1

// topDown is the nodes with a scored leaf at or below them, parents first.
func topDown(f Forest, kids [][]int) []int {
	var order []int
	for i, n := range f.Nodes {
		if n.Parent == NoParent && len(kids[i]) > 0 {
			order = append(order, i)
		}
	}
	for at := 0; at < len(order); at++ {
		order = append(order, kids[order[at]]...)
	}
	return order
}

// toRight is, for each node, the fewest turns from it to a right leaf below.
func toRight(f Forest, kids [][]int, order []int, pass float64) []int {
	far := make([]int, len(f.Nodes))
	for at := len(order) - 1; at >= 0; at-- {
		i := order[at]
		far[i] = nowhere
		if r := f.Nodes[i].Reward; r != nil && *r >= pass {
			far[i] = 0
		}
		for _, c := range kids[i] {
			if d := far[c] + f.Nodes[c].Turns; far[c] != nowhere && (far[i] == nowhere || d < far[i]) {
				far[i] = d
			}
		}
	}
	return far
}
