package parser

// MiniCPM3 reads Python calls, one a line, in a fence between markers.
func MiniCPM3() Parser {
	const open, closing = "<|tool_call_start|>", "<|tool_call_end|>"
	return frame{
		open:  []string{open},
		stray: []string{closing},
		block: func(t *turn, _ string) *fault {
			t.skipBlanks()
			if f := t.expect("```python", "the fence before the calls"); f != nil {
				return f
			}
			had := len(t.attempts)
			if f := t.pyLines("```"); f != nil {
				return f
			}
			t.skipBlanks()
			if f := t.expect(closing, "the end of the calls"); f != nil {
				t.attempts = t.attempts[:had]
				return f
			}
			return nil
		},
	}.dialect(think{})
}
