package parser

import "strings"

// KimiK2 reads calls whose id names the tool: `functions.NAME:INDEX`, counted
// over the conversation. The id is kept: some templates render nothing else.
func KimiK2() Parser {
	const (
		open, closing = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
		begin, end    = "<|tool_call_begin|>", "<|tool_call_end|>"
		args          = "<|tool_call_argument_begin|>"
	)
	return frame{
		open:  []string{open},
		stray: []string{closing, begin, end, args},
		block: func(t *turn, _ string) *fault {
			return t.section(closing, func(a *attempt) *fault {
				if f := t.expect(begin, "the beginning of a call"); f != nil {
					return f
				}
				var f *fault
				if a.call.ID, f = t.bareName("the id of the call"); f != nil {
					return f
				}
				if f := t.expect(args, "the marker of the arguments"); f != nil {
					return f
				}
				var ok bool
				if a.call.Name, ok = kimiName(a.call.ID); !ok {
					return t.malformed("the id of the call is not of the form functions.name:number")
				}
				t.skipBlanks()
				if a.call.Arguments, f = t.bareArguments(); f != nil {
					return f
				}
				t.skipBlanks()
				return t.expect(end, "the end of a call")
			})
		},
	}.dialect(tags)
}

// kimiName is the tool that an id names.
func kimiName(id string) (string, bool) {
	i := strings.LastIndexByte(id, ':')
	if i < 0 || i+1 == len(id) || digits(id[i+1:]) != len(id)-i-1 {
		return "", false
	}
	name := strings.TrimPrefix(id[:i], "functions.")
	return name, name != ""
}
