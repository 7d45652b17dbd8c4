package parser

// GLM reads a tool's name and arg_key and arg_value tags: GLM 4.5 and later,
// Ling 3, Laguna.
func GLM() Parser {
	const open, closing = "<tool_call>", "</tool_call>"
	args := tagged{
		keyOpen: "<arg_key>", keyClose: "</arg_key>",
		valueOpen: "<arg_value>", valueClose: "</arg_value>",
		callClose: closing, block: closing,
	}
	k := tags
	// A model that skips its reasoning writes the closing tag at once.
	k.bareClose = true
	return frame{
		open:  []string{open},
		stray: []string{closing, args.keyOpen, args.keyClose, args.valueOpen, args.valueClose},
		block: func(t *turn, _ string) *fault {
			a := attempt{from: t.pos - len(open)}
			var f *fault
			if a.call.Name, f = t.bareName("the name of the tool"); f != nil {
				return f
			}
			if a.call.Arguments, f = args.args(t, a.call.Name); f != nil {
				return f
			}
			a.to = t.pos
			t.add(a)
			return nil
		},
	}.dialect(k)
}
