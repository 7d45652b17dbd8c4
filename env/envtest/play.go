package envtest

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/rollout"
)

// Case is a task with the actions of one whole episode.
type Case struct {
	Task   rollout.Task
	Script []rollout.Action
}

// view is what two runs of the same step must agree on. A failure's detail is
// for a person and may name addresses.
type view struct {
	Observations    []rollout.Message
	Reward, Outcome *float64
	Done            bool
	Stop            rollout.StopReason
	ToolCalls       int
	Class           rollout.FailureClass
	Cause           string
}

func viewOf(tr *rollout.Transition) view {
	v := view{
		Observations: tr.Observations, Reward: tr.Reward, Outcome: tr.Outcome,
		Done: tr.Done, Stop: tr.Stop, ToolCalls: tr.ToolCalls,
	}
	if tr.Failure != nil {
		v.Class, v.Cause = tr.Failure.Class, tr.Failure.Cause
	}
	return v
}

func reset(t *testing.T, e env.Env, task rollout.Task) env.Start {
	t.Helper()
	start, err := e.Reset(t.Context(), task)
	require.NoError(t, err, "reset task %s", task.ID)
	closeAfter(t, start.World)
	return start
}

// closeAfter closes a world at the end, once: its workspace, and the session
// that its state and all that follow it stand for.
func closeAfter(t *testing.T, w env.World) {
	t.Cleanup(func() { require.NoError(t, w.Close()) })
}

// step checks what holds of every transition.
func step(t *testing.T, e env.Env, w env.World, a rollout.Action) (env.World, *rollout.Transition) {
	t.Helper()
	next, tr, err := e.Step(t.Context(), w, a)
	require.NoError(t, err, "step %#v", a)
	sound(t, a, tr)
	return next, tr
}

func sound(t *testing.T, a rollout.Action, tr *rollout.Transition) {
	t.Helper()
	require.NotNil(t, tr, "transition of %#v", a)
	require.Equal(t, a, tr.Action)
	for _, o := range tr.Observations {
		require.True(t, utf8.ValidString(o.Content), "observation %q of %#v is not valid UTF-8", o.Content, a)
	}
	if tr.Failure != nil {
		require.NotEmpty(t, tr.Failure.Cause, "failure of %#v without a cause", a)
		require.NotEqual(t, rollout.FailureInfrastructure, tr.Failure.Class, "an infrastructure failure is an error, not a transition: %#v", a)
	}
	if tr.Done {
		require.NotEmpty(t, tr.Stop.Sentence(), "stop reason %q of %#v is unknown", tr.Stop, a)
		require.True(t, tr.Stop.Scored(), "a transition cannot end with %q", tr.Stop)
	}
}

// play applies the rest of a script and gives the worlds, the first included,
// and the transitions.
func play(t *testing.T, e env.Env, w env.World, script []rollout.Action) ([]env.World, []view) {
	t.Helper()
	worlds, views := []env.World{w}, []view{}
	for i, a := range script {
		var tr *rollout.Transition
		w, tr = step(t, e, w, a)
		require.Equal(t, i == len(script)-1, tr.Done, "action %d of %d: done", i+1, len(script))
		worlds, views = append(worlds, w), append(views, viewOf(tr))
	}
	return worlds, views
}

// forked is another branch of a world.
func forked(t *testing.T, e env.Env, w env.World) env.World {
	t.Helper()
	if f, ok := e.(env.Forker); ok && !pure(e) {
		w, err := f.Fork(t.Context(), w)
		require.NoError(t, err, "fork")
		closeAfter(t, w)
		return w
	}
	if w.Workspace != nil {
		ws, err := w.Workspace.Fork()
		require.NoError(t, err, "fork workspace")
		closeAfter(t, env.World{Workspace: ws})
		w.Workspace = ws
	}
	return w
}

// pure reports whether a state may be stepped from twice: it is a value.
func pure(e env.Env) bool {
	_, snapshots := e.(env.Snapshotter)
	return env.BranchingOf(e) == env.ByValue || snapshots && env.BranchingOf(e) != env.ByFork
}

// branchable reports whether a world may be gone on from twice.
func branchable(e env.Env) bool { return pure(e) || env.BranchingOf(e) == env.ByFork }

// worlds gives worlds at a task's start: the same one each time where steps
// leave states alone, since opening one may be slow.
func worlds(t *testing.T, e env.Env, task rollout.Task) func() env.World {
	if !pure(e) {
		return func() env.World { return reset(t, e, task).World }
	}
	w := reset(t, e, task).World
	return func() env.World { return w }
}
