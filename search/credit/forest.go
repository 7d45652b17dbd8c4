package credit

import (
	"fmt"
	"math"
)

// NoParent is the parent of a root.
const NoParent = -1

// Node is a checkpoint and the edge that leads to it.
type Node struct {
	// Parent is the index of the parent in the forest, or [NoParent].
	Parent int
	// Tree says which tree of the prompt a leaf belongs to, for [TreeGRPO]
	// alone: M chains that were started from one root can still be M trees.
	Tree int
	// Reward is what a leaf was worth; nil at an inner node, and at a leaf that
	// is masked (nobody scored it, or the infrastructure failed).
	Reward *float64
	// Probe is a leaf that was played to estimate values: it counts in every
	// value and baseline, and has no row.
	Probe bool
	// Truncated is a leaf that was cut short of an end of its own; what follows
	// is [Options.Overlong].
	Truncated bool
	// EdgeReward was earned on the way from the parent, on top of Reward.
	EdgeReward float64
	// Shaping is the Q of the edge, for [FoldShape] alone. Where turns differ
	// in Q, cut the edge: cuts change nothing else.
	Shaping float64
	// Turns and Tokens are the sampled ones of the edge.
	Turns, Tokens int
}

// Forest is the trees of one prompt. Nodes may be in any order. The roots of a
// prompt are one state, so that values are estimated as if they were one root.
type Forest struct {
	Prompt string
	Nodes  []Node
}

// children are the indices of each node's children, ascending; an error where
// the nodes are not a forest.
func (f Forest) children() ([][]int, error) {
	kids := make([][]int, len(f.Nodes))
	var order []int
	for i, n := range f.Nodes {
		switch {
		case n.Parent == NoParent:
			order = append(order, i)
		case n.Parent < 0 || n.Parent >= len(f.Nodes):
			return nil, f.errorf("node %d: parent %d of %d nodes", i, n.Parent, len(f.Nodes))
		default:
			kids[n.Parent] = append(kids[n.Parent], i)
		}
	}
	for at := 0; at < len(order); at++ {
		order = append(order, kids[order[at]]...)
	}
	if len(order) != len(f.Nodes) {
		return nil, f.errorf("%d of %d nodes hang from no root", len(f.Nodes)-len(order), len(f.Nodes))
	}
	for i, n := range f.Nodes {
		if err := n.check(len(kids[i]) > 0); err != nil {
			return nil, f.errorf("node %d: %w", i, err)
		}
	}
	return kids, nil
}

func (f Forest) errorf(format string, args ...any) error {
	return fmt.Errorf("forest of prompt %s: %w", f.Prompt, fmt.Errorf(format, args...))
}

func (n Node) check(inner bool) error {
	for _, x := range []float64{n.EdgeReward, n.Shaping, n.reward()} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%v is not a reward", x)
		}
	}
	switch {
	case n.Turns < 0 || n.Tokens < 0:
		return fmt.Errorf("%d turns and %d tokens", n.Turns, n.Tokens)
	case n.Reward != nil && inner:
		return fmt.Errorf("a reward at a node that has children")
	case n.Parent == NoParent && (n.Reward != nil || n.EdgeReward != 0 || n.Turns != 0 || n.Tokens != 0):
		return fmt.Errorf("a root with rewards, turns or tokens: no edge leads to it")
	}
	return nil
}

func (n Node) reward() float64 {
	if n.Reward == nil {
		return 0
	}
	return *n.Reward
}
