package parser

import "strings"

// Olmo3 reads Python calls, one a line, between function_calls tags.
func Olmo3() Parser {
	const open, closing = "<function_calls>", "</function_calls>"
	return frame{
		open:  []string{open},
		stray: []string{closing},
		block: func(t *turn, _ string) *fault { return t.pyLines(closing) },
	}.dialect(tags)
}

// pyLines reads one or more calls, each on a line of its own, and the closing
// marker.
func (t *turn) pyLines(closing string) *fault {
	end := 0
	return t.section(closing, func(a *attempt) *fault {
		if end > 0 && !strings.Contains(t.src[end:t.pos], "\n") {
			return t.malformed("each call stands on a line of its own")
		}
		var f *fault
		*a, f = t.pyCall(false)
		end = a.to
		return f
	})
}
