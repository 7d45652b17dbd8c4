package contexts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/rollout"
)

func TestKeepRecentKeepsTheSeedAndTheLastMessages(t *testing.T) {
	m, err := contexts.NewKeepRecent(3, contexts.StateCounter{})
	require.NoError(t, err)
	s := play(t, playing(t, worldConfig{Want: "7", RoundCalls: 2}, m, 8, look("a"), look("b"), look("c"), look("d"), "7"))
	require.Equal(t, rollout.StopAnswered, s.Reason())
	require.Equal(t, 2, s.Compactions)
	require.Equal(t, 2, s.ContextVersion)
	require.Zero(t, s.Folds(), "nothing was generated for it")
	// The last three begin with a result whose call is gone; the kept part
	// begins after it.
	require.Equal(t, rollout.RoleAssistant, s.Messages.At(2).Role)
	require.Contains(t, s.Messages.At(2).ToolCalls[0].Arguments, byte('d'))
	require.Equal(t, s.Seed, s.Messages.Truncate(2).AppendTo(nil))
}

func TestKeepRecentDefaults(t *testing.T) {
	m, err := contexts.NewKeepRecent(0, nil)
	require.NoError(t, err)
	require.Equal(t, 4, m.Keep)
	require.Equal(t, contexts.PromptTokens{}, m.Trigger)
	_, err = contexts.NewKeepRecent(-1, nil)
	require.ErrorContains(t, err, "keep is -1")
}

func TestACounterTheStateLacksIsRefusedBeforeGeneration(t *testing.T) {
	m, err := contexts.NewKeepRecent(3, contexts.StateCounter{})
	require.NoError(t, err)
	a := playing(t, worldConfig{}, m, 8, "never asked")
	_, err = a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.ErrorContains(t, err, `"calls_remaining"`)
}

func TestATriggerWithoutReliefEndsTheRollout(t *testing.T) {
	m, err := contexts.NewKeepRecent(3, contexts.PromptTokens{Max: 100})
	require.NoError(t, err)
	s := play(t, playing(t, worldConfig{}, m, 8, look("a")))
	require.Equal(t, string(rollout.StopFoldStuck), s.Failure.Cause)
	require.Equal(t, 1, s.Compactions, "not folded for ever")
}

func TestManages(t *testing.T) {
	recent, err := contexts.NewKeepRecent(0, nil)
	require.NoError(t, err)
	segments, err := contexts.NewSegments(8)
	require.NoError(t, err)
	require.True(t, contexts.Manages(recent))
	require.False(t, contexts.Manages(contexts.KeepRecent{}), "without a trigger it never compacts")
	require.False(t, contexts.Manages(contexts.AppendOnly{}))
	require.False(t, contexts.Manages(segments))
}
