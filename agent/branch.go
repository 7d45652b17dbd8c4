package agent

import (
	"context"
	"fmt"

	"focus/env"
	"focus/rollout"
)

// Branch continues from a checkpoint on a line of its own, the way the world
// allows: see [env.Branching]. The checkpoint stays as it is.
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
	case env.ByReplay:
		// The world is made anew at each branch.
		s.Workspace = nil
	}
	return s, nil
}

func (a *Agent) fork(ctx context.Context, s rollout.State, branch string) (rollout.State, error) {
	w, err := a.cfg.Env.(env.Forker).Fork(ctx, env.World{State: s.Env, Workspace: s.Workspace})
	if err != nil {
		return s, fmt.Errorf("fork the world of task %s, branch %q, at turn %d: %w", s.Task.ID, s.Branch, s.Len(), err)
	}
	s.Env, s.Workspace, s.Branch = w.State, w.Workspace, branch
	return s, nil
}
