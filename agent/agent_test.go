package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	contexts "focus/context"
	"focus/parser"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func made(t *testing.T, cfg Config) *Agent {
	t.Helper()
	if cfg.Env == nil {
		cfg.Env = counting{tools: true}
	}
	a, err := New(cfg)
	require.NoError(t, err)
	return a
}

func played(t *testing.T, a *Agent) rollout.State {
	t.Helper()
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	s, err = a.Run(t.Context(), s)
	require.NoError(t, err)
	return s
}

func reward(t *testing.T, s rollout.State) float64 {
	t.Helper()
	r, ok := s.Reward()
	require.True(t, ok, "the rollout is not scored")
	return r
}

func TestRunPlaysToTheEnd(t *testing.T) {
	s := played(t, made(t, Config{Policy: policytest.NewScripted(policytest.Say(add(2), add(3), "five"))}))
	require.Equal(t, rollout.StopAnswered, s.Reason())
	require.Equal(t, 5.0, reward(t, s))
	require.Equal(t, 3, s.TurnsTaken())
	require.False(t, s.Truncated)
}

// The next prompt is the previous ids, the sampled ids and the bridge: every
// prefix begins with all that came before, so the rollout is one region.
func TestPromptsContinueExactly(t *testing.T) {
	s := played(t, made(t, Config{Policy: policytest.NewScripted(policytest.Say(add(2), add(3), "five"))}))
	var prev *rollout.Turn
	for turn := range s.Turns() {
		if prev != nil {
			require.True(t, turn.Prefix().HasPrefix(prev.Context))
			require.True(t, turn.Exact)
		}
		prev = turn
	}
	require.Len(t, rollout.Regions(s.Turns()), 1)
}

func TestModelMistakesAreObservations(t *testing.T) {
	s := played(t, made(t, Config{Policy: policytest.NewScripted(policytest.Say("<tool_call>\n{nonsense}\n</tool_call>", add(1), "one"))}))
	require.Equal(t, 1.0, reward(t, s))
	first := s.Turns()
	for turn := range first {
		require.Equal(t, rollout.ActionInvalid, turn.Transition.Action.Kind())
		require.NotEmpty(t, turn.Transition.Observations)
		require.NotEmpty(t, turn.Attempts)
		break
	}
}

func TestEndsOfTheAgent(t *testing.T) {
	no := false
	broken := "<tool_call>\n{"
	for _, tc := range []struct {
		name   string
		cfg    Config
		script policytest.Script
		window int
		want   rollout.StopReason
		reward float64
		turns  int
	}{
		{"out of steps, no final answer", Config{MaxSteps: 2, FinalAnswer: &no}, policytest.Say(add(1)), 0, rollout.StopMaxSteps, 2, 2},
		{"out of steps, final answer", Config{MaxSteps: 2}, policytest.Say(add(1)), 0, rollout.StopAnswered, 2, 3},
		{"unusable attempts in a row", Config{MaxParseFailures: 2}, policytest.Say(broken), 0, rollout.StopParseFailures, 0, 2},
		{"a usable one between", Config{MaxParseFailures: 2, MaxSteps: 4, FinalAnswer: &no}, policytest.Say(broken, add(1), broken, add(1)), 0, rollout.StopMaxSteps, 2, 4},
		{"rollout tokens spent", Config{MaxRolloutTokens: 86}, policytest.Say(add(1)), 0, rollout.StopMaxTokens, 2, 2},
		{"window full", Config{}, policytest.Say(add(1)), 256, rollout.StopContextFull, 2, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.cfg.Policy = policytest.NewScripted(tc.script)
			if tc.window > 0 {
				tc.cfg.Policy = policytest.NewScriptedWindow(tc.script, tc.window)
			}
			s := played(t, made(t, tc.cfg))
			require.Equal(t, tc.want, s.Reason())
			require.Equal(t, tc.turns, s.TurnsTaken())
			require.Equal(t, tc.reward, reward(t, s), "the world is asked for its score")
		})
	}
}

// A prompt that does not fit before the first turn is nothing the policy did.
func TestNoTurnIsNoEndOfTheTask(t *testing.T) {
	s := played(t, made(t, Config{Policy: policytest.NewScriptedWindow(policytest.Say("x"), 8)}))
	require.Equal(t, rollout.StopFailed, s.Reason())
	_, scored := s.Reward()
	require.False(t, scored)
	require.Equal(t, rollout.FailureInfrastructure, s.Failure.Class)
	require.Contains(t, s.Failure.Cause, "context_full")
}

func TestInfrastructureErrorsKeepTheLastGoodState(t *testing.T) {
	calls := 0
	down := &policy.Error{Kind: policy.KindUnreachable, Server: "s"}
	script := func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		if calls++; calls == 2 {
			return nil, down
		}
		return policytest.Say(add(1))(ctx, c)
	}
	a := made(t, Config{Policy: policytest.NewScripted(script)})
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	s, err = a.Run(t.Context(), s)
	require.ErrorIs(t, err, down)
	require.Equal(t, "unreachable", rollout.InfrastructureFailure(err, "x").Cause)
	require.Equal(t, 1, s.TurnsTaken())
	require.False(t, s.Done())
	_, err = a.Step(t.Context(), s)
	require.NoError(t, err, "the state can be stepped again")

	broken := errors.New("sandbox is gone")
	a = made(t, Config{Policy: policytest.NewScripted(policytest.Say(add(1))), Env: counting{tools: true, fail: broken}})
	_, err = a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.ErrorIs(t, err, broken)
}

func TestGenerateTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _ policytest.Call) ([]rollout.TokenID, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		a := made(t, Config{Policy: policytest.NewScripted(hang), GenerateTimeout: time.Minute})
		s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
		require.NoError(t, err)
		_, err = a.Step(t.Context(), s)
		e, ok := errors.AsType[*policy.Error](err)
		require.True(t, ok, "got %v", err)
		require.Equal(t, policy.KindTimeout, e.Kind)
		require.True(t, e.Temporary())

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = a.Step(ctx, s)
		require.ErrorIs(t, err, context.Canceled, "a stop of the job is no timeout")
	})
}

func TestSeedsNameTheTurn(t *testing.T) {
	seen := map[int64]string{}
	note := func(branch string) policytest.Script {
		say := policytest.Say(add(1), add(1), "two")
		return func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
			if at, twice := seen[c.Sampling.Seed]; twice {
				t.Errorf("branch %s, call %d: seed of %s", branch, c.N, at)
			}
			seen[c.Sampling.Seed] = branch
			return say(ctx, c)
		}
	}
	for _, branch := range []string{"0", "1"} {
		a := made(t, Config{Policy: policytest.NewScripted(note(branch)), Seed: 3})
		s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, branch)
		require.NoError(t, err)
		_, err = a.Run(t.Context(), s)
		require.NoError(t, err)
	}
	require.Len(t, seen, 6)
}

func TestSegmentsContinueOneReply(t *testing.T) {
	text := "the answer is five"
	whole := append(policytest.Encode(text), policytest.IMEnd)
	// The script gives what is left of the reply after what the prompt holds.
	script := func(_ context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		return whole[int(c.N)*4:], nil
	}
	segments, err := contexts.NewSegments(4)
	require.NoError(t, err)
	a := made(t, Config{Policy: policytest.NewScripted(script), Env: counting{}, Context: segments})
	require.Equal(t, rollout.EveryDecision{}, a.BranchPoints())
	s := played(t, a)
	require.Equal(t, rollout.StopAnswered, s.Reason())
	require.Equal(t, 5, s.TurnsTaken())
	require.Equal(t, 2, s.Messages.Len(), "one assistant message for all segments")
	last := s.Messages.At(1)
	require.Equal(t, whole, last.Sampled)
	require.Contains(t, last.Content, text)
	regions := rollout.Regions(s.Turns())
	require.Len(t, regions, 1)
	require.Equal(t, whole, regions[0].Tokens().From(regions[0].Turns[0].PrefixLen), "nothing but sampled ids")
	for turn := range s.Turns() {
		require.LessOrEqual(t, len(turn.Sampled()), 4)
	}
}

type inexact struct{ policy.Policy }

type chunksOnly struct{ contexts.Base }

func (chunksOnly) Defaults() contexts.Defaults {
	return contexts.Defaults{Action: rollout.ActionTokenChunk, BranchPoints: rollout.EveryDecision{}}
}

func TestPartsThatDoNotFitAreRefused(t *testing.T) {
	pol := policytest.NewScripted(policytest.Say("x"))
	segments, err := contexts.NewSegments(4)
	require.NoError(t, err)
	for _, tc := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"no policy", Config{Env: counting{}}, "required"},
		{"continuation without exact ids", Config{Policy: inexact{pol}, Env: counting{}, Context: segments}, "does not exchange exact token ids"},
		{"policy that cannot decode", Config{Policy: inexact{pol}, Env: counting{}}, "cannot decode"},
		{"parser of another kind", Config{Policy: pol, Env: counting{}, Context: chunksOnly{}, Parser: parser.Text()}, "needs token_chunk actions"},
		{"tools and a parser without calls", Config{Policy: pol, Env: counting{tools: true}, Parser: parser.Text()}, "reads no tool calls"},
		{"trigger without compaction", Config{Policy: pol, Env: counting{}, Context: contexts.AppendOnly{Base: contexts.Base{Trigger: contexts.PromptTokens{}}}}, "no Compact"},
		{"no steps", Config{Policy: pol, Env: counting{}, MaxSteps: -1}, "MaxSteps"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := New(tc.cfg)
			require.ErrorContains(t, err, tc.want)
		})
	}
}
