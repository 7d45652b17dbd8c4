package parser

import "strings"

// MistralNew reads a name and its arguments after each marker: Mistral Small
// 3.2 and later, Ministral 3, Devstral, Magistral. Once there is a call, only
// another may follow.
func MistralNew() Parser {
	const open, id, args = "[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"
	return frame{
		open:  []string{open},
		stray: []string{id, args},
		block: func(t *turn, _ string) *fault {
			a := attempt{from: t.pos - len(open)}
			var f *fault
			if a.call.Name, f = t.bracketName("the name of the tool"); f != nil {
				return f
			}
			if t.take(id) {
				if a.call.ID, f = t.bracketName("the id of the call"); f != nil {
					return f
				}
			} else if isBeginning(t.rest(), id) {
				return t.cut()
			}
			if f := t.expect(args, "the marker of the arguments"); f != nil {
				return f
			}
			t.skipBlanks()
			if a.call.Arguments, f = t.bareArguments(); f != nil {
				return f
			}
			a.to = t.pos
			t.skipBlanks()
			switch rest := t.rest(); {
			case rest == "" || strings.HasPrefix(rest, open):
				t.add(a)
				return nil
			case isBeginning(rest, open):
				return t.cut()
			}
			return t.malformed("there is text after the arguments")
		},
	}.dialect(think{open: "[THINK]", close: "[/THINK]"})
}

// bracketName is a name that ends where a marker in square brackets begins.
func (t *turn) bracketName(what string) (string, *fault) {
	i := strings.IndexAny(t.rest(), notInNames+"[")
	if i < 0 {
		return "", t.cut()
	}
	name := trim(t.src[t.pos : t.pos+i])
	if name == "" || strings.ContainsAny(name, blanks) {
		return "", t.malformed(what + " is missing")
	}
	t.pos += i
	return name, nil
}
