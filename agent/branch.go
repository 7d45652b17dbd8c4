package agent

import (
	"context"
	"fmt"
	"io"

	"focus/env"
	"focus/rollout"
)

// Branch continues from a checkpoint on a line of its own, the way the world
// allows: see [env.Branching]. The checkpoint stays as it is, also on an error.
func (a *Agent) Branch(ctx context.Context, s rollout.State, branch string) (rollout.State, error) {
	switch env.BranchingOf(a.cfg.Env) {
	case env.ByValue:
		return s.Fork(branch)
	case env.ByFork:
		return a.fork(ctx, s, branch)
	case env.ByReplay:
		return a.replay(ctx, s, branch)
	}
	return s, fmt.Errorf("branch task %s at turn %d: the environment %T can only be started over", s.Task.ID, s.Len(), a.cfg.Env)
}

// Checkpoint is s as it must be kept when its line goes on: what the line may
// change is copied.
func (a *Agent) Checkpoint(ctx context.Context, s rollout.State) (rollout.State, error) {
	switch env.BranchingOf(a.cfg.Env) {
	case env.ByValue:
		return s.Fork(s.Branch)
	case env.ByFork:
		return a.fork(ctx, s, s.Branch)
	}
	// The world is made anew at each branch; this one belongs to the line.
	s.Env, s.Workspace = nil, nil
	return s, nil
}

// Rest is s as it must be kept when its line ends here and others may go on. A
// world that nobody would go on in is closed, here and now.
func (a *Agent) Rest(s rollout.State) rollout.State {
	switch env.BranchingOf(a.cfg.Env) {
	case env.ByValue, env.ByFork:
		if !s.Done() {
			return s
		}
	}
	return Release(s)
}

// Release closes what a state that nobody goes on from holds outside of values:
// its workspace, and the session of its world. What cannot be closed changes
// nothing about what the rollout did; a folder left behind is named by the
// world that made it.
func Release(s rollout.State) rollout.State {
	_ = world(s).Close()
	return Lent(s)
}

// Lent is s without what [Release] would close: what of a checkpoint may be
// looked at while it belongs to somebody else.
func Lent(s rollout.State) rollout.State {
	s.Workspace = nil
	if _, ok := s.Env.(io.Closer); ok {
		s.Env = nil
	}
	return s
}

func world(s rollout.State) env.World { return env.World{State: s.Env, Workspace: s.Workspace} }

func (a *Agent) fork(ctx context.Context, s rollout.State, branch string) (rollout.State, error) {
	w, err := a.cfg.Env.(env.Forker).Fork(ctx, world(s))
	if err != nil {
		return s, fmt.Errorf("fork the world of task %s, branch %q, at turn %d: %w", s.Task.ID, s.Branch, s.Len(), err)
	}
	s.Env, s.Workspace, s.Branch = w.State, w.Workspace, branch
	return s, nil
}
