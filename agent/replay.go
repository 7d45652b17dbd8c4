package agent

import (
	"context"
	"fmt"

	"focus/env"
	"focus/rollout"
)

// ReplayError says that a world that was rebuilt is not the one that was
// recorded. It is an infrastructure failure: the policy cannot have caused it.
type ReplayError struct {
	Task rollout.TaskID
	// Turn is where the worlds part.
	Turn int
	// Want and Got are the environment's hashes of the observations.
	Want, Got string
}

func (e *ReplayError) Error() string {
	return fmt.Sprintf("replay task %s: turn %d observed %q, the record has %q: the environment does not repeat itself", e.Task, e.Turn, e.Got, e.Want)
}

// Cause is the word it is counted under.
func (e *ReplayError) Cause() string { return "replay_differs" }

// Temporary reports false: the same actions would part again.
func (e *ReplayError) Temporary() bool { return false }

// ReplayCalls is how many tool calls it takes to rebuild the world of s; 0
// where the world is not branched by replay.
func (a *Agent) ReplayCalls(s rollout.State) int {
	if env.BranchingOf(a.cfg.Env) != env.ByReplay {
		return 0
	}
	n := 0
	for t := range s.Turns() {
		if t.Transition != nil {
			n += t.Transition.ToolCalls
		}
	}
	return n
}

// replay resets the world and applies the recorded actions again, each
// observation compared with the record's by its hash. The conversation was
// never rewritten: a compaction may have changed the world's state.
func (a *Agent) replay(ctx context.Context, s rollout.State, branch string) (rollout.State, error) {
	if s.ContextVersion > 0 {
		return s, fmt.Errorf("replay task %s, branch %q: the conversation was rewritten, and a rewrite cannot be replayed", s.Task.ID, s.Branch)
	}
	r := a.cfg.Env.(env.Replayer)
	start, err := a.cfg.Env.Reset(ctx, s.Task)
	if err != nil {
		return s, fmt.Errorf("replay task %s: reset: %w", s.Task.ID, err)
	}
	w, i := start.World, -1
	for t := range s.Turns() {
		i++
		if t.Transition == nil {
			continue
		}
		next, tr, err := a.cfg.Env.Step(ctx, w, t.Transition.Action)
		if err == nil {
			want, got := r.ObservationHash(t.Transition), r.ObservationHash(tr)
			if want != got {
				err = &ReplayError{Task: s.Task.ID, Turn: i, Want: want, Got: got}
			}
		}
		if err != nil {
			if w.Workspace != nil {
				_ = w.Workspace.Close()
			}
			return s, fmt.Errorf("replay turn %d of task %s: %w", i, s.Task.ID, err)
		}
		w = next
	}
	s.Env, s.Workspace, s.Branch = w.State, w.Workspace, branch
	return s, nil
}
