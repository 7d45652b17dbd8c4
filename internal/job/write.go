package job

import (
	"fmt"
	"runtime"
	"sync"

	"focus/dataset"
	"focus/rollout"
	"focus/search"
)

// writer credits, builds and writes finished groups.
type writer struct {
	live *Live
	seed string
	out  *dataset.Writer
	// groups and rows were written.
	groups, rows int
}

// built is the rows of a group, or why there are none.
type built struct {
	task rollout.TaskID
	rows dataset.Rows
	err  error
}

// write takes groups until there are no more, or one cannot be written. Groups
// are built side by side, which is pure, and written one by one in the order
// they came in.
func (w *writer) write(groups <-chan *search.Search) error {
	ordered, stop := make(chan chan built, runtime.GOMAXPROCS(0)), make(chan struct{})
	var builders sync.WaitGroup
	builders.Go(func() {
		defer close(ordered)
		for {
			var s *search.Search
			var more bool
			select {
			case s, more = <-groups:
			case <-stop:
			}
			if !more {
				return
			}
			one := make(chan built, 1)
			builders.Go(func() { one <- w.build(s.Tree()) })
			select {
			case ordered <- one:
			case <-stop:
				return
			}
		}
	})
	defer builders.Wait()
	defer close(stop)
	for one := range ordered {
		b := <-one
		if b.err == nil {
			b.err = w.out.Write(b.rows)
		}
		if b.err != nil {
			return fmt.Errorf("write group of task %s: %w", b.task, b.err)
		}
		w.groups, w.rows = w.groups+1, w.rows+len(b.rows.Samples)
	}
	return nil
}

func (w *writer) build(t *search.Tree) built {
	g, err := w.group(t)
	if err != nil {
		return built{task: t.Task.ID, err: err}
	}
	rows, err := dataset.Build(g)
	return built{t.Task.ID, rows, err}
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
