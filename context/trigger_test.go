package contexts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/env"
	"focus/rollout"
)

func prompt(n int) rollout.Tokens { return rollout.NewTokens(make([]rollout.TokenID, n)...) }

func TestPromptTokensFiresAboveNotAt(t *testing.T) {
	require.False(t, contexts.PromptTokens{Max: 10}.Fires(prompt(10), nil))
	require.True(t, contexts.PromptTokens{Max: 10}.Fires(prompt(11), nil))
	require.False(t, contexts.PromptTokens{}.Fires(prompt(8192), nil))
	require.True(t, contexts.PromptTokens{}.Fires(prompt(8193), nil))
}

func TestStateCounter(t *testing.T) {
	var c contexts.StateCounter
	full := env.NewRoundBudget(2)
	require.NoError(t, c.Check(full))
	require.False(t, c.Fires(prompt(1), full))
	spent := env.RoundBudget{Remaining: 0, Max: 2}
	require.True(t, c.Fires(prompt(1), spent))
	relieved, err := c.Relieve(spent)
	require.NoError(t, err)
	require.Equal(t, full, relieved)
	require.Equal(t, 0, spent.Remaining, "the state that was given is not changed")
	require.False(t, c.Fires(prompt(1), relieved))
	require.False(t, c.Fires(prompt(1), "no counters"))
}

// named is a state whose counters have names of its own.
type named map[string]int

func (n named) Counter(name string) (int, bool) { v, ok := n[name]; return v, ok }

func (n named) WithCounter(name string, v int) any {
	out := named{}
	for k, was := range n {
		out[k] = was
	}
	out[name] = v
	return out
}

func TestStateCounterRefusesWhatItCannotRefill(t *testing.T) {
	c := contexts.StateCounter{Remaining: "left", Maximum: "all"}
	for _, tc := range []struct {
		name  string
		state any
		want  []string
	}{
		{"no counters", 3, []string{"int", `"left"`, `"all"`}},
		{"both missing", named{}, []string{`no "left"`, `no "all"`}},
		{"one missing", named{"all": 1}, []string{`no "left"`}},
		{"allowance of zero", named{"left": 0, "all": 0}, []string{`"all" is 0`}},
		{"negative allowance", named{"left": 0, "all": -1}, []string{`"all" is -1`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := c.Check(tc.state)
			for _, w := range tc.want {
				require.ErrorContains(t, err, w)
			}
			_, err = c.Relieve(tc.state)
			require.Error(t, err)
		})
	}
	require.NoError(t, c.Check(named{"left": 0, "all": 1}))
}

// every is a user's own trigger: a plain Fires, nothing to check or relieve.
type every struct{}

func (every) Fires(rollout.Tokens, any) bool { return true }

func TestAnyOf(t *testing.T) {
	list := []contexts.Trigger{contexts.PromptTokens{Max: 10}, contexts.StateCounter{}, contexts.StateCounter{Remaining: "left", Maximum: "all"}}
	any := contexts.NewAnyOf(list...)
	state := named{"calls_remaining": 1, "calls_max": 2, "left": 1, "all": 3}
	require.NoError(t, any.Check(state))
	require.False(t, any.Fires(prompt(10), state))
	require.True(t, any.Fires(prompt(11), state))
	state["left"] = 0
	require.True(t, any.Fires(prompt(1), state))
	relieved, err := any.Relieve(state)
	require.NoError(t, err)
	require.Equal(t, named{"calls_remaining": 2, "calls_max": 2, "left": 3, "all": 3}, relieved, "every trigger is relieved, not the one that fired")

	err = any.Check(named{"calls_max": 1})
	require.ErrorContains(t, err, `"calls_remaining"`)
	require.ErrorContains(t, err, `"left"`, "all that is missing is named at once")
	_, err = any.Relieve(named{})
	require.Error(t, err)

	list[0] = every{}
	require.False(t, any.Fires(prompt(1), named{}), "the caller's list is copied")
	require.True(t, contexts.NewAnyOf(list...).Fires(prompt(1), nil))
	require.False(t, contexts.NewAnyOf().Fires(prompt(1<<20), nil))
}
