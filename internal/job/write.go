package job

import (
	"fmt"

	"focus/dataset"
	"focus/rollout"
	"focus/search"
)

// writer owns the run's files. Its methods run on one goroutine.
type writer struct {
	live *Live
	seed string
	out  *dataset.Writer
	rows int
}

// write credits a finished group and writes its rows.
func (w *writer) write(s *search.Search) error {
	t := s.Tree()
	g, err := w.group(t)
	if err != nil {
		return err
	}
	rows, err := dataset.Build(g)
	if err != nil {
		return err
	}
	if err := w.out.Write(rows); err != nil {
		return fmt.Errorf("write group of task %s: %w", t.Task.ID, err)
	}
	w.rows += len(rows.Samples)
	return nil
}

// group describes a tree and its credit to the data set.
func (w *writer) group(t *search.Tree) (dataset.Group, error) {
	out := dataset.Tree{ID: t.ID}
	for n := range t.Nodes() {
		turns, err := t.Edge(n.ID)
		if err != nil {
			return dataset.Group{}, err
		}
		out.Edges = append(out.Edges, dataset.Edge{
			Node: n.ID, Parent: n.Parent, Turns: turns, Allocator: n.Allocator, Pass: n.Pass, Visits: 1,
		})
	}
	var rewards []*float64
	for n := range t.Leaves() {
		rewards = append(rewards, returned(n))
	}
	advantages := w.live.Estimate.Advantages(rewards)
	i := 0
	for n := range t.Leaves() {
		out.Lines = append(out.Lines, dataset.Line{
			ID:      rollout.RolloutID(rollout.DeriveID("rollout", w.seed, string(t.Task.ID), n.State.Branch)),
			Attempt: n.Attempt, State: n.State, Branch: t.Branch(n.ID),
			Advantages:      spread(advantages[i], n.State.Len()),
			OutcomeAdaptive: w.live.Strategy.OutcomeAdaptive(),
		})
		i++
	}
	return dataset.Group{
		ID:   rollout.GroupID(rollout.DeriveID("group", w.seed, string(t.Task.ID))),
		Task: t.Task, Trees: []dataset.Tree{out},
	}, nil
}

// returned is what a leaf is credited for; nil when nobody scored it.
func returned(n *search.Node) *float64 {
	if v, ok := n.State.Return(); ok {
		return &v
	}
	return nil
}

// spread gives every turn of a rollout its advantage.
func spread(a *float64, turns int) []float64 {
	if a == nil {
		return nil
	}
	out := make([]float64, turns)
	for i := range out {
		out[i] = *a
	}
	return out
}
