package agent

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"focus/env"
	"focus/rollout"
)

// ReplayError says that a world that was rebuilt is not the one that was
// recorded. It is an infrastructure failure: the policy cannot have caused it.
type ReplayError struct {
	Task rollout.TaskID
	// Turn is where the worlds part; -1 is the reset.
	Turn int
	// Want and Got are the environment's hashes of the observations, or words.
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
func (a *Agent) replay(ctx context.Context, s rollout.State, branch string) (out rollout.State, err error) {
	if s.ContextVersion > 0 {
		return s, fmt.Errorf("replay task %s, branch %q: the conversation was rewritten, and a rewrite cannot be replayed", s.Task.ID, s.Branch)
	}
	start, err := a.cfg.Env.Reset(ctx, s.Task)
	if err != nil {
		return s, fmt.Errorf("replay task %s: reset: %w", s.Task.ID, err)
	}
	w, whole := start.World, false
	defer func() {
		if !whole {
			err = errors.Join(err, w.Close())
		}
	}()
	if !reflect.DeepEqual(start.Messages, s.Seed) {
		return s, &ReplayError{Task: s.Task.ID, Turn: -1, Want: "the same first messages", Got: "others"}
	}
	i := -1
	for t := range s.Turns() {
		i++
		if t.Transition == nil {
			continue
		}
		if w, err = a.again(ctx, w, t.Transition); err != nil {
			if part, ok := errors.AsType[*ReplayError](err); ok {
				part.Task, part.Turn = s.Task.ID, i
			}
			return s, fmt.Errorf("replay turn %d of task %s: %w", i, s.Task.ID, err)
		}
	}
	whole = true
	s.Env, s.Workspace, s.Branch = w.State, w.Workspace, branch
	return s, nil
}

// again applies a recorded action. On an error the world is what is there to be
// closed.
func (a *Agent) again(ctx context.Context, w env.World, recorded *rollout.Transition) (env.World, error) {
	next, tr, err := a.cfg.Env.Step(ctx, w, recorded.Action)
	if err != nil {
		return w, err
	}
	r := a.cfg.Env.(env.Replayer)
	want, got := r.ObservationHash(recorded), r.ObservationHash(tr)
	if tr.Done {
		got = "the end of the episode"
	}
	if want != got {
		return next, &ReplayError{Want: want, Got: got}
	}
	return next, nil
}
