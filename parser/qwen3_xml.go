package parser

import "strings"

// Qwen3XML reads calls of one function tag per tool_call block: Qwen3-Coder,
// Qwen3.5 and later, Nemotron 3, Step 3.5, MiMo 2.
func Qwen3XML() Parser {
	return functionTags("<tool_call>", "</tool_call>", stripNewline).dialect(tags)
}

// stripNewline takes one newline off each end: the template puts a value on
// lines of its own. More of them are the value's.
func stripNewline(v string) string {
	return strings.TrimSuffix(strings.TrimPrefix(v, "\n"), "\n")
}

// functionTags is a dialect of `<function=NAME>` with `<parameter=KEY>` inside,
// one function per block.
func functionTags(open, closing string, strip func(string) string) frame {
	args := tagged{
		keyOpen: "<parameter=", keyClose: ">", valueClose: "</parameter>",
		callClose: "</function>", block: closing, lineStart: true, strip: strip,
	}
	return frame{
		open:  []string{open},
		stray: []string{closing, "</function>", "</parameter>"},
		named: "<function=", nameEnd: ">",
		block: func(t *turn, _ string) *fault {
			a := attempt{from: t.pos - len(open)}
			t.skipBlanks()
			if f := t.expect("<function=", "the function tag"); f != nil {
				return f
			}
			var f *fault
			if a.call.Name, f = t.name(">", "the name of the function"); f != nil {
				return f
			}
			if a.call.Arguments, f = args.args(t, a.call.Name); f != nil {
				return f
			}
			t.skipBlanks()
			if f := t.expect(closing, "the closing tag of the call"); f != nil {
				return f
			}
			a.to = t.pos
			t.add(a)
			return nil
		},
	}
}
