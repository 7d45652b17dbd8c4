package cmd

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/internal/config"
	"focus/internal/job"
	"focus/rollout"
)

// manager builds the context section of a job file.
func manager(t *testing.T, r *Registry, text string) (contexts.Manager, error) {
	t.Helper()
	doc, err := config.Parse("job.yaml", []byte("context: "+text))
	require.NoError(t, err)
	var c struct {
		Context config.Section `yaml:"context"`
	}
	require.NoError(t, doc.Decode(&c))
	return r.Managers.Build(job.Deps{}, c.Context)
}

// always is a user's own trigger, with a key of its own.
type always struct {
	Loud bool `yaml:"loud"`
}

func (always) Fires(rollout.Tokens, any) bool { return true }

func TestContextsByYAML(t *testing.T) {
	r := Builtin()
	RegisterTrigger(r, "always", "at every step", func(c always) (contexts.Trigger, error) { return c, nil })
	RegisterContext(r, "mine", "a manager of one's own", func(c struct {
		Tokens int `yaml:"tokens"`
	}) (contexts.Manager, error) {
		return contexts.KeepRecent{Base: contexts.Base{Trigger: contexts.PromptTokens{Max: c.Tokens}}}, nil
	})
	for _, tc := range []struct {
		text string
		keep int
		want contexts.Trigger
	}{
		{"keep_recent", 4, contexts.PromptTokens{}},
		{"{kind: keep_recent, keep: 2, trigger: state_counter}", 2, contexts.StateCounter{}},
		{"{kind: keep_recent, trigger: {kind: prompt_tokens, max: 4096}}", 4, contexts.PromptTokens{Max: 4096}},
		{"{kind: keep_recent, trigger: {kind: state_counter, remaining: a, maximum: b}}", 4, contexts.StateCounter{Remaining: "a", Maximum: "b"}},
		{"{kind: keep_recent, trigger: {kind: always, loud: true}}", 4, always{Loud: true}},
		{"{kind: keep_recent, trigger: {kind: any_of, triggers: [state_counter, {kind: prompt_tokens, max: 9}]}}", 4, contexts.NewAnyOf(contexts.StateCounter{}, contexts.PromptTokens{Max: 9})},
		{"{kind: mine, tokens: 7}", 0, contexts.PromptTokens{Max: 7}},
	} {
		m, err := manager(t, r, tc.text)
		require.NoError(t, err, tc.text)
		require.Equal(t, contexts.KeepRecent{Base: contexts.Base{Trigger: tc.want}, Keep: tc.keep}, m, tc.text)
	}
}

func TestContextProblemsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"{kind: summarize, memory_role: tool}":                                             `context.memory_role: "tool"`,
		"{kind: summarize, fold_workspace: disk}":                                          `context.fold_workspace: "disk"`,
		"{kind: summarize, sampling: {top_p: 2}}":                                          "context.sampling: top-p 2",
		"{kind: summarize, penalty_cap: -1}":                                               "context.penalty_cap: -1",
		"{kind: prefix_summary, keep_recent_tokens: -1}":                                   "context.keep_recent_tokens: -1",
		"{kind: prefix_summary, window: 2048}":                                             "context.reserve_tokens: 16384 leaves nothing of a window of 2048",
		"{kind: prefix_summary, sampling: {min_p: 2}}":                                     "context.sampling: min-p 2",
		"{kind: context_tools, operations: [forget]}":                                      `context.operations: "forget"`,
		"{kind: context_tools, operations: [drop, drop]}":                                  `context.operations: "drop"`,
		"{kind: keep_recent, keep: -1}":                                                    "context.keep: -1",
		"{kind: keep_recent, trigger: {kind: prompt_token}}":                               `context.trigger.kind: no compaction trigger of kind "prompt_token"; did you mean "prompt_tokens"?`,
		"{kind: keep_recent, trigger: {kind: prompt_tokens, max: -1}}":                     "context.trigger.max: -1",
		"{kind: keep_recent, trigger: {kind: any_of}}":                                     "context.trigger.triggers: needs at least one",
		"{kind: keep_recent, trigger: {kind: any_of, triggers: [{kind: state_counters}]}}": "context.trigger.triggers[0].kind: no compaction trigger",
	} {
		_, err := manager(t, Builtin(), text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestSummarizeByYAML(t *testing.T) {
	m, err := manager(t, Builtin(), `{kind: summarize, trigger: state_counter, max_interactions: 1, max_prompt_tokens: 2, max_reply_tokens: 3,
  summary_target_tokens: 4, require_complete_reply: true, structured_summary: true, sampling: {temperature: 0.5, top_k: 5},
  instruction: i, fold_workspace: memory, transcript_template: "t {transcript}", memory_role: assistant, render_counters: [n],
  resume_instruction: r, include_folded_guidance: false, penalty_cap: 0.5}`)
	require.NoError(t, err)
	c := m.(*contexts.Summarize).Config()
	require.NotNil(t, c.FoldWorkspace)
	require.NotNil(t, c.StateRenderer)
	c.FoldWorkspace, c.StateRenderer = nil, nil
	no, limit := false, 0.5
	require.Equal(t, contexts.SummarizeConfig{
		Trigger: contexts.StateCounter{}, MaxInteractions: 1, MaxPromptTokens: 2, MaxReplyTokens: 3, SummaryTargetTokens: 4,
		RequireCompleteReply: true, StructuredSummary: true, Sampling: &rollout.SamplingParams{Temperature: 0.5, TopP: 1, TopK: 5},
		Instruction: "i", TranscriptTemplate: "t {transcript}", MemoryRole: rollout.RoleAssistant, ResumeInstruction: "r",
		IncludeFoldedGuidance: &no, PenaltyCap: &limit,
	}, c)
}

func TestPrefixSummaryByYAML(t *testing.T) {
	m, err := manager(t, Builtin(), `{kind: prefix_summary, reserve_tokens: 1, keep_recent_tokens: 2, window: 3, max_reply_tokens: 4,
  instructions: i, sampling: {temperature: 0}, retry: {max_retries: -1, base_delay: 5s, max_delay: 6s}}`)
	require.NoError(t, err)
	require.Equal(t, contexts.PrefixSummaryConfig{
		ReserveTokens: 1, KeepRecentTokens: 2, Window: 3, MaxReplyTokens: 4, Instructions: "i", Sampling: &rollout.SamplingParams{TopP: 1},
		Retry: contexts.RetryConfig{MaxRetries: -1, BaseDelay: 5 * time.Second, MaxDelay: 6 * time.Second},
	}, m.(*contexts.PrefixSummary).Config())
}

func TestContextToolsByYAML(t *testing.T) {
	for text, want := range map[string][]string{
		"context_tools": {"drop_messages", "summarise_messages"},
		"{kind: context_tools, operations: [summarise]}": {"summarise_messages"},
	} {
		m, err := manager(t, Builtin(), text)
		require.NoError(t, err)
		var got []string
		for _, s := range m.(*contexts.ContextTools).Schemas() {
			got = append(got, s.Name)
		}
		require.Equal(t, want, got)
	}
}
