package env

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"focus/rollout"
)

// Episode is the world state of a [ToolEnv]: the game's own state and what the
// environment keeps beside it. It is a value and is never changed in place.
type Episode[S any] struct {
	State  S
	Budget RoundBudget
	// ToolTime is how long tools have run; kept only under [Limits.EpisodeTime].
	ToolTime time.Duration
	// Over says that a transition ended the episode.
	Over bool
}

// Counter finds a counter of the budget, else of the game's state.
func (ep Episode[S]) Counter(name string) (int, bool) {
	if v, ok := ep.Budget.Counter(name); ok {
		return v, true
	}
	if c, ok := any(ep.State).(Counters); ok {
		return c.Counter(name)
	}
	return 0, false
}

// WithCounter sets a counter of the budget, else of the game's state, and
// gives an Episode.
func (ep Episode[S]) WithCounter(name string, value int) any {
	if _, ok := ep.Budget.Counter(name); ok {
		ep.Budget = ep.Budget.WithCounter(name, value).(RoundBudget)
		return ep
	}
	if c, ok := any(ep.State).(Counters); ok {
		if s, ok := c.WithCounter(name, value).(S); ok {
			ep.State = s
		}
	}
	return ep
}

// snapshot is the form of an Episode in a journal.
type snapshot struct {
	State     json.RawMessage `json:"state"`
	Budget    *RoundBudget    `json:"budget,omitempty"`
	ToolTime  time.Duration   `json:"tool_time,omitempty"`
	Over      bool            `json:"over,omitempty"`
	Workspace []byte          `json:"workspace,omitempty"`
}

// WorkspaceSnapshotter is a workspace that writes its content to bytes.
type WorkspaceSnapshotter interface{ Snapshot() ([]byte, error) }

// Snapshot writes the exported fields of the game's state as JSON, with the
// workspace's content.
func (e *ToolEnv[S]) Snapshot(w World) ([]byte, error) {
	ep, err := e.episode(w)
	if err != nil {
		return nil, err
	}
	state, err := json.Marshal(ep.State)
	if err != nil {
		return nil, fmt.Errorf("snapshot %s state: %w", e.cfg.Name, err)
	}
	out := snapshot{State: state, ToolTime: ep.ToolTime, Over: ep.Over}
	if ep.Budget.Limited() {
		out.Budget = &ep.Budget
	}
	if w.Workspace != nil {
		ws, ok := w.Workspace.(WorkspaceSnapshotter)
		if !ok {
			return nil, fmt.Errorf("snapshot %s: workspace %T cannot be written to bytes", e.cfg.Name, w.Workspace)
		}
		if out.Workspace, err = ws.Snapshot(); err != nil {
			return nil, fmt.Errorf("snapshot %s workspace: %w", e.cfg.Name, err)
		}
	}
	return json.Marshal(out)
}

// Restore opens the task anew and lays a snapshot over it, so that what
// follows from the task alone need not be in the snapshot.
func (e *ToolEnv[S]) Restore(ctx context.Context, task rollout.Task, b []byte) (World, error) {
	var in snapshot
	if err := json.Unmarshal(b, &in); err != nil {
		return World{}, fmt.Errorf("restore task %s: %w", task.ID, err)
	}
	state, _, err := e.cfg.Open(ctx, task)
	if err != nil {
		return World{}, fmt.Errorf("restore task %s: open: %w", task.ID, err)
	}
	if err := json.Unmarshal(in.State, &state); err != nil {
		return World{}, fmt.Errorf("restore task %s: state: %w", task.ID, err)
	}
	ep := Episode[S]{State: state, ToolTime: in.ToolTime, Over: in.Over}
	if in.Budget != nil {
		ep.Budget = *in.Budget
	}
	ws, err := e.cfg.Workspaces.Restore(ctx, task, in.Workspace)
	if err != nil {
		return World{}, fmt.Errorf("restore task %s: workspace: %w", task.ID, err)
	}
	return World{State: ep, Workspace: ws}, nil
}

func (e *ToolEnv[S]) episode(w World) (Episode[S], error) {
	ep, ok := w.State.(Episode[S])
	if !ok {
		return Episode[S]{}, fmt.Errorf("%s: the world's state is a %T, not of this environment", e.cfg.Name, w.State)
	}
	return ep, nil
}
