package env_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/env"
)

func TestBudgetRefusesWithAnObservation(t *testing.T) {
	e := newLedger(t, func(c *env.ToolConfig[ledger]) { c.Limits.RoundCalls = 2 })
	w, tr := step(t, e, begin(t, e), calls("get", `{}`, "get", `{"bad":1}`, "boom", `{}`, "get", `{}`))
	require.Equal(t, []string{
		"0", "error: get: additional properties 'bad' not allowed", "error: boom crashed on these arguments",
		"error: no calls are left: 2 of 2 are spent",
	}, said(tr), "a call that is refused costs nothing, one that runs and fails does")
	require.Equal(t, 2, tr.ToolCalls)
	spent := w.State.(env.Counters)
	left, ok := spent.Counter(env.CallsRemaining)
	require.True(t, ok)
	require.Zero(t, left)

	// What a trigger does when it folds.
	refilled := env.World{State: spent.WithCounter(env.CallsRemaining, 2)}
	_, tr = step(t, e, refilled, calls("get", `{}`))
	require.Equal(t, []string{"0"}, said(tr))

	_, tr = step(t, e, w, calls("get", `{}`))
	require.Equal(t, env.CauseBudgetSpent, tr.Failure.Cause)
	_, tr = step(t, e, w, calls("win", `{"n":1}`))
	require.True(t, tr.Done, "a spent budget holds no answer back")
}

func TestNoBudgetHasNoCounters(t *testing.T) {
	e := newLedger(t, nil)
	state := begin(t, e).State.(env.Counters)
	_, ok := state.Counter(env.CallsMax)
	require.False(t, ok)
	require.Equal(t, state, state.WithCounter(env.CallsMax, 7))
}

// counted is a game state with a counter of its own.
type counted struct{ Rounds int }

func (c counted) Counter(name string) (int, bool) { return c.Rounds, name == "rounds" }

func (c counted) WithCounter(_ string, v int) any { return counted{v} }

func TestCountersOfTheGame(t *testing.T) {
	before := env.Episode[counted]{State: counted{3}, Budget: env.NewRoundBudget(5)}
	after := before.WithCounter("rounds", 4).(env.Episode[counted])
	require.Equal(t, 3, before.State.Rounds)
	require.Equal(t, 4, after.State.Rounds)
	v, ok := after.Counter("rounds")
	require.True(t, ok)
	require.Equal(t, 4, v)
	require.Equal(t, before.Budget, after.Budget)
}

func TestChargeTakesOneAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := env.RoundBudget{Remaining: rapid.IntRange(-3, 5).Draw(t, "remaining"), Max: rapid.IntRange(0, 5).Draw(t, "max")}
		after, ok := b.Charge()
		switch {
		case !b.Limited() || b.Remaining <= 0:
			if after != b || ok == b.Limited() {
				t.Fatalf("charge of %+v gave %+v, %v", b, after, ok)
			}
		case !ok || after.Remaining != b.Remaining-1 || after.Max != b.Max:
			t.Fatalf("charge of %+v gave %+v, %v", b, after, ok)
		}
	})
}
