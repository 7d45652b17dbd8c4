package job

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"focus/policy"
	"focus/rollout"
	"focus/search"
)

// Waits between the tries of one rollout double from firstWait to longestWait.
const (
	firstWait   = 200 * time.Millisecond
	longestWait = 10 * time.Second
)

// start is what an edge begins with.
type start struct {
	task rollout.Task
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
	x := at.x
	tries := 1 + max(0, e.live.Plan.Config.Run.Retries)
	wait := firstWait
	for attempt := 1; ; attempt++ {
		s, err := e.edge(ctx, at)
		if err == nil {
			return result(x, closed(s), attempt), nil
		}
		s.Task, s.Branch = at.task, x.Branch
		s = closed(s)
		f := rollout.InfrastructureFailure(err, "environment")
		if ctx.Err() != nil {
			s.Stop = rollout.StopCancelled
			return search.Result{Ticket: x.Ticket, State: s, Attempt: attempt}, err
		}
		e.count.failure(f.Cause)
		if attempt >= tries || permanent(err) {
			return result(x, s.Ended(rollout.StopFailed, f), attempt), err
		}
		e.count.retries.Add(1)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, longestWait)
	}
}

func result(x search.Expansion, s rollout.State, attempt int) search.Result {
	r := search.Result{Ticket: x.Ticket, State: s, Attempt: attempt}
	if s.Reason() == rollout.StopFailed {
		r.Failure = s.Failure
	}
	return r
}

// permanent is an error that the same request would meet again.
func permanent(err error) bool {
	e, ok := errors.AsType[*policy.Error](err)
	return ok && !e.Temporary() || errors.Is(err, policy.ErrEcho)
}

// edge plays from a checkpoint to the end. The state that comes with an error
// is the last good one.
func (e *engine) edge(ctx context.Context, at start) (s rollout.State, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("play task %s, branch %q: panic: %v\n%s", at.task.ID, at.x.Branch, r, debug.Stack())
		}
	}()
	if at.from.Task.ID == "" {
		s, err = e.live.Agent.Start(ctx, at.task, at.x.Branch)
	} else {
		s, err = at.from.Fork(at.x.Branch)
	}
	if err != nil {
		return s, err
	}
	for !s.Done() {
		next, err := e.live.Agent.Advance(ctx, s)
		if err != nil {
			return s, err
		}
		e.count.step(s, next)
		s = next
	}
	return s, nil
}

// closed releases the workspace of a rollout that nobody goes on from.
func closed(s rollout.State) rollout.State {
	if s.Workspace != nil {
		// A workspace that cannot be released changes nothing about what the
		// rollout did; its folder is named by the world that made it.
		_ = s.Workspace.Close()
		s.Workspace = nil
	}
	return s
}
