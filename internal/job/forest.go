package job

import (
	"focus/rollout"
	"focus/search"
	"focus/search/credit"
)

// planted is a tree as the estimators see it.
type planted struct {
	forest credit.Forest
	// cuts are, for each node of the tree, the nodes of the forest along its
	// edge. There is at least one; the last is the checkpoint itself.
	cuts [][]int
}

// plant makes a tree a forest. Without q each node of the tree is one of the
// forest; with it an edge is cut where the Q of its turns changes.
func plant(t *search.Tree, edges [][]*rollout.Turn, q shaping) planted {
	out := planted{forest: credit.Forest{Prompt: string(t.Task.ID)}, cuts: make([][]int, t.Len())}
	for n := range t.Nodes() {
		at := credit.NoParent
		if n.Parent != search.NoParent {
			at = out.end(n.Parent)
		}
		turns := edges[n.ID]
		for _, piece := range pieces(n, turns, q) {
			piece.Parent = at
			if piece.Tree = int(n.TreeOf()); n.Depth > 1 {
				piece.Tree = out.forest.Nodes[at].Tree
			}
			at = len(out.forest.Nodes)
			out.cuts[n.ID] = append(out.cuts[n.ID], at)
			out.forest.Nodes = append(out.forest.Nodes, piece)
		}
		end := &out.forest.Nodes[at]
		end.Probe = n.Probe()
		if finished(n) && !n.Pruned {
			end.Reward, end.Truncated = outcome(n.State), n.State.Truncated || n.State.Reason().Truncated()
		}
	}
	return out
}

// end is the forest's node of a checkpoint.
func (p planted) end(n search.NodeID) int { return p.cuts[n][len(p.cuts[n])-1] }

// branch is the forest's nodes along a branch of the tree.
func (p planted) branch(ids []search.NodeID) []int {
	var out []int
	for _, id := range ids {
		out = append(out, p.cuts[id]...)
	}
	return out
}

// pieces are the stretches of an edge on which Q is the same; one when there
// are no turns.
func pieces(n *search.Node, turns []*rollout.Turn, q shaping) []credit.Node {
	out := []credit.Node{{}}
	for i, turn := range turns {
		shaped := 0.0
		if q != nil {
			shaped = q(n, turns, i)
		}
		if i > 0 && shaped != out[len(out)-1].Shaping {
			out = append(out, credit.Node{})
		}
		last := &out[len(out)-1]
		last.Shaping = shaped
		last.Turns++
		last.Tokens += turn.Context.Len() - turn.PrefixLen
		last.EdgeReward += earned(turn)
	}
	return out
}

// earned is what a turn added to the return of its rollout, the outcome left
// out.
func earned(t *rollout.Turn) float64 {
	if t.Transition == nil || t.Transition.Reward == nil {
		return t.Penalty
	}
	return t.Penalty + *t.Transition.Reward
}

// finished reports whether a node is the end of a rollout that was played to it.
func finished(n *search.Node) bool { return n.Failure == nil && n.State.Done() }

// outcome is what a rollout was worth beside the rewards of its turns; nil when
// nobody scored it.
func outcome(s rollout.State) *float64 {
	if _, ok := s.Return(); !ok {
		return nil
	}
	sum := 0.0
	if o := s.Scores().Outcome; o != nil {
		sum = *o
	}
	if s.Settled != nil && s.Settled.Reward != nil {
		sum += *s.Settled.Reward
	}
	return &sum
}
