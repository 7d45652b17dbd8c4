package envtest_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/env/envtest"
	"focus/rollout"
)

// tally counts to three in its workspace and in its state.
type tally struct{ N int }

func newTally(t *testing.T) *env.ToolEnv[tally] {
	schema := rollout.ToolSchema{Name: "add", Description: "Add one.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}
	memory, err := env.MemoryWorkspaces(env.MemoryConfig{})
	require.NoError(t, err)
	add := env.WriteTool(schema, func(_ context.Context, c env.Call[tally], _ struct{}) (env.Effect[tally], error) {
		store := c.Workspace.(env.Store)
		log, _ := store.Read("log")
		log = append(log, '+')
		n := c.State.N + 1
		return env.Effect[tally]{State: tally{n}, Result: string(log), Done: n == 3}, store.Write("log", log)
	})
	e, err := env.NewToolEnv(env.ToolConfig[tally]{
		Name: "tally", Tools: []env.Tool[tally]{add}, Workspaces: memory,
		Open: func(context.Context, rollout.Task) (tally, []rollout.Message, error) {
			return tally{}, []rollout.Message{rollout.User("count")}, nil
		},
	})
	require.NoError(t, err)
	return e
}

func tallyCase() envtest.Case {
	add := rollout.Calls{Calls: []rollout.ToolCall{{ID: "c", Name: "add", Arguments: json.RawMessage(`{}`)}}}
	return envtest.Case{Task: rollout.Task{ID: "t"}, Script: []rollout.Action{add, add, add}}
}

// broken is the tally with one defect.
type broken struct {
	*env.ToolEnv[tally]
	defect string
	resets atomic.Int64
}

func (b *broken) Reset(ctx context.Context, task rollout.Task) (env.Start, error) {
	if b.defect == "ignores cancel" {
		ctx = context.WithoutCancel(ctx)
	}
	start, err := b.ToolEnv.Reset(ctx, task)
	b.resets.Add(1)
	if b.defect == "resets differently" && b.resets.Load()%2 == 0 {
		start.Messages = append(start.Messages, rollout.User("again"))
	}
	if b.defect == "shares workspaces" {
		start.World.Workspace = shared{start.World.Workspace}
	}
	return start, err
}

func (b *broken) Step(ctx context.Context, w env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	ep := w.State.(env.Episode[tally])
	inner := w
	if s, ok := w.Workspace.(shared); ok {
		inner.Workspace = s.Workspace
	}
	if b.defect == "steps after the end" {
		ep.Over = false
		inner.State = ep
	}
	next, tr, err := b.ToolEnv.Step(ctx, inner, a)
	next.Workspace = w.Workspace
	if err != nil {
		return next, tr, err
	}
	switch b.defect {
	case "hides state in itself":
		b.resets.Add(1)
		tr.Observations = append(tr.Observations, rollout.User(string(rune('a'+b.resets.Load()%26))))
	case "fails on bad actions":
		if tr.Failure != nil {
			return w, nil, tr.Failure
		}
	case "says nothing":
		if tr.Failure != nil {
			tr.Observations = nil
		}
	case "writes garbage":
		tr.Observations = append(tr.Observations, rollout.User("\xff"))
	case "scores a broken world":
		tr.Failure = &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: "x"}
	}
	return next, tr, err
}

func (b *broken) Finish(ctx context.Context, w env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	next, tr, err := b.ToolEnv.Finish(ctx, w, a)
	if b.defect == "goes on after finish" && err == nil {
		tr.Done = false
	}
	return next, tr, err
}

func (b *broken) Restore(ctx context.Context, task rollout.Task, snapshot []byte) (env.World, error) {
	w, err := b.ToolEnv.Restore(ctx, task, snapshot)
	if ep, ok := w.State.(env.Episode[tally]); ok && b.defect == "restores the start" {
		ep.State = tally{}
		w.State = ep
	}
	return w, err
}

func (b *broken) Tools() []rollout.ToolSchema {
	if b.defect == "describes a tool twice" {
		return append(b.ToolEnv.Tools(), b.ToolEnv.Tools()...)
	}
	return b.ToolEnv.Tools()
}

// shared forks into itself.
type shared struct{ rollout.Workspace }

func (s shared) Fork() (rollout.Workspace, error)  { return s, nil }
func (s shared) Snapshot() ([]byte, error)         { return s.Workspace.(*env.Memory).Snapshot() }
func (s shared) Close() error                      { return s.Workspace.Close() }
func (s shared) Read(name string) ([]byte, error)  { return s.Workspace.(*env.Memory).Read(name) }
func (s shared) Write(name string, b []byte) error { return s.Workspace.(*env.Memory).Write(name, b) }
func (s shared) List() ([]string, error)           { return s.Workspace.(*env.Memory).List() }

func TestSoundEnvironmentPasses(t *testing.T) {
	envtest.Run(t, func(t *testing.T) env.Env { return newTally(t) }, tallyCase())
}

// newLeaky writes into the state it was given.
func newLeaky(t *testing.T) env.Env {
	schema := rollout.ToolSchema{Name: "add", Description: "Add one.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}
	add := env.WriteTool(schema, func(_ context.Context, c env.Call[map[string]int], _ struct{}) (env.Effect[map[string]int], error) {
		c.State["n"]++
		return env.Effect[map[string]int]{State: c.State, Result: "added", Done: c.State["n"] >= 3}, nil
	})
	e, err := env.NewToolEnv(env.ToolConfig[map[string]int]{
		Name: "leaky", Tools: []env.Tool[map[string]int]{add},
		Open: func(context.Context, rollout.Task) (map[string]int, []rollout.Message, error) {
			return map[string]int{"n": 0}, []rollout.Message{rollout.User("count")}, nil
		},
	})
	require.NoError(t, err)
	return e
}

const defectVariable = "ENVTEST_DEFECT"

// TestBroken is run by TestSuiteFindsDefects in a process of its own.
func TestBroken(t *testing.T) {
	defect := os.Getenv(defectVariable)
	if defect == "" {
		t.Skip("no defect asked for")
	}
	envtest.Run(t, func(t *testing.T) env.Env {
		switch defect {
		case "writes into states":
			return newLeaky(t)
		case "shares sessions", "forks the start", "closes its origin":
			return &badForks{defect: defect}
		case "replays differently", "hashes nothing":
			return &badReplays{defect: defect}
		case "holds something":
			return &held{}
		}
		return &broken{ToolEnv: newTally(t), defect: defect}
	}, caseOf(defect))
}

func TestSuiteFindsDefects(t *testing.T) {
	binary, err := os.Executable()
	require.NoError(t, err)
	run := func(defect string) (string, error) {
		cmd := exec.CommandContext(t.Context(), binary, "-test.run=^TestBroken$")
		cmd.Env = append(os.Environ(), defectVariable+"="+defect)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("none")
	require.NoError(t, err, "the wrapper itself has a defect: %s", out)
	for defect, part := range map[string]string{
		"resets differently":     "reset_gives_the_same_world",
		"hides state in itself":  "a_script_plays_the_same_twice",
		"writes into states":     "a_step_leaves_the_given_state_alone",
		"shares workspaces":      "forks_do_not_see_each_other",
		"goes on after finish":   "finish_is_done",
		"steps after the end":    "no_step_after_the_end",
		"fails on bad actions":   "bad_actions_are_observations",
		"says nothing":           "bad_actions_are_observations",
		"writes garbage":         "a_script_plays_the_same_twice",
		"scores a broken world":  "a_script_plays_the_same_twice",
		"ignores cancel":         "a_cancelled_context_is_an_error",
		"restores the start":     "snapshots_restore",
		"describes a tool twice": "tools_are_described",
		"shares sessions":        "forks_do_not_see_each_other",
		"forks the start":        "a_branch_is_as_good_as_its_origin",
		"closes its origin":      "a_branch_is_as_good_as_its_origin",
		"replays differently":    "a_branch_is_as_good_as_its_origin",
		"hashes nothing":         "a_branch_is_as_good_as_its_origin",
		"holds something":        "a_branch_is_as_good_as_its_origin",
	} {
		t.Run(defect, func(t *testing.T) {
			out, err := run(defect)
			require.Error(t, err, "the suite passed")
			require.Contains(t, out, "--- FAIL: TestBroken/"+part)
		})
	}
}
