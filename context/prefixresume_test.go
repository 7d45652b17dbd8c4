package contexts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/agent"
	contexts "focus/context"
	"focus/policy/policytest"
	"focus/rollout"
)

// A checkpoint is a plain value: JSON takes it there and back.
func TestACheckpointIsJSON(t *testing.T) {
	at := contexts.PrefixCheckpoint{
		Phase: contexts.PhaseRetry, Reason: contexts.ReasonOverflow, Until: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
		SummaryRequest: contexts.SummaryRequest{Attempt: 2, MaxTokens: 160, Tail: 6, FirstKept: 4},
	}
	b, err := json.Marshal(at)
	require.NoError(t, err)
	require.JSONEq(t, `{"phase":"retry","reason":"overflow","attempt":2,"max_tokens":160,"tail":6,"first_kept":4,"until":"2026-01-02T03:04:05.000000006Z"}`, string(b))
	b, err = json.Marshal(contexts.PrefixCheckpoint{Phase: contexts.PhaseSelect, Reason: contexts.ReasonManual})
	require.NoError(t, err)
	require.JSONEq(t, `{"phase":"select","reason":"manual"}`, string(b))

	rapid.Check(t, func(rt *rapid.T) {
		number := func(name string) int { return rapid.IntRange(0, 1<<30).Draw(rt, name) }
		at := contexts.PrefixCheckpoint{
			Phase:          rapid.SampledFrom([]contexts.Phase{contexts.PhaseSelect, contexts.PhaseSummarize, contexts.PhaseRetry}).Draw(rt, "phase"),
			Reason:         rapid.SampledFrom([]contexts.Reason{contexts.ReasonManual, contexts.ReasonThreshold, contexts.ReasonOverflow}).Draw(rt, "reason"),
			SummaryRequest: contexts.SummaryRequest{Attempt: number("attempt"), MaxTokens: number("max"), Tail: number("tail"), FirstKept: number("first")},
		}
		if rapid.Bool().Draw(rt, "waits") {
			at.Until = time.Unix(int64(number("seconds")), int64(number("nanoseconds"))).UTC()
		}
		require.Equal(rt, at, throughJSON(rt, at))
	})
}

func throughJSON(t require.TestingT, at contexts.PrefixCheckpoint) contexts.PrefixCheckpoint {
	b, err := json.Marshal(at)
	require.NoError(t, err)
	var read contexts.PrefixCheckpoint
	require.NoError(t, json.Unmarshal(b, &read))
	return read
}

// summing is a conversation that has something to cut, of an agent whose server
// refuses so many requests for a summary.
func summing(t *testing.T, refusals int) contexts.Compaction {
	say := policytest.Say(look("a"), look("b"))
	script := func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		if !strings.Contains(c.Text(), "<conversation>") {
			return say(ctx, c)
		}
		if refusals--; refusals >= 0 {
			return nil, down()
		}
		return append(policytest.Encode("a points to b"), policytest.IMEnd), nil
	}
	a, err := agent.New(agent.Config{Policy: policytest.NewScripted(script), Env: world(t, worldConfig{Want: "42", Pages: pages}), MaxSteps: 8})
	require.NoError(t, err)
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	for range 2 {
		s, err = a.Step(t.Context(), s)
		require.NoError(t, err)
	}
	return contexts.Compaction{
		Messages: s.Messages.AppendTo(nil), Seed: s.Seed, State: s.Env, Agent: a, Rollout: s, Reason: contexts.ReasonThreshold,
	}
}

// recording is a prefix summary that writes down its phases.
func recording(t *testing.T, c contexts.PrefixSummaryConfig, phases *[]contexts.PrefixCheckpoint) *contexts.PrefixSummary {
	c.OnPhase = func(_ context.Context, _ rollout.State, at contexts.PrefixCheckpoint) error {
		*phases = append(*phases, at)
		return nil
	}
	return prefix(t, c)
}

// same is a result without what two runs of one compaction may differ in.
func same(r contexts.Result) contexts.Result {
	turns := r.Turns
	r.Turns = nil
	for _, turn := range turns {
		c := *turn
		c.Timing = rollout.Timing{}
		r.Turns = append(r.Turns, &c)
	}
	return r
}

// A compaction that was cut short before any of its phases, and goes on from what
// was recorded of it, does what was left to do and ends as one that never stopped.
func TestResumeInEveryPhase(t *testing.T) {
	hand := "by hand"
	supply := func(context.Context, contexts.PrefixCompaction) (contexts.PrefixDecision, error) {
		return contexts.PrefixDecision{Summary: &hand}, nil
	}
	for _, tc := range []struct {
		name     string
		refusals int
		hooks    []contexts.BeforeCompact
		phases   string
	}{
		{"at once", 0, nil, "select summarize"},
		{"after two refusals", 2, nil, "select summarize retry summarize retry summarize"},
		{"never", 9, nil, "select summarize retry summarize retry summarize retry summarize"},
		{"by a hook", 0, []contexts.BeforeCompact{supply}, "select"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := small()
				cfg.BeforeCompact = tc.hooks
				var phases []contexts.PrefixCheckpoint
				c := summing(t, tc.refusals)
				want, failed := recording(t, cfg, &phases).Compact(t.Context(), c)
				require.Equal(t, tc.phases, phaseNames(phases))
				for k, at := range phases {
					// The requests that were made before it are spent.
					made := max(0, at.Attempt-1)
					if at.Phase == contexts.PhaseRetry {
						made++
					}
					c := summing(t, tc.refusals-made)
					var rest []contexts.PrefixCheckpoint
					started := time.Now()
					got, err := recording(t, cfg, &rest).Resume(t.Context(), c, throughJSON(t, at))
					require.Equal(t, fmt.Sprint(failed), fmt.Sprint(err))
					require.Equal(t, same(want), same(got), "resumed before phase %d", k)
					require.Equal(t, phaseNames(phases[k:]), phaseNames(rest))
					require.Equal(t, phases[len(phases)-1].SummaryRequest, rest[len(rest)-1].SummaryRequest)
					require.Equal(t, pauses(phases[k+1:]), time.Since(started), "a pause that is over is not made again")
				}
			})
		})
	}
}

// pauses is how long the retries among phases wait, by the defaults.
func pauses(phases []contexts.PrefixCheckpoint) time.Duration {
	retry := contexts.RetryConfig{BaseDelay: contexts.DefaultBaseDelay, MaxDelay: contexts.DefaultMaxDelay}
	var sum time.Duration
	for _, at := range phases {
		if at.Phase == contexts.PhaseRetry {
			sum += retry.Delay(at.Attempt)
		}
	}
	return sum
}

func phaseNames(phases []contexts.PrefixCheckpoint) string {
	var names []string
	for _, at := range phases {
		names = append(names, string(at.Phase))
	}
	return strings.Join(names, " ")
}

// A checkpoint of another conversation, or of no phase, is refused.
func TestACheckpointMustFit(t *testing.T) {
	c := summing(t, 0)
	fits := contexts.PrefixCheckpoint{Phase: contexts.PhaseSummarize, SummaryRequest: contexts.SummaryRequest{Attempt: 1, MaxTokens: 160, Tail: 6, FirstKept: 4}}
	for name, tc := range map[string]struct {
		change func(*contexts.PrefixCheckpoint)
		want   string
	}{
		"longer":                  {func(at *contexts.PrefixCheckpoint) { at.Tail = 99 }, "the checkpoint is of 99 messages"},
		"shorter":                 {func(at *contexts.PrefixCheckpoint) { at.Tail = 5 }, "the checkpoint is of 5 messages"},
		"cuts into the seed":      {func(at *contexts.PrefixCheckpoint) { at.FirstKept = 1 }, "with 1 kept first"},
		"cuts beyond its end":     {func(at *contexts.PrefixCheckpoint) { at.FirstKept = 7 }, "with 7 kept first"},
		"a phase that is unheard": {func(at *contexts.PrefixCheckpoint) { at.Phase = "sideways" }, `unknown phase "sideways"`},
	} {
		at := fits
		tc.change(&at)
		_, err := prefix(t, small()).Resume(t.Context(), c, at)
		require.ErrorContains(t, err, tc.want, name)
	}
}
