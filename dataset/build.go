package dataset

import (
	"fmt"

	"focus/rollout"
)

// Build turns a group into rows. It is pure: the same group gives the same
// rows. A turn that several rollouts share is owned by the first valid row that
// holds it, in the order of trees, lines and regions.
func Build(g Group) (Rows, error) {
	var out Rows
	owned := map[*rollout.Turn]bool{}
	for _, t := range g.Trees {
		if err := buildTree(&out, g, t, owned); err != nil {
			return Rows{}, fmt.Errorf("build rows of group %s, tree %s: %w", g.ID, t.ID, err)
		}
	}
	return out, nil
}

func buildTree(out *Rows, g Group, t Tree, owned map[*rollout.Turn]bool) error {
	tree, err := grow(t)
	if err != nil {
		return err
	}
	ends := map[int32]*Line{}
	for i := range t.Lines {
		l := &t.Lines[i]
		turns, err := tree.follow(*l)
		if err != nil {
			return err
		}
		if err := checkLine(*l, len(turns)); err != nil {
			return err
		}
		leaf := l.Branch[len(l.Branch)-1]
		if other := ends[leaf]; other != nil {
			return fmt.Errorf("rollouts %s and %s both end at node %d", other.ID, l.ID, leaf)
		}
		ends[leaf] = l
		rows, err := (&liner{group: g, tree: t.ID, line: *l, places: tree.places}).rows()
		if err != nil {
			return fmt.Errorf("rollout %s: %w", l.ID, err)
		}
		own(rows, owned)
		for _, r := range rows {
			out.Samples = append(out.Samples, r.Sample)
		}
	}
	for i := range t.Edges {
		out.Nodes = append(out.Nodes, buildNode(t.ID, &t.Edges[i], tree, ends[t.Edges[i].Node]))
	}
	return nil
}

func checkLine(l Line, turns int) error {
	if l.Advantages != nil && len(l.Advantages) != turns {
		return fmt.Errorf("rollout %s: %d advantages for %d turns", l.ID, len(l.Advantages), turns)
	}
	if l.Weights != nil && len(l.Weights) != turns {
		return fmt.Errorf("rollout %s: %d weights for %d turns", l.ID, len(l.Weights), turns)
	}
	return nil
}

// own puts loss on the turns of valid rows that no earlier row owns.
func own(rows []builtRow, owned map[*rollout.Turn]bool) {
	for _, r := range rows {
		if !r.Valid {
			continue
		}
		for i, turn := range r.turns {
			if owned[turn] {
				continue
			}
			owned[turn] = true
			at := r.Info.Turns[i]
			for k := at.At; k < at.At+at.N; k++ {
				r.LossMask[k] = 1
			}
		}
	}
}

func buildNode(tree rollout.TreeID, e *Edge, g *grown, end *Line) *Node {
	n := &Node{
		Node: e.Node, Parent: e.Parent, Tree: tree, Depth: g.depth[e.Node],
		Visits: int32(e.Visits), Value: e.Value, Prior: e.Prior,
		Proposal: e.Proposal, Allocator: e.Allocator, Pass: int32(e.Pass),
		Turns: int32(len(e.Turns)), Status: e.Status,
	}
	if n.Status == "" {
		n.Status = status(g.children[e.Node], end)
	}
	if end != nil {
		n.Reward = scored(end.State).reward
	}
	before := g.last[e.Parent]
	for _, t := range e.Turns {
		from := 0
		if continues(before, t) {
			from = before.Context.Len()
		}
		n.IDs = append(n.IDs, t.Context.From(from)...)
		n.Tokens += int32(t.Context.Len() - t.PrefixLen)
		n.time(t)
		before = t
	}
	return n
}

// time adds a turn to the measurements of the edge.
func (n *Node) time(t *rollout.Turn) {
	if n.Started.IsZero() || !t.Timing.Started.IsZero() && t.Timing.Started.Before(n.Started) {
		n.Started = t.Timing.Started
	}
	n.Generate += t.Timing.Generate
	n.Apply += t.Timing.Apply
	n.Server = joinOnce(n.Server, t.Server)
}

// status derives the status of a node that its producer left open.
func status(children int, end *Line) string {
	switch {
	case end != nil && end.State.Reason() == rollout.StopFailed && end.State.Failure != nil:
		return statusFailed(end.State.Failure.Cause)
	case end != nil && end.State.Reason() != "":
		return string(end.State.Reason())
	case children > 0:
		return StatusExpanded
	}
	return StatusOpen
}

func statusFailed(cause string) string { return string(rollout.StopFailed) + ":" + cause }
