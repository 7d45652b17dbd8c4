package contexts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/rollout"
)

func TestSerializeConversation(t *testing.T) {
	calling := func(text string, calls ...rollout.ToolCall) rollout.Message {
		return rollout.Message{Role: rollout.RoleAssistant, Content: text, ToolCalls: calls}
	}
	c := func(name, args string) rollout.ToolCall {
		return rollout.ToolCall{Name: name, Arguments: json.RawMessage(args)}
	}
	long := strings.Repeat("é", contexts.ToolResultMaxChars)
	for _, tc := range []struct {
		name string
		m    rollout.Message
		want string
	}{
		{"user", rollout.User("hello"), "[User]: hello"},
		{"assistant", rollout.Assistant("hi"), "[Assistant]: hi"},
		{"result", rollout.ToolResult(c("f", "{}"), "three"), "[Tool result]: three"},
		{"system messages are left out", rollout.System("obey"), ""},
		{"reasoning is left out", rollout.Message{Role: rollout.RoleAssistant, Reasoning: "hm", Content: "hi"}, "[Assistant]: hi"},
		{"what is empty is left out", rollout.User(""), ""},
		{"a call", calling("", c("look", `{"page": "a"}`)), `[Assistant tool calls]: look(page="a")`},
		{"words and calls", calling("let me see", c("f", "{}"), c("g", `{"b": 1, "a": [1, {"x": null}]}`)),
			"[Assistant]: let me see\n\n[Assistant tool calls]: f(); g(b=1, a=[1,{\"x\":null}])"},
		{"text in a call is escaped", calling("", c("f", `{"t": "é\n\""}`)), `[Assistant tool calls]: f(t="\u00e9\n\"")`},
		{"arguments that are no object", calling("", c("f", `[1]`)), "[Assistant tool calls]: f()"},
		{"a result of 2,000 characters", rollout.ToolResult(c("f", ""), long), "[Tool result]: " + long},
		{"and of three more", rollout.ToolResult(c("f", ""), long+"abc"), "[Tool result]: " + long + "\n\n[... and 3 characters more]"},
		{"only results are cut", rollout.User(long + "abc"), "[User]: " + long + "abc"},
	} {
		require.Equal(t, tc.want, contexts.SerializeConversation([]rollout.Message{tc.m}), tc.name)
	}
	require.Equal(t, "[User]: a\n\n[Assistant]: b", contexts.SerializeConversation([]rollout.Message{rollout.User("a"), rollout.Assistant("b")}))
}

func TestSummaryPrompt(t *testing.T) {
	record := []rollout.Message{rollout.User("hello")}
	plain := contexts.SummaryPrompt(record, "")
	require.True(t, strings.HasPrefix(plain, "<conversation>\n[User]: hello\n</conversation>\n\n"))
	require.True(t, strings.HasSuffix(plain, contexts.SummarizationPrompt))
	require.Equal(t, plain+"\n\nLook at this besides: figures", contexts.SummaryPrompt(record, "figures"))
	require.NotEmpty(t, contexts.SummarizationSystemPrompt)
	require.True(t, strings.HasSuffix(contexts.SummaryPrefix, "<summary>\n"))
	require.Equal(t, "\n</summary>", contexts.SummarySuffix)
}

// Only a reply that ended by itself, has words and calls nothing is a summary.
func TestSummaryText(t *testing.T) {
	call := rollout.ToolCall{Name: "f"}
	for _, tc := range []struct {
		name   string
		finish rollout.Finish
		action rollout.Action
		text   string
		why    contexts.PrefixFailure
	}{
		{"words", rollout.FinishStop, rollout.Text{Content: " so it is\n"}, "so it is", ""},
		{"no words", rollout.FinishStop, rollout.Text{Content: " \n"}, "", contexts.FailureNoText},
		{"cut off", rollout.FinishLength, rollout.Text{Content: "so it"}, "", contexts.FailureLength},
		{"given up", rollout.FinishAbort, rollout.Text{Content: "so it is"}, "", contexts.FailureModel},
		{"a call beside words", rollout.FinishStop, rollout.Calls{Content: "so it is", Calls: []rollout.ToolCall{call}}, "", contexts.FailureToolCall},
		{"no call after all", rollout.FinishStop, rollout.Calls{Content: "so it is"}, "so it is", ""},
		{"an attempt at a call", rollout.FinishStop, rollout.Invalid{Status: rollout.ParseNone}, "", contexts.FailureToolCall},
	} {
		text, why := contexts.SummaryText(tc.finish, tc.action)
		require.Equal(t, tc.text, text, tc.name)
		require.Equal(t, tc.why, why, tc.name)
	}
	for _, why := range []contexts.PrefixFailure{
		contexts.FailureNoTurn, contexts.FailureModel, contexts.FailureLength, contexts.FailureToolCall, contexts.FailureNoText,
	} {
		require.NotEmpty(t, why.Sentence(), why)
	}
}
