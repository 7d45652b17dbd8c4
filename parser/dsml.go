package parser

import "strings"

// DeepSeekV32 reads the DSML tags of DeepSeek V3.2.
func DeepSeekV32() Parser { return dsml("function_calls") }

// DeepSeekV4 reads the DSML tags of DeepSeek V4.
func DeepSeekV4() Parser { return dsml("tool_calls") }

// dsml is a dialect of invoke tags, each with the marker in it, whose parameters
// say themselves whether they are strings.
func dsml(block string) Parser {
	const in, out = "<｜DSML｜", "</｜DSML｜"
	open, closing := in+block+">", out+block+">"
	args := tagged{
		keyOpen: in + `parameter name="`, keyClose: `"`, valueClose: out + "parameter>",
		callClose: out + "invoke>", block: closing, typing: dsmlTyping,
	}
	return frame{
		open:  []string{open},
		stray: []string{in + "invoke", in + "parameter", out},
		block: func(t *turn, _ string) *fault {
			return t.section(closing, func(a *attempt) *fault {
				if f := t.expect(in+`invoke name="`, "the invoke tag"); f != nil {
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

// dsmlTyping reads the attribute that says whether a value is a string. It wins
// over the schema.
func dsmlTyping(t *turn) (typing, *fault) {
	forms := []struct {
		text string
		how  typing
	}{{">", bySchema}, {` string="true">`, asText}, {` string="false">`, asJSON}}
	for _, form := range forms {
		if t.take(form.text) {
			return form.how, nil
		}
	}
	for _, form := range forms {
		if strings.HasPrefix(form.text, t.rest()) {
			return bySchema, t.cut()
		}
	}
	return bySchema, t.malformed(`a parameter's tag has one attribute after the name: string, "true" or "false"`)
}
