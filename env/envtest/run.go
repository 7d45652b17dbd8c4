package envtest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/rollout"
)

// Run checks an environment; newEnv is called once for each part of the suite.
func Run(t *testing.T, newEnv func(*testing.T) env.Env, cases ...Case) {
	t.Helper()
	require.NotEmpty(t, cases, "the suite needs a case")
	parts := []struct {
		name  string
		check func(*testing.T, env.Env, Case)
	}{
		{"reset gives the same world", checkReset},
		{"a script plays the same twice", checkReplay},
		{"a step leaves the given state alone", checkPure},
		{"forks do not see each other", checkForks},
		{"a branch is as good as its origin", checkBranching},
		{"finish is done", checkFinish},
		{"no step after the end", checkEnd},
		{"bad actions are observations", checkHostile},
		{"a cancelled context is an error", checkCancelled},
		{"snapshots restore", checkSnapshot},
		{"counters are values", checkCounters},
		{"rollouts run at once", checkConcurrent},
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) {
			for _, c := range cases {
				p.check(t, opened(t, newEnv), c)
			}
		})
	}
	t.Run("tools are described", func(t *testing.T) { checkTools(t, opened(t, newEnv)) })
}

func opened(t *testing.T, newEnv func(*testing.T) env.Env) env.Env {
	e := newEnv(t)
	if c, ok := e.(io.Closer); ok {
		t.Cleanup(func() { require.NoError(t, c.Close()) })
	}
	return e
}

func checkReset(t *testing.T, e env.Env, c Case) {
	a, b := reset(t, e, c.Task), reset(t, e, c.Task)
	require.NotEmpty(t, a.Messages, "seed conversation of task %s", c.Task.ID)
	require.Equal(t, a.Messages, b.Messages)
	require.Equal(t, snapshotOf(t, e, a.World), snapshotOf(t, e, b.World))
}

func checkReplay(t *testing.T, e env.Env, c Case) {
	_, first := play(t, e, reset(t, e, c.Task).World, c.Script)
	_, second := play(t, e, reset(t, e, c.Task).World, c.Script)
	require.Equal(t, first, second)
}

func checkPure(t *testing.T, e env.Env, c Case) {
	twin := func() any { return reset(t, e, c.Task).World.State }
	fresh := twin()
	if !pure(e) || !reflect.DeepEqual(fresh, twin()) {
		t.Skip("its states cannot be compared")
	}
	start := reset(t, e, c.Task).World
	worlds, views := play(t, e, forked(t, e, start), c.Script)
	require.Equal(t, fresh, start.State, "playing changed the first state")
	// Stepping again from each state on the way must see what it saw then.
	w := reset(t, e, c.Task).World
	for i, a := range c.Script {
		again, tr := step(t, e, env.World{State: worlds[i].State, Workspace: w.Workspace}, a)
		require.Equal(t, views[i], viewOf(tr), "action %d from a kept state", i+1)
		require.Equal(t, worlds[i+1].State, again.State, "state after action %d", i+1)
		w = again
	}
}

func checkForks(t *testing.T, e env.Env, c Case) {
	if !branchable(e) {
		t.Skip("it cannot be branched")
	}
	for i := range c.Script {
		w := reset(t, e, c.Task).World
		for _, a := range c.Script[:i] {
			w, _ = step(t, e, w, a)
		}
		before := snapshotOf(t, e, w)
		_, views := play(t, e, forked(t, e, w), c.Script[i:])
		require.Equal(t, before, snapshotOf(t, e, w), "a fork after %d actions changed what it was forked from", i)
		_, again := play(t, e, w, c.Script[i:])
		require.Equal(t, views, again, "the branches after %d actions differ", i)
	}
}

func checkEnd(t *testing.T, e env.Env, c Case) {
	worlds, _ := play(t, e, reset(t, e, c.Task).World, c.Script)
	last := c.Script[len(c.Script)-1]
	_, _, err := e.Step(t.Context(), worlds[len(worlds)-1], last)
	require.Error(t, err, "a step after the end is a defect of the caller")
}

func checkCancelled(t *testing.T, e env.Env, c Case) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := e.Reset(ctx, c.Task)
	require.ErrorIs(t, err, context.Canceled, "reset")
	w := reset(t, e, c.Task).World
	_, tr, err := e.Step(ctx, w, c.Script[0])
	require.ErrorIs(t, err, context.Canceled, "step")
	require.Nil(t, tr, "an error comes without a transition")
	_, _, err = e.Finish(ctx, w, rollout.Text{})
	require.ErrorIs(t, err, context.Canceled, "finish")
	play(t, e, w, c.Script) // the world is as good as before
}

func checkSnapshot(t *testing.T, e env.Env, c Case) {
	s, ok := e.(env.Snapshotter)
	if !ok {
		t.Skip("it writes no snapshots")
	}
	worlds, views := play(t, e, reset(t, e, c.Task).World, c.Script)
	for i := range c.Script {
		w := reset(t, e, c.Task).World
		for _, a := range c.Script[:i] {
			w, _ = step(t, e, w, a)
		}
		b := snapshotOf(t, e, w)
		back, err := s.Restore(t.Context(), c.Task, b)
		require.NoError(t, err, "restore %s", b)
		closeAfter(t, back)
		require.Equal(t, worlds[i].State, back.State, "restored state after %d actions", i)
		require.Equal(t, b, snapshotOf(t, e, back), "snapshot of the restored world")
		_, again := play(t, e, back, c.Script[i:])
		require.Equal(t, views[i:], again, "play from the snapshot after %d actions", i)
	}
	for _, b := range [][]byte{nil, []byte("null"), []byte("{"), []byte(`{"state":7}`)} {
		if back, err := s.Restore(t.Context(), c.Task, b); err == nil {
			closeAfter(t, back)
			play(t, e, back, c.Script)
		}
	}
}

// snapshotOf is nil when the environment writes none.
func snapshotOf(t *testing.T, e env.Env, w env.World) []byte {
	s, ok := e.(env.Snapshotter)
	if !ok {
		return nil
	}
	b, err := s.Snapshot(w)
	require.NoError(t, err, "snapshot")
	return b
}

func checkCounters(t *testing.T, e env.Env, c Case) {
	w := reset(t, e, c.Task).World
	counters, ok := w.State.(env.Counters)
	if !ok {
		t.Skip("its states have no counters")
	}
	most, ok := counters.Counter(env.CallsMax)
	if !ok {
		t.Skip("there is no call budget")
	}
	next, ok := counters.WithCounter(env.CallsRemaining, most+5).(env.Counters)
	require.True(t, ok, "a state with a counter set has counters still")
	left, _ := next.Counter(env.CallsRemaining)
	require.Equal(t, most+5, left)
	left, _ = counters.Counter(env.CallsRemaining)
	require.Equal(t, most, left, "setting a counter changed the first state")
	play(t, e, env.World{State: next, Workspace: w.Workspace}, c.Script)
}

func checkConcurrent(t *testing.T, e env.Env, c Case) {
	_, want := play(t, e, reset(t, e, c.Task).World, c.Script)
	var wg sync.WaitGroup
	results := make([][]*rollout.Transition, 16)
	errs := make([]error, len(results))
	for i := range results {
		wg.Go(func() { results[i], errs[i] = playQuietly(t.Context(), e, c) })
	}
	wg.Wait()
	for i, trs := range results {
		require.NoError(t, errs[i])
		got := []view{}
		for _, tr := range trs {
			got = append(got, viewOf(tr))
		}
		require.Equal(t, want, got)
	}
}

// playQuietly is play for goroutines, which must not fail a test themselves.
func playQuietly(ctx context.Context, e env.Env, c Case) (out []*rollout.Transition, err error) {
	start, err := e.Reset(ctx, c.Task)
	if err != nil {
		return nil, err
	}
	w := start.World
	defer func() { err = errors.Join(err, start.World.Close()) }()
	for _, a := range c.Script {
		var tr *rollout.Transition
		if w, tr, err = e.Step(ctx, w, a); err != nil {
			return nil, err
		}
		out = append(out, tr)
	}
	return out, nil
}

func checkTools(t *testing.T, e env.Env) {
	tooled, ok := e.(env.Tooled)
	if !ok {
		t.Skip("it offers no tools")
	}
	seen := map[string]bool{}
	for _, s := range tooled.Tools() {
		require.NotEmpty(t, s.Name)
		require.False(t, seen[s.Name], "tool %s is there twice", s.Name)
		seen[s.Name] = true
		require.NotEmpty(t, s.Description, "tool %s", s.Name)
		var parameters struct {
			Type string `json:"type"`
		}
		require.NoError(t, json.Unmarshal(s.Parameters, &parameters), "parameters of %s", s.Name)
		require.Equal(t, "object", parameters.Type, "parameters of %s", s.Name)
	}
}
