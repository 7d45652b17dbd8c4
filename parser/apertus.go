package parser

import "focus/rollout"

// Apertus reads arrays of objects whose one key is the tool and whose value is
// its arguments.
func Apertus() Parser {
	const open, closing = "<|tools_prefix|>", "<|tools_suffix|>"
	return frame{
		open:  []string{open},
		stray: []string{closing},
		block: func(t *turn, _ string) *fault {
			t.skipBlanks()
			if f := t.expect("[", "a JSON array of calls"); f != nil {
				return f
			}
			var calls []attempt
			for {
				t.skipBlanks()
				a := attempt{from: t.pos}
				var f *fault
				if a.call, f = t.keyedCall(); f != nil {
					return f
				}
				a.to = t.pos
				calls = append(calls, a)
				t.skipBlanks()
				if t.take("]") {
					break
				}
				if f := t.expect(",", "a comma between the calls, or the end of the array,"); f != nil {
					return f
				}
			}
			t.skipBlanks()
			if f := t.expect(closing, "the end of the calls"); f != nil {
				return f
			}
			t.add(calls...)
			return nil
		},
	}.dialect(think{open: "<|inner_prefix|>", close: "<|inner_suffix|>"})
}

// keyedCall reads an object of one key: the tool's name.
func (t *turn) keyedCall() (rollout.ToolCall, *fault) {
	var call rollout.ToolCall
	if !t.done() && t.src[t.pos] != '{' {
		return call, t.malformed("a call is one JSON object")
	}
	keys, args := 0, ""
	_, f := t.json(func(key, value string) {
		call.Name, args = key, value
		keys++
	})
	switch {
	case f != nil:
		return call, f
	case keys != 1 || call.Name == "":
		return call, t.malformed("a call has one key, the name of the tool")
	}
	call.Arguments, f = t.arguments(args)
	return call, f
}
