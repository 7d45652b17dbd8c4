package expert_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/env/expert"
	"focus/rollout"
)

// A fold's reply depends on the record alone, in either manager's words.
func TestFoldWritesWhatTheRecordHas(t *testing.T) {
	f, err := expert.New("notes", expert.Options{})
	require.NoError(t, err)
	fold := func(system, shown string) string {
		m, err := f.Fold([]rollout.Message{rollout.System(system), rollout.User(shown)})
		require.NoError(t, err)
		require.Empty(t, m.ToolCalls)
		return m.Content
	}
	const task = "[user]\nFind\nMilo.boss.food"
	for _, tc := range []struct{ name, record, want string }{
		{"nothing found yet", task, "none\nMilo.boss.food"},
		{"an id", task + "\n\n[assistant]\nMilo.boss.food\ncalls search {\"query\": \"Milo\"}\n\n[tool search]\nMilo=57", "Milo=57\nMilo.boss.food"},
		{"a note", task + "\n\n[tool read]\nMilo\nfood=rice\nboss=Ugo", "boss=Ugo\nUgo.food"},
		{"notes, then a note", task + "\n\n[user]\nRely on these.\n\nboss=Ugo\nUgo.food\n\n[tool read]\nUgo\nfood=stew", "food=stew\nstew"},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, fold(contexts.DefaultInstruction, tc.record)) })
	}
	record := contexts.SummaryPrompt([]rollout.Message{
		rollout.User("Find\nMilo.boss.food"), {Role: rollout.RoleTool, Content: "Milo\nfood=rice\nboss=Ugo"},
	}, "")
	got := fold(contexts.SummarizationSystemPrompt, record)
	require.Contains(t, got, "## Task\nMilo.boss.food\n")
	require.Contains(t, got, "### Finished\n- [x] boss=Ugo\n")
	require.Contains(t, got, "### Under way\n- [ ] Ugo.food\n")
	next, err := f.Act([]rollout.Message{rollout.User("Find\nMilo.boss.food"), rollout.User(contexts.SummaryPrefix + got + contexts.SummarySuffix)})
	require.NoError(t, err)
	require.Equal(t, "Ugo.food", next.Content)
	require.JSONEq(t, `{"query": "Ugo"}`, string(next.ToolCalls[0].Arguments))
}

// The parts of a summary are those that the prompt asks for, in its order.
func TestSummaryHasThePromptsParts(t *testing.T) {
	f, err := expert.New("notes", expert.Options{})
	require.NoError(t, err)
	m, err := f.Fold([]rollout.Message{rollout.System(""), rollout.User(contexts.SummaryPrompt([]rollout.Message{rollout.User("Find\nMilo.food")}, ""))})
	require.NoError(t, err)
	require.Equal(t, headings(contexts.SummarizationPrompt), headings(m.Content))
}

func headings(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "##") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

func TestFamiliesThatDoNotFold(t *testing.T) {
	f, err := expert.New("calculator", expert.Options{})
	require.NoError(t, err)
	_, err = f.Fold(nil)
	require.ErrorContains(t, err, "the expert of calculator does not fold")
	f, err = expert.New("notes", expert.Options{})
	require.NoError(t, err)
	_, err = f.Fold(nil)
	require.ErrorContains(t, err, "no record in 0 messages")
}
