package envtest

import (
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/rollout"
)

// checkBranching holds an environment to the way it says it can be branched.
func checkBranching(t *testing.T, e env.Env, c Case) {
	switch env.BranchingOf(e) {
	case env.ByValue:
		for _, w := range played(t, e, c) {
			_, holds := w.State.(io.Closer)
			require.False(t, holds, "an immutable state that has to be closed: %T", w.State)
		}
	case env.ByFork:
		for i := range c.Script {
			checkForked(t, e.(env.Forker), e, c, i)
		}
	case env.ByReplay:
		for i := range c.Script {
			checkReplayed(t, e.(env.Replayer), e, c, i)
		}
		checkHashes(t, e.(env.Replayer), e, c)
	default:
		t.Skip("it can only be started over")
	}
}

func played(t *testing.T, e env.Env, c Case) []env.World {
	worlds, _ := play(t, e, reset(t, e, c.Task).World, c.Script)
	return worlds
}

// checkForked forks one world many times at once, plays and closes the forks
// beside each other, and goes on from the world itself last.
func checkForked(t *testing.T, f env.Forker, e env.Env, c Case, i int) {
	w := reset(t, e, c.Task).World
	for _, a := range c.Script[:i] {
		w, _ = step(t, e, w, a)
	}
	rest := c.Script[i:]
	views, errs := make([][]view, 4), make([]error, 4)
	var wg sync.WaitGroup
	for k := range views {
		wg.Go(func() { views[k], errs[k] = playFork(t, f, e, w, rest) })
	}
	wg.Wait()
	_, want := play(t, e, w, rest)
	for k := range views {
		require.NoError(t, errs[k], "a fork after %d actions", i)
		require.Equal(t, want, views[k], "a fork after %d actions", i)
	}
}

// playFork plays a fork to its end and closes it. It runs on a goroutine of its
// own, which must not fail a test itself.
func playFork(t *testing.T, f env.Forker, e env.Env, w env.World, script []rollout.Action) ([]view, error) {
	w, err := f.Fork(t.Context(), w)
	if err != nil {
		return nil, err
	}
	var out []view
	for _, a := range script {
		var tr *rollout.Transition
		if w, tr, err = e.Step(t.Context(), w, a); err != nil {
			return out, err
		}
		out = append(out, viewOf(tr))
	}
	return out, w.Close()
}

// checkReplayed rebuilds the world after some actions while the first one is
// there still, and goes on from both.
func checkReplayed(t *testing.T, r env.Replayer, e env.Env, c Case, i int) {
	first, second := reset(t, e, c.Task), reset(t, e, c.Task)
	require.Equal(t, first.Messages, second.Messages)
	recorded := make([]*rollout.Transition, i)
	w := first.World
	for k, a := range c.Script[:i] {
		w, recorded[k] = step(t, e, w, a)
	}
	again := second.World
	for k := range recorded {
		var tr *rollout.Transition
		again, tr = step(t, e, again, recorded[k].Action)
		require.Equal(t, r.ObservationHash(recorded[k]), r.ObservationHash(tr), "action %d of %d, replayed", k+1, i)
	}
	_, want := play(t, e, w, c.Script[i:])
	_, got := play(t, e, again, c.Script[i:])
	require.Equal(t, want, got, "a world rebuilt after %d actions", i)
}

// checkHashes refuses a hash that tells no observations apart.
func checkHashes(t *testing.T, r env.Replayer, e env.Env, c Case) {
	w := reset(t, e, c.Task).World
	said, hashes := map[string]bool{}, map[string]bool{}
	for _, a := range c.Script {
		var tr *rollout.Transition
		w, tr = step(t, e, w, a)
		said[env.HashObservations(tr)], hashes[r.ObservationHash(tr)] = true, true
	}
	if len(said) > 1 {
		require.Greater(t, len(hashes), 1, "%d different observations have one hash", len(said))
	}
}
