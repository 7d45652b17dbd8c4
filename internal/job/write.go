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
func (w *writer) write(groups <-chan *search.Tree) error {
	ordered, stop := make(chan chan built, runtime.GOMAXPROCS(0)), make(chan struct{})
	var builders sync.WaitGroup
	builders.Go(func() {
		defer close(ordered)
		for {
			var t *search.Tree
			var more bool
			select {
			case t, more = <-groups:
			case <-stop:
			}
			if !more {
				return
			}
			one := make(chan built, 1)
			builders.Go(func() { one <- w.build(t) })
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
	defer release(t)
	g, err := w.group(t)
	if err != nil {
		return built{task: t.Task.ID, err: err}
	}
	rows, err := dataset.Build(g)
	return built{t.Task.ID, rows, err}
}

// group describes a tree and its credit to the data set.
func (w *writer) group(t *search.Tree) (dataset.Group, error) {
	c, err := judge(t, w.live.Estimate)
	if err != nil {
		return dataset.Group{}, err
	}
	return dataset.Group{
		ID:   rollout.GroupID(rollout.DeriveID("group", w.seed, string(t.Task.ID))),
		Task: t.Task, Trees: []dataset.Tree{{ID: t.ID, Edges: c.edges(), Lines: w.lines(c)}},
	}, nil
}
