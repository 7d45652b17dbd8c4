package job

import (
	"context"
	"errors"
	"fmt"

	"focus/rollout"
	"focus/search"
)

// engine owns the searches of a run. All its methods run on one goroutine; the
// rollouts play on others and answer on results.
type engine struct {
	live    *Live
	seed    string
	limit   int
	results chan played
	groups  chan<- *search.Tree
	// broken is closed when nobody takes groups any more.
	broken <-chan struct{}
	// stop is closed when no task may be admitted any more.
	stop  <-chan struct{}
	count *Counters

	next     int       // the next task to admit
	ready    []*active // searches that may have something to expand
	inFlight int
	open     map[*active]bool // admitted and not finished
	ended    int              // rollouts that ended, cancelled ones left out
	failed   int              // rollouts failed in a row
	last     *rollout.Failure
	gaveUp   error
}

// active is a search under way.
type active struct {
	search *search.Search
	queued bool // in ready
}

// played is the result of one expansion.
type played struct {
	of     *active
	result search.Result
	// fatal is an error after which no reply can be trusted.
	fatal error
}

// run plays every task, or until it is stopped or gives up, and returns when
// nothing is in flight. Groups that finished were handed on.
func (e *engine) run(ctx context.Context) error {
	for {
		for e.inFlight < e.limit && ctx.Err() == nil {
			a, x, ok := e.expansion()
			if !ok {
				break
			}
			e.inFlight++
			e.count.inFlight.Store(int64(e.inFlight))
			// The tree grows on this goroutine, so what a rollout starts from is
			// read here.
			tree := a.search.Tree()
			go e.play(ctx, a, start{tree.Task, tree.Node(x.From).State, x})
		}
		if e.inFlight == 0 {
			e.abandon()
			return e.verdict()
		}
		p := <-e.results
		e.inFlight--
		e.count.inFlight.Store(int64(e.inFlight))
		if err := e.apply(p); err != nil {
			return errors.Join(err, e.drain())
		}
	}
}

// verdict is the error of a run that has ended. A run that no rollout finished
// of is no success, however short it was.
func (e *engine) verdict() error {
	if e.gaveUp == nil && e.failed > 0 && e.failed == e.ended {
		e.gaveUp = &GaveUpError{InARow: e.failed, Last: e.last}
	}
	return e.gaveUp
}

// drain waits for what is in flight and drops it.
func (e *engine) drain() error {
	for ; e.inFlight > 0; e.inFlight-- {
		for _, c := range (<-e.results).result.Path {
			closed(c.State)
		}
	}
	e.abandon()
	return e.gaveUp
}

// abandon drops the trees that were cut short.
func (e *engine) abandon() {
	for a := range e.open {
		release(a.search.Tree())
		e.count.dropped.Add(1)
		delete(e.open, a)
	}
}

// expansion is the next edge to play: of a search under way, else of a task
// that is admitted for it.
func (e *engine) expansion() (*active, search.Expansion, bool) {
	for {
		for len(e.ready) > 0 {
			a := e.ready[0]
			if x, ok := a.search.Next(); ok {
				return a, x, true
			}
			a.queued = false
			e.ready = e.ready[1:]
		}
		if !e.admit() {
			return nil, search.Expansion{}, false
		}
	}
}

// admit opens the search of the next task.
func (e *engine) admit() bool {
	select {
	case <-e.stop:
		return false
	default:
	}
	if e.next >= len(e.live.Tasks) || e.gaveUp != nil {
		return false
	}
	task := e.live.Tasks[e.next]
	e.next++
	tree := search.NewTree(rollout.TreeID(rollout.DeriveID("tree", e.seed, string(task.ID))), task)
	s, err := search.New(tree, e.live.Strategy, search.Config{Seed: e.seed, Bound: e.live.bound})
	if err != nil {
		e.gaveUp = err
		return false
	}
	a := &active{search: s}
	e.open[a] = true
	if s.Done() {
		// Its limits let it ask for nothing.
		e.finish(a)
		return true
	}
	e.enqueue(a)
	return true
}

func (e *engine) enqueue(a *active) {
	if !a.queued {
		a.queued = true
		e.ready = append(e.ready, a)
	}
}

// apply takes a result, and hands the group on when it was the last.
func (e *engine) apply(p played) error {
	e.count.rollout(p.result)
	e.watch(p.result)
	if p.fatal != nil && e.gaveUp == nil {
		e.gaveUp = &GaveUpError{Last: p.result.Failure}
	}
	if err := p.of.search.Apply(p.result); err != nil {
		return err
	}
	if !p.of.search.Done() {
		e.enqueue(p.of)
		return nil
	}
	e.finish(p.of)
	return nil
}

// finish hands the tree of a search that is done on to the writer.
func (e *engine) finish(a *active) {
	delete(e.open, a)
	tree := a.search.Tree()
	if cancelled(tree) {
		release(tree)
		e.count.dropped.Add(1)
		return
	}
	select {
	case e.groups <- tree:
	case <-e.broken:
		release(tree)
		e.count.dropped.Add(1)
	}
}

// watch gives up when nothing but failures comes back.
func (e *engine) watch(r search.Result) {
	switch {
	case r.End().State.Reason() == rollout.StopCancelled:
		return
	case r.Failure == nil:
		e.ended, e.failed = e.ended+1, 0
		return
	}
	e.ended, e.failed, e.last = e.ended+1, e.failed+1, r.Failure
	limit := e.live.Plan.Config.Run.GiveUpAfter
	if limit > 0 && e.failed >= limit && e.gaveUp == nil {
		e.gaveUp = &GaveUpError{InARow: e.failed, Last: r.Failure}
	}
}

// cancelled reports whether a second stop cut a rollout of the tree short.
func cancelled(t *search.Tree) bool {
	for n := range t.Nodes() {
		if n.State.Stop == rollout.StopCancelled {
			return true
		}
	}
	return false
}

// GaveUpError ends a job whose infrastructure keeps failing. What was finished
// is written.
type GaveUpError struct {
	// InARow rollouts failed; 0 when one failure was enough.
	InARow int
	Last   *rollout.Failure
}

func (e *GaveUpError) Error() string {
	if e.InARow == 0 {
		return fmt.Sprintf("stopped: no reply can be trusted any more: %v", e.Last)
	}
	return fmt.Sprintf("gave up after %d failed rollouts in a row, none finished between them; the last: %v", e.InARow, e.Last)
}
