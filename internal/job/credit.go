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
	planted
	tree   *search.Tree
	credit *credit.Credit
	turns  [][]*rollout.Turn // by node
}

// judge has a tree's edges credited.
func judge(t *search.Tree, e Estimator) (*credited, error) {
	out := &credited{tree: t, turns: make([][]*rollout.Turn, t.Len())}
	var err error
	for n := range t.Nodes() {
		if out.turns[n.ID], err = t.Edge(n.ID); err != nil {
			return nil, err
		}
	}
	var q shaping
	if s, ok := e.(interface{ rules() FoldRules }); ok {
		q = s.rules().in(t)
	}
	out.planted = plant(t, out.turns, q)
	if out.credit, err = e.Estimate(out.forest); err != nil {
		return nil, fmt.Errorf("credit: %w", err)
	}
	return out, nil
}

// of is the credit of a checkpoint; its advantage is that of the end of its
// edge.
func (c *credited) of(n search.NodeID) credit.NodeCredit { return c.credit.Nodes[c.end(n)] }

// edges are the nodes of a tree for the data set.
func (c *credited) edges() []dataset.Edge {
	out := make([]dataset.Edge, 0, c.tree.Len())
	for n := range c.tree.Nodes() {
		out = append(out, dataset.Edge{
			Node: n.ID, Parent: n.Parent, Turns: c.turns[n.ID], Visits: n.Visits,
			Value: value(c.of(n.ID).Value, n.Estimate), Prior: n.Expansion.Prior,
			Proposal: n.Expansion.Law.Name, Allocator: n.Expansion.Allocator, Pass: n.Expansion.Pass,
		})
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
	nodes := c.branch(branch)
	if !slices.ContainsFunc(nodes, func(n int) bool { return c.credit.Nodes[n].Advantage != nil }) {
		return nil, nil
	}
	return c.credit.Turns(nodes)
}

// left says why a rollout is left out of training; empty when it is not.
func (c *credited) left(n *search.Node) string {
	switch {
	case n.Pruned:
		return dataset.InvalidPruned
	case !finished(n):
		return ""
	case c.of(n.ID).Masked:
		return dataset.InvalidOverlong
	case c.credit.Dropped:
		return dataset.InvalidZeroSpread
	}
	return ""
}

// lines are the rollouts of a tree, depth first: neighbours share the longest
// prefixes. A checkpoint that search left is no rollout; its node is kept.
func (w *writer) lines(c *credited) []dataset.Line {
	var out []dataset.Line
	adaptive := w.live.Strategy.OutcomeAdaptive()
	for n := range c.tree.Leaves() {
		if !n.State.Done() {
			continue
		}
		l := dataset.Line{
			ID:      rollout.RolloutID(rollout.DeriveID("rollout", w.seed, string(c.tree.Task.ID), n.State.Branch)),
			Attempt: n.Attempt, Probe: n.Probe(), State: n.State, Branch: c.tree.Branch(n.ID),
			OutcomeAdaptive: adaptive, ZeroSpread: c.credit.ZeroSpread, Left: c.left(n),
		}
		if l.Left == "" && finished(n) {
			l.Advantages, l.Weights = c.credits(l.Branch)
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b dataset.Line) int { return slices.Compare(a.Branch, b.Branch) })
	return out
}
