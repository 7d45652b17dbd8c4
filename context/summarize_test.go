package contexts_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/agent"
	contexts "focus/context"
	"focus/env"
	"focus/policy/policytest"
	"focus/rollout"
)

func summarize(t testing.TB, c contexts.SummarizeConfig) *contexts.Summarize {
	t.Helper()
	m, err := contexts.NewSummarize(c)
	require.NoError(t, err)
	return m
}

func TestSummarizeDefaults(t *testing.T) {
	c := summarize(t, contexts.SummarizeConfig{}).Config()
	require.Equal(t, contexts.PromptTokens{Max: 8192}, c.Trigger)
	require.Equal(t, 8, c.MaxInteractions)
	require.Equal(t, 2048, c.MaxReplyTokens)
	require.Zero(t, c.SummaryTargetTokens)
	require.Equal(t, contexts.DefaultInstruction, c.Instruction)
	require.Equal(t, "{transcript}", c.TranscriptTemplate)
	require.Equal(t, rollout.RoleUser, c.MemoryRole)
	require.Equal(t, contexts.DefaultResumeInstruction, c.ResumeInstruction)
	require.True(t, *c.IncludeFoldedGuidance)
	require.Nil(t, c.PenaltyCap)
	require.Nil(t, c.Sampling)
	require.Equal(t, contexts.PromptTokens{Max: 9}, summarize(t, contexts.SummarizeConfig{MaxPromptTokens: 9}).Config().Trigger)
	for _, placeholder := range []string{"{workspace}", "{budget}", "{limit}"} {
		require.Contains(t, contexts.DefaultInstruction, placeholder)
	}
}

func TestSummarizeNamesEveryBadOption(t *testing.T) {
	nan := math.NaN()
	_, err := contexts.NewSummarize(contexts.SummarizeConfig{
		MaxInteractions: -1, MaxPromptTokens: -1, MaxReplyTokens: -1, SummaryTargetTokens: -1,
		TranscriptTemplate: "nothing", MemoryRole: "tool", PenaltyCap: &nan,
	})
	for _, key := range []string{"max_interactions", "max_prompt_tokens", "max_reply_tokens", "summary_target_tokens", "transcript_template", "memory_role", "penalty_cap"} {
		require.ErrorContains(t, err, key+": ")
	}
}

// A fold has its own law and cap, a state renderer sees the relieved state, and
// what a transcript says is never taken for a placeholder.
func TestSummarizeOptionsReachTheFold(t *testing.T) {
	law := rollout.SamplingParams{Temperature: 0.5, TopP: 0.9}
	no := false
	m := summarize(t, contexts.SummarizeConfig{
		Trigger: contexts.StateCounter{}, MaxReplyTokens: 77, SummaryTargetTokens: 55, Sampling: &law, IncludeFoldedGuidance: &no,
		MemoryRole: rollout.RoleAssistant, ResumeInstruction: "Onwards.",
		Instruction:   "Fold this.{workspace}{budget}{limit}",
		StateRenderer: func(s any) string { return fmt.Sprint("left ", s.(env.Episode[looked]).Budget.Remaining) },
	})
	pages := map[string]string{"a": "{budget} {transcript}"}
	s := play(t, playing(t, worldConfig{Want: "7", RoundCalls: 1, Pages: pages, Workspace: true}, m, 8, look("a"), call("store", `{"name":"n","text":"x"}`), "notes", "7"))
	require.Equal(t, rollout.StopAnswered, s.Reason())
	var folds []*rollout.Turn
	for turn := range s.Turns() {
		if turn.Tag == rollout.TagFold {
			folds = append(folds, turn)
		}
	}
	require.Len(t, folds, 2)
	require.Equal(t, 77, folds[0].Sampling.MaxTokens)
	require.Equal(t, 0.5, folds[0].Sampling.Temperature)
	require.NotEqual(t, folds[0].Sampling.Seed, folds[1].Sampling.Seed)
	shown := text(folds[0].Prefix().Slice())
	require.Contains(t, shown, "Aim at 55 tokens")
	require.Contains(t, shown, "{budget} {transcript}")
	require.Contains(t, shown, "8 replies")
	messages := s.Messages.AppendTo(nil)
	require.Equal(t, rollout.Assistant("notes\n\nStored in the workspace: n\n\nleft 1"), messages[2])
	require.Equal(t, rollout.User("Onwards."), messages[3])
}

// The cap of a whole rollout counts what its folds sample.
func TestFoldsSpendTheRolloutsTokens(t *testing.T) {
	m := summarize(t, contexts.SummarizeConfig{Trigger: contexts.StateCounter{}})
	a, err := agent.New(agent.Config{
		Policy: policytest.NewScripted(policytest.Say(look("a"), strings.Repeat("x", 200), "7")),
		Env:    world(t, worldConfig{RoundCalls: 1}), Context: m, MaxSteps: 8, MaxRolloutTokens: 100,
	})
	require.NoError(t, err)
	s := play(t, a)
	require.Equal(t, 100, s.Generated())
	require.Equal(t, rollout.StopMaxTokens, s.Reason())
}

func TestAnInfrastructureFailureOfAFoldIsNoVerdict(t *testing.T) {
	down := errors.New("down")
	m := summarize(t, contexts.SummarizeConfig{Trigger: contexts.StateCounter{}})
	pol := policytest.NewScripted(failing(down, 1, look("a")))
	a, err := agent.New(agent.Config{Policy: pol, Env: world(t, worldConfig{RoundCalls: 1}), Context: m, MaxSteps: 8})
	require.NoError(t, err)
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	s, err = a.Run(t.Context(), s)
	require.ErrorIs(t, err, down)
	require.False(t, s.Done(), "the last good state can be stepped again")
	require.Zero(t, s.Compactions)
}

// The cap holds whatever the model does: the penalties of an episode never add
// up to more.
func TestPenaltyCapHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.Float64Range(0, 0.5).Draw(rt, "cap")
		bad := rapid.IntRange(0, 6).Draw(rt, "malformed first replies")
		m := summarize(t, contexts.SummarizeConfig{Trigger: contexts.StateCounter{}, StructuredSummary: true, PenaltyCap: &limit})
		good := `{"facts": [], "done": [], "open": [], "next": "go on"}`
		var replies []string
		for range bad {
			replies = append(replies, look("a"), "not JSON", good)
		}
		s := play(t, playing(t, worldConfig{RoundCalls: 1}, m, 2*bad+2, append(replies, "done")...))
		require.Equal(rt, bad, s.Folds())
		require.InDelta(rt, -min(limit, float64(bad)*contexts.MalformedPenalty), s.Scores().Penalty, 1e-9)
	})
}

func TestParseStructuredNotes(t *testing.T) {
	for text, want := range map[string]string{
		`{"facts": [], "done": [], "open": [], "next": "go"}`: "",
		`nothing`: "not one JSON object",
		`[]`:      "not one JSON object",
		`{"facts": [], "done": [], "open": [], "next": "go"} more`:     "text after the object",
		`{"facts": [1], "done": [], "open": [], "next": "go"}`:         "facts cannot be a number",
		`{"facts": [], "done": []}`:                                    "missing: open, next",
		`{"facts": null, "done": [], "open": [], "next": "x"}`:         "missing: facts",
		`{"facts": [], "done": [], "open": [], "next": " "}`:           "next is empty",
		`{"facts": [], "done": [], "open": [], "next": "x", "more":1}`: `unknown key "more"`,
	} {
		_, err := contexts.ParseStructuredNotes(text)
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzParseStructuredNotes(f *testing.F) {
	f.Add(`{"facts": ["a"], "done": [], "open": [], "next": "go"}`)
	f.Add(`{"facts": `)
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := contexts.ParseStructuredNotes(text); err == nil && !strings.HasSuffix(n.String(), n.Next) {
			t.Fatalf("%q lost its next step", text)
		}
	})
}

// once is a trigger that nothing relieves: it fires from the first page on.
type once struct{}

func (once) Fires(_ rollout.Tokens, state any) bool {
	return state.(env.Episode[looked]).State.Pages > 0
}

// Good notes are not blamed for a trigger that nothing relieves: the agent finds
// it stuck.
func TestAFoldIsNotBlamedForATriggerWithoutRelief(t *testing.T) {
	m := summarize(t, contexts.SummarizeConfig{Trigger: once{}})
	s := play(t, playing(t, worldConfig{}, m, 8, look("a"), "notes"))
	require.Equal(t, rollout.StopFoldStuck, s.Reason())
	require.Equal(t, 1, s.Folds())
}
