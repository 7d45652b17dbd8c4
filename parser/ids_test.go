package parser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/parser"
	"focus/parser/parsertest"
)

func TestCallIDs(t *testing.T) {
	for _, c := range []struct {
		name string
		p    parser.Parser
		text string
		want []string
	}{
		{"none written", parser.Jamba(), `<tool_calls>[{"name":"f"},{"name":"f"}]</tool_calls>`, []string{"call_0", "call_1"}},
		{"some written", parser.MistralOld(), `[TOOL_CALLS][{"name":"f"},{"name":"f","id":"call_0"},{"name":"f","id":7}]`, []string{"call_1", "call_0", "call_2"}},
		{"named by id", parser.KimiK2(), `<|tool_calls_section_begin|><|tool_call_begin|> functions.a:b:7 <|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`, []string{"functions.a:b:7"}},
		{"between markers", parser.MistralNew(), `[TOOL_CALLS]f[CALL_ID]Ab3dE6gH9[ARGS]{}`, []string{"Ab3dE6gH9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := idsOf(t, c.p, c.text)
			assert.Equal(t, c.want, got)
		})
	}
}

// idsOf is the ids of the calls in a text.
func idsOf(t *testing.T, p parser.Parser, text string) []string {
	t.Helper()
	got := p.Parse(parsertest.Bytes(sample("", ok, text)))
	require.Equal(t, ok, got.Status, "%+v", got)
	var ids []string
	for i, c := range got.Message.ToolCalls {
		ids = append(ids, c.ID)
		assert.Equal(t, c.ID, got.Attempts[i].Call.ID)
	}
	return ids
}
