package contexts_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/agent"
	contexts "focus/context"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

func segments(t testing.TB, tokens int) contexts.Segments {
	t.Helper()
	m, err := contexts.NewSegments(tokens)
	require.NoError(t, err)
	return m
}

// Segments chooses a cap, no final answer, its branch points, the kind of action
// and which policies will do.
func TestSegmentsSetsAllFive(t *testing.T) {
	m := segments(t, 256)
	require.Equal(t, contexts.Defaults{
		MaxTokens: 256, FinalAnswer: false, Action: rollout.ActionTokenChunk, BranchPoints: rollout.EveryDecision{},
	}, m.Defaults())
	require.ErrorIs(t, m.CheckPolicy(words{}), policy.ErrInexact)
	require.NoError(t, m.CheckPolicy(policytest.NewScripted(policytest.Say("x"))))
	for _, tokens := range []int{0, -1} {
		_, err := contexts.NewSegments(tokens)
		require.ErrorContains(t, err, "must be at least 1")
	}
}

// words is a policy that does not exchange ids.
type words struct{ policy.Policy }

// of is an agent as a manager sees it, with a policy alone.
type of struct {
	contexts.Agent
	policy policy.Policy
}

func (a of) Policy() policy.Policy { return a.policy }

func TestAppendOnlyDefaults(t *testing.T) {
	var m contexts.AppendOnly
	require.Equal(t, contexts.Defaults{FinalAnswer: true, BranchPoints: rollout.SparseCheckpoints{}}, m.Defaults())
	require.NoError(t, m.CheckPolicy(words{}), "whole conversations need no exact ids")
	_, err := m.Initialize(t.Context(), rollout.State{}, of{policy: words{}})
	require.NoError(t, err)
	_, err = contexts.AppendOnly{Continuation: true}.Initialize(t.Context(), rollout.State{}, of{policy: words{}})
	require.ErrorIs(t, err, policy.ErrInexact, "checked before the rollout starts, too")
}

// In continuation mode an unfinished reply is gone on with by its ids, marked as
// exact; a finished one is a turn like any other.
func TestContinuationPreparesExactPrompts(t *testing.T) {
	whole := append(policytest.Encode("the number is 42"), policytest.IMEnd)
	pol := policytest.NewScripted(func(_ context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		return whole[8*c.N:], nil
	})
	m := segments(t, 8)
	a, err := agent.New(agent.Config{Policy: pol, Env: world(t, worldConfig{Words: true}), Context: m})
	require.NoError(t, err)
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	first, err := m.Prepare(s, a, nil)
	require.NoError(t, err)
	require.False(t, first.Exact)

	s, err = a.Step(t.Context(), s)
	require.NoError(t, err)
	p, err := m.Prepare(s, a, nil)
	require.NoError(t, err)
	require.True(t, p.Exact)
	require.Equal(t, append(first.Tokens.Slice(), whole[:8]...), p.Tokens.Slice())
	answered := s.WithMessages(rollout.User("go on"))
	p, err = m.Prepare(answered, a, nil)
	require.NoError(t, err)
	require.False(t, p.Exact, "a message after it finishes a reply")

	p, err = contexts.AppendOnly{}.Prepare(s, a, nil)
	require.NoError(t, err)
	require.False(t, p.Exact, "without continuation every reply is a turn")
}

// A reply keeps the ids of all its segments, on each branch its own.
func TestBranchesOfOneReplyAreApart(t *testing.T) {
	say := policytest.Replay(policytest.Encode("12345678"), policytest.Encode("left....!"), policytest.Encode("right...!"))
	a, err := agent.New(agent.Config{Policy: policytest.NewScripted(say), Env: world(t, worldConfig{Words: true}), Context: segments(t, 8)})
	require.NoError(t, err)
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	s, err = a.Step(t.Context(), s)
	require.NoError(t, err)
	require.True(t, a.BranchPoints().Branchable(s), "in the middle of a reply")
	var ends []rollout.Message
	for _, branch := range []string{"0.0", "0.1"} {
		b, err := s.Fork(branch)
		require.NoError(t, err)
		b, err = a.Step(t.Context(), b)
		require.NoError(t, err)
		ends = append(ends, b.Messages.At(b.Messages.Len()-1))
	}
	require.Equal(t, "12345678left....", ends[0].Content)
	require.Equal(t, "12345678right...", ends[1].Content)
	require.Equal(t, policytest.Encode("12345678left...."), ends[0].Sampled)
	require.Equal(t, policytest.Encode("12345678right..."), ends[1].Sampled)
	require.Equal(t, policytest.Encode("12345678"), s.Messages.At(s.Messages.Len()-1).Sampled, "the checkpoint is as it was")
}
