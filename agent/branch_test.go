package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/env"
	"focus/env/envtest"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

func note(word string) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": \"note\", \"arguments\": {\"word\": %q}}\n</tool_call>", word)
}

// notes is an agent whose policy notes a word a turn: its branch, and the turn.
func notes(t *testing.T, w env.Env) *Agent {
	return made(t, Config{Env: w, MaxSteps: 8, Policy: policytest.NewScripted(func(_ context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		return append(policytest.Encode(note(fmt.Sprint("n", c.N))), policytest.IMEnd), nil
	})})
}

// advanced is a new rollout after some turns.
func advanced(t *testing.T, a *Agent, turns int) rollout.State {
	t.Helper()
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	return further(t, a, s, turns)
}

func further(t *testing.T, a *Agent, s rollout.State, turns int) rollout.State {
	t.Helper()
	var err error
	for range turns {
		s, err = a.Advance(t.Context(), s)
		require.NoError(t, err)
	}
	return s
}

func said(s rollout.State) string { return s.Last().Transition.Observations[0].Content }

func allClosed(t *testing.T, w *envtest.Sessions) {
	t.Helper()
	_, open := w.Count()
	require.Zero(t, open, "sessions are open still")
	require.NoError(t, w.Misused())
}

func TestForkedBranchesDoNotSeeEachOther(t *testing.T) {
	w := &envtest.Forked{}
	a := notes(t, w)
	at := advanced(t, a, 2)
	kept, err := a.Checkpoint(t.Context(), at)
	require.NoError(t, err)
	at = further(t, a, at, 1)
	require.Equal(t, "n0 n1 n2", said(at))
	var branches []rollout.State
	for i := range 2 {
		b, err := a.Branch(t.Context(), kept, fmt.Sprint("b", i))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("b", i), b.Branch)
		branches = append(branches, b)
	}
	one, two := further(t, a, branches[0], 1), further(t, a, branches[1], 2)
	require.Equal(t, "n0 n1 n3", said(one))
	require.Equal(t, "n0 n1 n4 n5", said(two))
	require.Zero(t, a.ReplayCalls(kept))
	for _, s := range []rollout.State{a.Rest(one), two, kept, at} {
		require.Nil(t, Release(s).Env)
	}
	allClosed(t, &w.Sessions)
}

// A fork that failed leaves the checkpoint as good as it was.
func TestForkThatFailsLeavesItsCheckpoint(t *testing.T) {
	broken := errors.New("no room for a session")
	w := &envtest.Forked{OnFork: func([]string) error { return broken }}
	a := notes(t, w)
	at := advanced(t, a, 1)
	_, err := a.Branch(t.Context(), at, "b")
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, `fork the world of task t, branch "0", at turn 1`)
	_, err = a.Checkpoint(t.Context(), at)
	require.ErrorIs(t, err, broken)
	w.OnFork = nil
	b, err := a.Branch(t.Context(), at, "b")
	require.NoError(t, err)
	require.Equal(t, "n0 n1", said(further(t, a, b, 1)))
	Release(b)
	Release(at)
	allClosed(t, &w.Sessions)
}

func TestReplayRebuildsTheWorld(t *testing.T) {
	w := &envtest.Replayed{}
	a := notes(t, w)
	at := advanced(t, a, 2)
	require.Equal(t, 2, a.ReplayCalls(at))
	kept, err := a.Checkpoint(t.Context(), at)
	require.NoError(t, err)
	require.Nil(t, kept.Env, "what is made anew is not held")
	further(t, a, at, 1)
	rest := a.Rest(at) // the line ends here, and its session with it
	require.Nil(t, rest.Env)
	allClosed(t, &w.Sessions)
	for i, from := range []rollout.State{kept, rest} {
		b, err := a.Branch(t.Context(), from, "b")
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("n0 n1 n", 3+i), said(further(t, a, b, 1)))
		require.Equal(t, 2, b.Len(), "what is replayed is no turn")
		Release(b)
	}
	made, _ := w.Count()
	require.Equal(t, 3, made)
	allClosed(t, &w.Sessions)
}

func TestReplayThatDiffersIsRefused(t *testing.T) {
	w := &envtest.Replayed{DriftFrom: 1}
	a := notes(t, w)
	at := a.Rest(advanced(t, a, 2))
	_, err := a.Branch(t.Context(), at, "b")
	e, ok := errors.AsType[*ReplayError](err)
	require.True(t, ok, "got %v", err)
	require.Equal(t, ReplayError{Task: "t", Turn: 0, Want: e.Want, Got: e.Got}, *e)
	require.NotEqual(t, e.Want, e.Got)
	require.Equal(t, "replay_differs", rollout.InfrastructureFailure(err, "environment").Cause)
	require.False(t, e.Temporary())
	allClosed(t, &w.Sessions)
}

// forgetful is a replayed world whose conversation begins otherwise each time.
type forgetful struct {
	envtest.Replayed
	resets int
}

func (w *forgetful) Reset(ctx context.Context, task rollout.Task) (env.Start, error) {
	start, err := w.Replayed.Reset(ctx, task)
	w.resets++
	start.Messages = append(start.Messages, rollout.User(fmt.Sprint(w.resets)))
	return start, err
}

func TestReplayFailuresCloseTheirSession(t *testing.T) {
	broken := errors.New("broken")
	t.Run("the reset differs", func(t *testing.T) {
		w := &forgetful{}
		a := notes(t, w)
		_, err := a.Branch(t.Context(), a.Rest(advanced(t, a, 1)), "b")
		e, ok := errors.AsType[*ReplayError](err)
		require.True(t, ok, "got %v", err)
		require.Equal(t, -1, e.Turn)
		allClosed(t, &w.Sessions)
	})
	t.Run("the reset fails", func(t *testing.T) {
		w := &envtest.Replayed{}
		a := notes(t, w)
		at := a.Rest(advanced(t, a, 1))
		w.OnReset = func(int) error { return broken }
		_, err := a.Branch(t.Context(), at, "b")
		require.ErrorIs(t, err, broken)
		allClosed(t, &w.Sessions)
	})
	t.Run("a step fails", func(t *testing.T) {
		w := &envtest.Replayed{}
		a := notes(t, w)
		at := a.Rest(advanced(t, a, 3))
		w.OnStep = func(words []string) error {
			if len(words) == 2 {
				return broken
			}
			return nil
		}
		_, err := a.Branch(t.Context(), at, "b")
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, "replay turn 2 of task t")
		allClosed(t, &w.Sessions)
	})
	t.Run("a rewritten conversation", func(t *testing.T) {
		w := &envtest.Replayed{}
		a := notes(t, w)
		at := a.Rest(advanced(t, a, 1)).Rewritten([]rollout.Message{rollout.User("notes")})
		_, err := a.Branch(t.Context(), at, "b")
		require.ErrorContains(t, err, "a rewrite cannot be replayed")
		allClosed(t, &w.Sessions)
	})
}

func TestRootOnlyCannotBeBranched(t *testing.T) {
	w := &envtest.Sessions{}
	a := notes(t, w)
	at := advanced(t, a, 1)
	_, err := a.Branch(t.Context(), at, "b")
	require.ErrorContains(t, err, "branch task t at turn 1: the environment *envtest.Sessions can only be started over")
	require.Nil(t, a.Rest(at).Env)
	allClosed(t, w)
}

// refusing is a manager that cannot prepare a rollout.
type refusing struct{ contexts.AppendOnly }

func (refusing) Initialize(context.Context, rollout.State, contexts.Agent) (rollout.State, error) {
	return rollout.State{}, errors.New("no counter")
}

func TestStartThatFailsClosesItsWorld(t *testing.T) {
	w := &envtest.Sessions{}
	a := made(t, Config{Env: w, Context: refusing{}, Policy: policytest.NewScripted(policytest.Say("x"))})
	_, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.ErrorContains(t, err, "no counter")
	allClosed(t, w)
}

// scoring answers for a policy.Scorer.
type scoring func(ctx context.Context, ids []rollout.TokenID) ([]float32, error)

func (f scoring) Score(ctx context.Context, _ rollout.Tokens, ids []rollout.TokenID) ([]float32, error) {
	return f(ctx, ids)
}

func TestRepliesUnderAnotherLawAreScoredUnderTheAnchor(t *testing.T) {
	pol := policytest.NewScripted(policytest.Say("five"))
	hot := rollout.DefaultSampling()
	hot.Temperature = 1.5
	a := made(t, Config{Policy: pol})
	s := played(t, a.Under(hot, pol))
	turn := s.Last()
	require.Equal(t, 1.5, turn.Sampling.Temperature)
	want, err := pol.Score(t.Context(), turn.Prefix(), turn.Sampled())
	require.NoError(t, err)
	require.Equal(t, want, turn.Anchor)
	require.Nil(t, played(t, a).Last().Anchor, "the agent itself is as it was")
}

func TestScoresThatCannotBeAreFailures(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		scores scoring
		want   policy.Kind
	}{
		"an error": {func(context.Context, []rollout.TokenID) ([]float32, error) {
			return nil, &policy.Error{Kind: policy.KindServer}
		}, policy.KindServer},
		"too few": {func(_ context.Context, ids []rollout.TokenID) ([]float32, error) {
			return make([]float32, len(ids)-1), nil
		}, policy.KindBadReply},
		"unknown": {func(_ context.Context, ids []rollout.TokenID) ([]float32, error) {
			s := make([]float32, len(ids))
			s[1] = nan
			return s, nil
		}, policy.KindBadReply},
		"above 0": {func(_ context.Context, ids []rollout.TokenID) ([]float32, error) {
			s := make([]float32, len(ids))
			s[1] = 0.5
			return s, nil
		}, policy.KindBadReply},
		"never answer": {func(ctx context.Context, _ []rollout.TokenID) ([]float32, error) { <-ctx.Done(); return nil, ctx.Err() }, policy.KindTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := made(t, Config{Policy: policytest.NewScripted(policytest.Say("five")), GenerateTimeout: time.Minute})
				a = a.Under(rollout.DefaultSampling(), c.scores)
				s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
				require.NoError(t, err)
				_, err = a.Step(t.Context(), s)
				e, ok := errors.AsType[*policy.Error](err)
				require.True(t, ok, "got %v", err)
				require.Equal(t, c.want, e.Kind)
				require.True(t, e.Temporary())
				require.ErrorContains(t, err, "under the anchor")
			})
		})
	}
}
