package parser

// GigaChat3 reads one call object at the end of a reply: after a marker in 3.1,
// after a message header in 3.0.
func GigaChat3() Parser {
	return frame{
		open: []string{"<|function_call|>", "<|message_sep|>\n\nfunction call<|role_sep|>\n"},
		block: func(t *turn, open string) *fault {
			a := attempt{from: t.pos - len(open)}
			t.skipBlanks()
			var f *fault
			if a.call, f = t.callObject(usualKeys); f != nil {
				return f
			}
			a.to = t.pos
			t.skipBlanks()
			if !t.done() {
				return t.malformed("there is text after the call")
			}
			t.add(a)
			return nil
		},
	}.dialect(think{})
}
