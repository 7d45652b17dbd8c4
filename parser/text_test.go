package parser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"focus/parser"
	"focus/parser/parsertest"
	"focus/rollout"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		name, text         string
		thinking           bool
		content, reasoning string
	}{
		{"answer", " 42 \n", false, "42", ""},
		{"reasoning and answer", "<think>\nhm\n</think>\n\n42", false, "42", "hm"},
		{"prompt opened the reasoning", "hm</think>42", true, "42", "hm"},
		{"reasoning never closes", "<think>hm", false, "", "hm"},
		{"think block later on", "42 <think>hm</think>", false, "42 <think>hm</think>", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sample(c.name, none, c.text)
			s.Thinking = c.thinking
			got := parser.Text().Parse(parsertest.Bytes(s))
			assert.Equal(t, rollout.Text{Content: c.content}, got.Action)
			assert.Equal(t, c.reasoning, got.Message.Reasoning)
		})
	}
}

func TestTokenChunk(t *testing.T) {
	first := parser.Reply{
		Tokens: []rollout.TokenID{7, 8}, Text: " 4", Ends: []int{1, 2},
		Finish: rollout.FinishLength, Matched: -1,
	}
	got := parser.TokenChunk().Parse(first)
	assert.Equal(t, rollout.TokenChunk{Tokens: []rollout.TokenID{7, 8}, Reply: " 4"}, got.Action)
	assert.Equal(t, " 4", got.Message.Content)

	last := parser.Reply{
		Tokens: []rollout.TokenID{9, 99}, Text: "2 <|im_end|>", Ends: []int{2, 12},
		Finish: rollout.FinishStop, Matched: 99, Before: " 4",
	}
	got = parser.TokenChunk().Parse(last)
	assert.Equal(t, rollout.TokenChunk{Tokens: []rollout.TokenID{9, 99}, Reply: " 42 ", Final: true}, got.Action)
	assert.Equal(t, "2 ", got.Message.Content)
	assert.Equal(t, last.Tokens, got.Message.Sampled)
}
