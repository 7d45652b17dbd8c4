package parser

// FunctionaryV31 reads JSON arguments in a tag that names the function.
func FunctionaryV31() Parser {
	const open, closing = "<function=", "</function>"
	return frame{
		open:  []string{open},
		stray: []string{closing},
		block: func(t *turn, _ string) *fault {
			a := attempt{from: t.pos - len(open)}
			var f *fault
			if a.call.Name, f = t.name(">", "the name of the function"); f != nil {
				return f
			}
			t.skipBlanks()
			if a.call.Arguments, f = t.bareArguments(); f != nil {
				return f
			}
			t.skipBlanks()
			if f := t.expect(closing, "the end of the call"); f != nil {
				return f
			}
			a.to = t.pos
			t.add(a)
			return nil
		},
	}.dialect(think{})
}
