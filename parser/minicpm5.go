package parser

import "strings"

// MiniCPM5 reads function tags without a block around them. A value with markup
// in it stands in a CDATA section.
func MiniCPM5() Parser {
	const open, closing = `<function name="`, "</function>"
	args := tagged{
		keyOpen: `<param name="`, keyClose: `">`, valueClose: "</param>",
		callClose: closing, block: closing, strip: stripCDATA,
	}
	return frame{
		open:  []string{open},
		stray: []string{closing, `<param name="`, "</param>"},
		block: func(t *turn, _ string) *fault {
			a := attempt{from: t.pos - len(open)}
			var f *fault
			if a.call.Name, f = t.name(`">`, "the name of the function"); f != nil {
				return f
			}
			if a.call.Arguments, f = args.args(t, a.call.Name); f != nil {
				return f
			}
			a.to = t.pos
			t.add(a)
			return nil
		},
	}.dialect(tags)
}

// stripCDATA is what a CDATA section says.
func stripCDATA(v string) string {
	inner, ok := strings.CutPrefix(v, "<![CDATA[")
	if !ok {
		return v
	}
	if text, ok := strings.CutSuffix(inner, "]]>"); ok {
		return text
	}
	return v
}
