package parser

import "strings"

// Phi4Mini reads what the template of Phi-4-mini renders, an object or an array
// between markers, and the array after the word functools that servers know.
func Phi4Mini() Parser {
	const open, closing, word = "<|tool_call|>", "<|/tool_call|>", "functools["
	return frame{
		open:  []string{open, word},
		stray: []string{closing},
		block: func(t *turn, mark string) *fault {
			if mark == word {
				t.pos--
				return openArray(usualKeys)(t, mark)
			}
			t.skipBlanks()
			calls := []attempt{{from: t.pos}}
			var f *fault
			if strings.HasPrefix(t.rest(), "[") {
				calls, f = t.callArray(usualKeys)
			} else {
				calls[0].call, f = t.callObject(usualKeys)
				calls[0].to = t.pos
			}
			if f != nil {
				return f
			}
			t.skipBlanks()
			if f := t.expect(closing, "the end of the calls"); f != nil {
				return f
			}
			t.add(calls...)
			return nil
		},
	}.dialect(think{})
}
