package parser

// Hermes reads JSON calls between tool_call tags: Hermes 2 and 3, Qwen 2 to 3,
// EXAONE 4 and their kin.
func Hermes() Parser { return jsonBlocks("<tool_call>", "</tool_call>").dialect(tags) }

// jsonBlocks is a dialect of one call object per tagged block. The block ends
// where its JSON does: a closing tag inside a string is part of the string.
func jsonBlocks(open, closing string) frame {
	return frame{
		open:  []string{open},
		stray: []string{closing},
		block: func(t *turn, _ string) *fault {
			from := t.pos - len(open)
			t.skipBlanks()
			call, f := t.callObject(usualKeys)
			if f != nil {
				return f
			}
			t.skipBlanks()
			if f := t.expect(closing, "the closing tag of the call"); f != nil {
				return f
			}
			t.add(attempt{call: call, from: from, to: t.pos})
			return nil
		},
	}
}
