package parser

import "strings"

// Cohere reads action arrays of Command R7B, Command A and Cohere2-MoE. The
// markers around an answer are no part of it.
func Cohere() Parser {
	answer := strings.NewReplacer(
		"<|START_RESPONSE|>", "", "<|END_RESPONSE|>", "",
		"<|START_TEXT|>", "", "<|END_TEXT|>", "")
	d := arrayBlocks("<|START_ACTION|>", "<|END_ACTION|>", callKeys{
		name: "tool_name", args: []string{"parameters"}, id: "tool_call_id",
	}).dialect(think{open: "<|START_THINKING|>", close: "<|END_THINKING|>"})
	read := d.read
	d.read = func(t *turn) *fault {
		f := read(t)
		texts := t.texts
		t.texts = nil
		for _, s := range texts {
			if s = trim(answer.Replace(s)); s != "" {
				t.texts = append(t.texts, s)
			}
		}
		return f
	}
	return d
}
