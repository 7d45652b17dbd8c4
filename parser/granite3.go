package parser

// Granite3 reads a call array after a marker: 3.0 has a token of its own for
// it, 3.1 and later write a tag.
func Granite3() Parser {
	return frame{
		open:  []string{"<|tool_call|>", "<tool_call>"},
		block: openArray(usualKeys),
	}.dialect(think{})
}
