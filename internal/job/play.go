package job

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"focus/agent"
	"focus/policy"
	"focus/rollout"
	"focus/search"
)

// Waits between the tries of one edge double from firstWait to longestWait.
const (
	firstWait   = 200 * time.Millisecond
	longestWait = 10 * time.Second
)

// start is what an edge begins with.
type start struct {
	task rollout.Task
	// from is the zero State at the root.
	from rollout.State
	x    search.Expansion
}

// play makes one edge, on a goroutine of its own, and answers on results.
func (e *engine) play(ctx context.Context, a *active, at start) {
	r, err := e.attempts(ctx, at)
	if !errors.Is(err, policy.ErrEcho) {
		err = nil
	}
	e.results <- played{a, r, err}
}

// attempts tries an edge until it ends, the tries are spent or ctx is done. The
// error is the last try's; the result is good whatever it is.
func (e *engine) attempts(ctx context.Context, at start) (search.Result, error) {
	tries := 1 + max(0, e.live.Plan.Config.Run.Retries)
	wait := firstWait
	out := search.Result{Ticket: at.x.Ticket}
	began := time.Now()
	for attempt := 1; ; attempt++ {
		out.Attempt = attempt
		l := &line{engine: e, start: at, s: agent.Lent(at.from)}
		l.s.Task, l.s.Branch = at.task, at.x.Branch
		err := l.play(ctx)
		out.Cost = out.Cost.Plus(l.cost)
		if err == nil {
			out.Path = l.path
			end := out.End().State
			if end.Reason() == rollout.StopFailed {
				out.Failure = end.Failure
			}
			out.Cost.WallTime = time.Since(began)
			return out, nil
		}
		f := rollout.InfrastructureFailure(err, "environment")
		s := closed(l.s)
		if ctx.Err() != nil {
			s.Stop = rollout.StopCancelled
			out.Path = append(l.path, search.Checkpoint{State: s})
			return out, err
		}
		e.count.failure(f.Cause)
		if attempt >= tries || permanent(err) {
			l.estimate(ctx) // what was kept on the way is as good as any
			out.Path = append(l.path, search.Checkpoint{State: s.Ended(rollout.StopFailed, f)})
			out.Failure = out.End().State.Failure
			out.Cost.WallTime = time.Since(began)
			return out, err
		}
		for _, c := range l.path {
			closed(c.State)
		}
		e.count.retries.Add(1)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, longestWait)
	}
}

// permanent is an error that the same request would meet again, and says so with
// a cause of its own: package net and the system call an unreachable server, or
// a full disk, no temporary matter either.
func permanent(err error) bool {
	if errors.Is(err, policy.ErrEcho) {
		return true
	}
	e, ok := errors.AsType[interface {
		error
		Cause() string
		Temporary() bool
	}](err)
	return ok && !e.Temporary()
}

// line is one try at an edge.
type line struct {
	engine *engine
	start
	// s is the last good state.
	s    rollout.State
	path []search.Checkpoint
	cost search.Cost
}

// play goes on from a checkpoint until the expansion ends.
func (l *line) play(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("play task %s, branch %q: panic: %v\n%s", l.task.ID, l.x.Branch, r, debug.Stack())
		}
	}()
	live := l.engine.live
	ag := live.under.agent(live.Agent, l.x.Law)
	if l.x.From == search.Root {
		var s rollout.State
		if s, err = ag.Start(ctx, l.task, l.x.Branch); err != nil {
			return err
		}
		l.s = s
	} else {
		s, err := ag.Branch(ctx, l.from, l.x.Branch)
		if err != nil {
			return err
		}
		l.s = s
		l.cost.ToolCalls += ag.ReplayCalls(l.from)
	}
	for decisions := 0; !l.s.Done(); {
		next, err := ag.Advance(ctx, l.s)
		if err != nil {
			return err
		}
		added, err := next.Edge(l.s)
		if err != nil {
			return err
		}
		l.charge(added)
		moved := len(added) > 0 || next.Compactions > l.s.Compactions
		l.s = next
		decisions += tasks(added)
		if l.s.Done() || !moved || !live.branchable(l.s) {
			continue
		}
		if l.x.Decisions > 0 && decisions >= l.x.Decisions {
			break
		}
		if l.x.Keep {
			kept, err := ag.Checkpoint(ctx, l.s)
			if err != nil {
				return err
			}
			l.path = append(l.path, live.checkpoint(kept, true))
		}
	}
	l.s = ag.Rest(l.s)
	l.path = append(l.path, live.checkpoint(l.s, !l.s.Done()))
	l.estimate(ctx)
	return nil
}

// charge counts what a step added.
func (l *line) charge(added []*rollout.Turn) {
	l.engine.count.step(added)
	for _, t := range added {
		l.cost.Turns++
		l.cost.PromptTokens += t.PrefixLen
		l.cost.GeneratedTokens += t.Context.Len() - t.PrefixLen
		if t.Transition != nil {
			l.cost.ToolCalls += t.Transition.ToolCalls
		}
	}
}

// tasks counts the decisions among turns.
func tasks(turns []*rollout.Turn) int {
	n := 0
	for _, t := range turns {
		if t.Tag == rollout.TagTask {
			n++
		}
	}
	return n
}

// closed is s when nobody goes on from it any more.
func closed(s rollout.State) rollout.State { return agent.Release(s) }

// release closes what the checkpoints of a finished tree hold.
func release(t *search.Tree) {
	for n := range t.Nodes() {
		n.State = closed(n.State)
	}
}
