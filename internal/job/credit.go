package job

import (
	"fmt"
	"slices"

	"focus/dataset"
	"focus/rollout"
	"focus/search"
	"focus/search/credit"
)

// credited is a finished tree with what its edges were worth.
type credited struct {
	tree   *search.Tree
	credit *credit.Credit
	turns  [][]*rollout.Turn // by node
}

// judge has a tree's edges credited. The forest has a node for each of the
// tree's, with the same number.
func judge(t *search.Tree, e Estimator) (*credited, error) {
	out := &credited{tree: t, turns: make([][]*rollout.Turn, t.Len())}
	f := credit.Forest{Prompt: string(t.Task.ID), Nodes: make([]credit.Node, t.Len())}
	for n := range t.Nodes() {
		turns, err := t.Edge(n.ID)
		if err != nil {
			return nil, err
		}
		out.turns[n.ID] = turns
		f.Nodes[n.ID] = forestNode(t, n, turns, f.Nodes)
	}
	var err error
	if out.credit, err = e.Estimate(f); err != nil {
		return nil, fmt.Errorf("credit: %w", err)
	}
	return out, nil
}

func forestNode(t *search.Tree, n *search.Node, turns []*rollout.Turn, before []credit.Node) credit.Node {
	out := credit.Node{Parent: int(n.Parent), Tree: int(n.ID), Turns: len(turns), Probe: n.Probe()}
	// The chains that were started at the root are the trees of Tree-GRPO.
	if n.Depth > 1 {
		out.Tree = before[n.Parent].Tree
	}
	for _, turn := range turns {
		out.Tokens += turn.Context.Len() - turn.PrefixLen
		out.EdgeReward += turn.Penalty
		if turn.Transition != nil && turn.Transition.Reward != nil {
			out.EdgeReward += *turn.Transition.Reward
		}
	}
	if finished(n) && !n.Pruned {
		out.Reward = outcome(n.State)
	}
	return out
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

// edges are the nodes of a tree for the data set.
func (c *credited) edges() []dataset.Edge {
	out := make([]dataset.Edge, 0, c.tree.Len())
	for n := range c.tree.Nodes() {
		e := dataset.Edge{
			Node: n.ID, Parent: n.Parent, Turns: c.turns[n.ID], Visits: n.Visits,
			Value: value(c.credit.Nodes[n.ID].Value, n.Estimate), Prior: n.Expansion.Prior,
			Proposal: n.Expansion.Law.Name, Allocator: n.Expansion.Allocator, Pass: n.Expansion.Pass,
		}
		out = append(out, e)
	}
	return out
}

// value is what the rollouts below a node say, else the value model.
func value(credited, estimate *float64) *float64 {
	if credited != nil {
		return credited
	}
	return estimate
}

// credits is the credit of a line's turns; nil when none of its edges has any.
// A turn that it shares with others may have credit where its own end has none.
func (c *credited) credits(branch []search.NodeID) (advantages, weights []float64) {
	ids, any := make([]int, len(branch)), false
	for i, id := range branch {
		ids[i] = int(id)
		any = any || c.credit.Nodes[id].Advantage != nil
	}
	if !any {
		return nil, nil
	}
	return c.credit.Turns(ids)
}

// lines are the rollouts of a tree, depth first: neighbours share the longest
// prefixes. A checkpoint that search left is no rollout; its node is kept.
func (w *writer) lines(c *credited) []dataset.Line {
	var out []dataset.Line
	adaptive := w.live.Strategy.OutcomeAdaptive()
	drop := c.credit.ZeroSpread && len(c.credit.Rows) == 0
	for n := range c.tree.Leaves() {
		if !n.State.Done() {
			continue
		}
		l := dataset.Line{
			ID:      rollout.RolloutID(rollout.DeriveID("rollout", w.seed, string(c.tree.Task.ID), n.State.Branch)),
			Attempt: n.Attempt, Probe: n.Probe(), State: n.State, Branch: c.tree.Branch(n.ID), OutcomeAdaptive: adaptive,
		}
		switch {
		case n.Pruned:
			l.Left = dataset.InvalidPruned
		case drop && finished(n):
			l.Left = dataset.InvalidZeroSpread
		}
		if l.Left == "" && finished(n) {
			l.Advantages, l.Weights = c.credits(l.Branch)
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b dataset.Line) int { return slices.Compare(a.Branch, b.Branch) })
	return out
}
