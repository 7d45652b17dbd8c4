package parser_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/parser"
	"focus/parser/parsertest"
	"focus/rollout"
)

const call = `<tool_call>{"name": "f", "arguments": {"n": 1.50, "a": 12345678901234567890}}</tool_call>`

func TestHermesVerdicts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       rollout.ParseStatus
		reason     string
	}{
		{"call", call, ok, ""},
		{"blanks before the think block", "\n <think>x</think>" + call, ok, ""},
		{"a later think block is content", "A <think>" + call + "</think>", ok, ""},
		{"closing tag of reasoning alone is content", "</think>" + call, ok, ""},
		{"no blanks", `<tool_call>{"name":"f"}</tool_call>`, ok, ""},
		{"101 levels", deep(101), malformed, "the JSON nests too deeply"},
		{"100 levels", deep(100), ok, ""},
		{"duplicate key by escape", `<tool_call>{"name":"f","arguments":{"a":1,"\u0061":2}}</tool_call>`, malformed, "a key occurs twice in one JSON object"},
		{"duplicate key far apart", `<tool_call>{"name":"f","arguments":` + wide(40) + `}</tool_call>`, malformed, "a key occurs twice in one JSON object"},
		{"same key in two objects", `<tool_call>{"name":"f","arguments":{"a":{"x":1},"b":{"x":1}}}</tool_call>`, ok, ""},
		{"arguments twice wrapped", `<tool_call>{"name":"f","arguments":"\"{}\""}</tool_call>`, malformed, "the arguments are a string that holds no JSON object"},
		{"duplicate key in wrapped arguments", `<tool_call>{"name":"f","arguments":"{\"a\":1,\"a\":1}"}</tool_call>`, malformed, "the arguments are a string that holds no JSON object"},
		{"low surrogate first", `<tool_call>{"name":"f","arguments":{"a":"\ude00\ud83d"}}</tool_call>`, malformed, "a JSON string holds half of a surrogate pair"},
		{"cut between surrogates", `<tool_call>{"name":"f","arguments":{"a":"\ud83d\u`, truncated, "the reply ends inside the call"},
		{"invalid UTF-8", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"\xff\"}}</tool_call>", malformed, "a JSON string is not valid UTF-8"},
		{"cut inside a rune", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"\xe2\x82", truncated, "the reply ends inside the call"},
		{"invalid UTF-8 and cut", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"\xff\xe2\x82", malformed, "a JSON string is not valid UTF-8"},
		{"cut in a word", `<tool_call>{"name":"f","arguments":{"a":tr`, truncated, "the reply ends inside the call"},
		{"cut in a number", `<tool_call>{"name":"f","arguments":{"a":-1.`, truncated, "the reply ends inside the call"},
		{"bad number", `<tool_call>{"name":"f","arguments":{"a":1._}}</tool_call>`, malformed, "a number in the JSON is not written as JSON writes them"},
		{"four characters of the opener", "Now <too", truncated, "the reply ends inside the call"},
		{"three characters of the opener", "Now <to", none, ""},
		{"opening tag and nothing", "Now <tool_call>", truncated, "the reply ends inside the call"},
		{"stray closing tag after a call", call + "</tool_call>", malformed, "a tag of a tool call stands outside of a call"},
		{"text after the object", `<tool_call>{"name":"f"} now</tool_call>`, malformed, "the closing tag of the call is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := parser.Hermes().Parse(parsertest.Bytes(sample(c.name, c.want, c.text)))
			require.Equal(t, c.want, got.Status, "text %q gave %+v", c.text, got)
			reason := ""
			if n := len(got.Attempts); n > 0 {
				reason = got.Attempts[n-1].Reason
			}
			assert.Equal(t, c.reason, reason)
		})
	}
}

// deep is a call whose JSON nests to the given depth.
func deep(levels int) string {
	return `<tool_call>{"name":"f","arguments":{"a":` + strings.Repeat("[", levels-2) +
		strings.Repeat("]", levels-2) + `}}</tool_call>`
}

// wide is an object of many keys, the last of which is the first again.
func wide(keys int) string {
	var b strings.Builder
	b.WriteString(`{"k":0`)
	for i := range keys {
		b.WriteString(`,"k` + strings.Repeat("x", i+1) + `":0`)
	}
	return b.String() + `,"k":1}`
}

func TestHermesKeepsWhatWasWritten(t *testing.T) {
	got := parser.Hermes().Parse(parsertest.Bytes(sample("", ok, "A\n"+call+" B "+call)))
	require.Equal(t, ok, got.Status)
	require.Len(t, got.Message.ToolCalls, 2)
	assert.Equal(t, `{"n": 1.50, "a": 12345678901234567890}`, string(got.Message.ToolCalls[0].Arguments))
	assert.Equal(t, "call_0", got.Message.ToolCalls[0].ID)
	assert.Equal(t, "call_1", got.Message.ToolCalls[1].ID)
	assert.Equal(t, "A\nB", got.Message.Content)
	assert.Equal(t, rollout.Span{Start: 2, End: 2 + len(call)}, got.Attempts[0].Span)
	assert.Equal(t, rollout.Span{Start: 5 + len(call), End: 5 + 2*len(call)}, got.Attempts[1].Span)
}

func TestHermesFailureShowsTheRawText(t *testing.T) {
	text := "<think>why</think>A\n" + call + "\n<tool_call>{oops}</tool_call> B"
	got := parser.Hermes().Parse(parsertest.Bytes(sample("", malformed, text)))
	assert.Equal(t, "why", got.Message.Reasoning)
	assert.Equal(t, strings.TrimPrefix(text, "<think>why</think>"), got.Message.Content)
	assert.Empty(t, got.Message.ToolCalls)
	require.Len(t, got.Attempts, 2)
	assert.Equal(t, ok, got.Attempts[0].Status)
	assert.Equal(t, "f", got.Attempts[0].Call.Name)
	bad := strings.Index(text, "<tool_call>{oops")
	assert.Equal(t, rollout.Span{Start: bad, End: bad + len("<tool_call>{o")}, got.Attempts[1].Span)
	assert.Equal(t, rollout.Invalid{Status: malformed, Feedback: "Your tool call could not be read, so nothing ran: " +
		"JSON keys stand in double quotes. Correct this and send every call of the turn again."}, got.Action)
}

func TestNothingRunsAfterACapOrAnAbort(t *testing.T) {
	for _, f := range []rollout.Finish{rollout.FinishLength, rollout.FinishAbort, ""} {
		r := parsertest.Bytes(sample("", ok, call))
		r.Finish = f
		got := parser.Hermes().Parse(r)
		assert.Equal(t, truncated, got.Status, "finish %q", f)
		assert.Equal(t, rollout.ActionInvalid, got.Action.Kind(), "finish %q", f)
		require.Len(t, got.Attempts, 1)
		assert.Equal(t, ok, got.Attempts[0].Status)
	}
}

func TestSpansOfSharedIDs(t *testing.T) {
	text := "Hi <tool_call>{\"name\":\"f\"}</tool_call>\n"
	got := parser.Hermes().Parse(parser.Reply{
		Tokens: []rollout.TokenID{1, 2, 3, 4, 5, 6},
		Text:   text + "<|im_end|>",
		// "Hi", " <tool", "_call>{…}</tool_cal", an id without text, "l>\n".
		Ends:    []int{2, 8, len(text) - 3, len(text) - 3, len(text), len(text) + 10},
		Finish:  rollout.FinishStop,
		Matched: 6,
	})
	require.Equal(t, ok, got.Status)
	assert.Equal(t, rollout.Span{Start: 1, End: 5}, got.Attempts[0].Span)
}
