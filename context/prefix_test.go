package contexts_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"focus/agent"
	contexts "focus/context"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

// small is a prefix summary that compacts the world's third prompt.
func small() contexts.PrefixSummaryConfig {
	return contexts.PrefixSummaryConfig{Window: 600, ReserveTokens: 200, KeepRecentTokens: 10}
}

func prefix(t testing.TB, c contexts.PrefixSummaryConfig) *contexts.PrefixSummary {
	t.Helper()
	m, err := contexts.NewPrefixSummary(c)
	require.NoError(t, err)
	return m
}

var pages = map[string]string{"a": "the number stands on page b", "b": "nothing is here, ever"}

func prefixAgent(t testing.TB, c contexts.PrefixSummaryConfig, script policytest.Script) *agent.Agent {
	t.Helper()
	a, err := agent.New(agent.Config{
		Policy: policytest.NewScripted(script), Env: world(t, worldConfig{Want: "42", Pages: pages}), Context: prefix(t, c), MaxSteps: 8,
	})
	require.NoError(t, err)
	return a
}

func TestPrefixSummaryDefaults(t *testing.T) {
	c := prefix(t, contexts.PrefixSummaryConfig{}).Config()
	require.Equal(t, contexts.PrefixSummaryConfig{
		ReserveTokens: 16384, KeepRecentTokens: 20000,
		Retry: contexts.RetryConfig{MaxRetries: 3, BaseDelay: 2 * time.Second, MaxDelay: time.Minute},
	}, c)
	require.Equal(t, 2000, contexts.ToolResultMaxChars)
	var delays []time.Duration
	for attempt := 1; attempt <= 7; attempt++ {
		delays = append(delays, c.Retry.Delay(attempt)/time.Second)
	}
	require.Equal(t, []time.Duration{2, 4, 8, 16, 32, 60, 60}, delays)
	require.True(t, contexts.Manages(prefix(t, contexts.PrefixSummaryConfig{})))
}

func TestPrefixSummaryRefusesAWindowThatDoesNotFit(t *testing.T) {
	_, err := contexts.NewPrefixSummary(contexts.PrefixSummaryConfig{ReserveTokens: -1, KeepRecentTokens: -1, Window: -1, MaxReplyTokens: -1, Retry: contexts.RetryConfig{BaseDelay: -1, MaxDelay: -1}})
	for _, key := range []string{"reserve_tokens", "keep_recent_tokens", "window", "max_reply_tokens", "retry.base_delay", "retry.max_delay"} {
		require.ErrorContains(t, err, key+": ")
	}
	_, err = agent.New(agent.Config{
		Policy: policytest.NewScriptedWindow(policytest.Say("x"), 1000), Env: world(t, worldConfig{}), Context: prefix(t, contexts.PrefixSummaryConfig{}),
	})
	require.ErrorContains(t, err, "16384 leave nothing of the policy's window of 1000")
}

// down is a failure of the server that may pass.
func down() error { return &policy.Error{Kind: policy.KindOverloaded, Server: "s", Status: 503} }

func TestASummaryIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var phases []contexts.PrefixCheckpoint
		c := small()
		c.OnPhase = func(_ context.Context, _ rollout.State, at contexts.PrefixCheckpoint) error {
			phases = append(phases, at)
			return nil
		}
		say := policytest.Say(look("a"), look("b"), "", "", "a points to b", "42")
		a := prefixAgent(t, c, func(ctx context.Context, call policytest.Call) ([]rollout.TokenID, error) {
			if call.N == 2 || call.N == 3 {
				return nil, down()
			}
			return say(ctx, call)
		})
		started := time.Now()
		s := play(t, a)
		require.Equal(t, rollout.StopAnswered, s.Reason())
		require.Equal(t, 6*time.Second, time.Since(started), "2 s, then 4 s")
		var names []contexts.Phase
		for _, at := range phases {
			names = append(names, at.Phase)
			require.Equal(t, contexts.ReasonThreshold, at.Reason)
		}
		require.Equal(t, []contexts.Phase{
			contexts.PhaseSelect, contexts.PhaseSummarize, contexts.PhaseRetry, contexts.PhaseSummarize, contexts.PhaseRetry, contexts.PhaseSummarize,
		}, names)
		require.Equal(t, contexts.SummaryRequest{Attempt: 3, MaxTokens: 160, Tail: 6, FirstKept: 4}, phases[5].SummaryRequest)
	})
}

func TestRetriesEnd(t *testing.T) {
	refused := &policy.Error{Kind: policy.KindRefused, Server: "s", Status: 400}
	for _, tc := range []struct {
		name  string
		retry contexts.RetryConfig
		err   error
		calls int64
	}{
		{"after three", contexts.RetryConfig{}, down(), 2 + 4},
		{"never", contexts.RetryConfig{MaxRetries: -1}, down(), 2 + 1},
		{"what cannot pass", contexts.RetryConfig{}, refused, 2 + 1},
		{"what is no failure of a server", contexts.RetryConfig{}, errors.New("bug"), 2 + 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := small()
				c.Retry = tc.retry
				say := policytest.Say(look("a"), look("b"))
				a := prefixAgent(t, c, func(ctx context.Context, call policytest.Call) ([]rollout.TokenID, error) {
					if call.N >= 2 {
						return nil, tc.err
					}
					return say(ctx, call)
				})
				s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
				require.NoError(t, err)
				s, err = a.Run(t.Context(), s)
				require.ErrorIs(t, err, tc.err)
				require.False(t, s.Done(), "no verdict on the policy")
				require.Equal(t, tc.calls, a.Policy().(*policytest.Scripted).Calls())
			})
		})
	}
}

func TestWaitingForARetryEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		say := policytest.Say(look("a"), look("b"))
		a := prefixAgent(t, small(), func(ctx context.Context, call policytest.Call) ([]rollout.TokenID, error) {
			if call.N >= 2 {
				return nil, down()
			}
			return say(ctx, call)
		})
		s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = a.Run(ctx, s)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestHooksDecideBeforeTheModel(t *testing.T) {
	mine := "by hand"
	no := contexts.PrefixDecision{Decline: true}
	supply := contexts.PrefixDecision{Summary: &mine}
	for _, tc := range []struct {
		name      string
		decisions []contexts.PrefixDecision
		compacted int
		calls     int64
	}{
		{"nobody decides", []contexts.PrefixDecision{{}, {}}, 1, 4},
		{"declined", []contexts.PrefixDecision{{}, no, supply}, 0, 3},
		{"supplied", []contexts.PrefixDecision{supply, no}, 1, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			asked := 0
			c := small()
			c.Instructions = "mind the numbers"
			for _, d := range tc.decisions {
				c.BeforeCompact = append(c.BeforeCompact, func(_ context.Context, p contexts.PrefixCompaction) (contexts.PrefixDecision, error) {
					asked++
					require.Equal(t, contexts.ReasonThreshold, p.Reason)
					require.Equal(t, 4, p.FirstKept)
					require.Len(t, p.Messages, 2)
					require.Len(t, p.Kept, 2)
					require.Equal(t, "mind the numbers", p.Instructions)
					return d, nil
				})
			}
			replies := []string{look("a"), look("b"), "a points to b", "42"}
			if tc.calls == 3 {
				replies = []string{look("a"), look("b"), "42"}
			}
			a := prefixAgent(t, c, policytest.Say(replies...))
			s := play(t, a)
			require.Equal(t, rollout.StopAnswered, s.Reason())
			require.Equal(t, tc.compacted, s.Compactions)
			require.Equal(t, tc.calls, a.Policy().(*policytest.Scripted).Calls())
			require.Equal(t, len(tc.decisions), asked, "every hook is asked")
			if tc.name == "supplied" {
				require.Equal(t, contexts.SummaryPrefix+mine+contexts.SummarySuffix, s.Messages.At(2).Content)
				require.Zero(t, s.Folds())
			}
			if tc.name == "nobody decides" {
				for turn := range s.Turns() {
					if turn.Tag == rollout.TagFold {
						require.Contains(t, text(turn.Prefix().Slice()), "Look at this besides: mind the numbers")
						require.Contains(t, text(turn.Prefix().Slice()), "[User]: Find the number.")
						require.Equal(t, 160, turn.Sampling.MaxTokens)
						require.Equal(t, rollout.Span{Start: 2, End: 4}, turn.Replaced)
					}
				}
			}
		})
	}
	broken := errors.New("broken hook")
	c := small()
	c.BeforeCompact = []contexts.BeforeCompact{func(context.Context, contexts.PrefixCompaction) (contexts.PrefixDecision, error) {
		return contexts.PrefixDecision{}, broken
	}}
	a := prefixAgent(t, c, policytest.Say(look("a"), look("b")))
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	_, err = a.Run(t.Context(), s)
	require.ErrorIs(t, err, broken)
}

func TestReasonsOfACompaction(t *testing.T) {
	var reasons []contexts.Reason
	c := contexts.PrefixSummaryConfig{Window: 9000, ReserveTokens: 1000, KeepRecentTokens: 10}
	c.OnPhase = func(_ context.Context, _ rollout.State, at contexts.PrefixCheckpoint) error {
		if at.Phase == contexts.PhaseSelect {
			reasons = append(reasons, at.Reason)
		}
		return nil
	}
	a := prefixAgent(t, c, policytest.Say(look("a"), look("b"), "summed up", "42"))
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	same, err := a.Compact(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, s, same, "there is nothing to cut, and it costs nothing")
	for range 2 {
		s, err = a.Step(t.Context(), s)
		require.NoError(t, err)
	}
	s, err = a.Compact(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, 1, s.Compactions)
	require.Equal(t, []contexts.Reason{contexts.ReasonManual, contexts.ReasonManual}, reasons)
}
