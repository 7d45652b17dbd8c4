package parser

// Step3 reads the invoke tags of Step 3, each inside markers of its own.
func Step3() Parser {
	const (
		open, closing = "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"
		begin, end    = "<｜tool_call_begin｜>", "<｜tool_call_end｜>"
		sep           = "<｜tool_sep｜>"
	)
	args := tagged{
		keyOpen: `<steptml:parameter name="`, keyClose: `">`, valueClose: "</steptml:parameter>",
		callClose: "</steptml:invoke>", block: closing,
	}
	return frame{
		open:  []string{open},
		stray: []string{closing, begin, end, sep, "</steptml:invoke>", "</steptml:parameter>"},
		named: `<steptml:invoke name="`, nameEnd: `">`,
		block: func(t *turn, _ string) *fault {
			return t.section(closing, func(a *attempt) *fault {
				for _, lit := range []string{begin, "function", sep, `<steptml:invoke name="`} {
					t.skipBlanks()
					if f := t.expect(lit, "the beginning of a call"); f != nil {
						return f
					}
				}
				var f *fault
				if a.call.Name, f = t.name(`">`, "the name of the tool"); f != nil {
					return f
				}
				if a.call.Arguments, f = args.args(t, a.call.Name); f != nil {
					return f
				}
				t.skipBlanks()
				return t.expect(end, "the end of a call")
			})
		},
	}.dialect(tags)
}
