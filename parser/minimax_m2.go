package parser

// MiniMaxM2 reads the invoke tags of MiniMax M2.
func MiniMaxM2() Parser {
	const open, closing = "<minimax:tool_call>", "</minimax:tool_call>"
	args := tagged{
		keyOpen: `<parameter name="`, keyClose: `">`, valueClose: "</parameter>",
		callClose: "</invoke>", block: closing, lineStart: true,
	}
	return frame{
		open:  []string{open},
		stray: []string{closing, "</invoke>", "</parameter>"},
		named: `<invoke name="`, nameEnd: `">`,
		block: func(t *turn, _ string) *fault {
			return t.section(closing, func(a *attempt) *fault {
				if f := t.expect(`<invoke name="`, "the invoke tag"); f != nil {
					return f
				}
				var f *fault
				if a.call.Name, f = t.name(`">`, "the name of the tool"); f != nil {
					return f
				}
				a.call.Arguments, f = args.args(t, a.call.Name)
				return f
			})
		},
	}.dialect(tags)
}
