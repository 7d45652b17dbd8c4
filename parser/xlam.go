package parser

import "strings"

// XLAM reads replies that are nothing but a JSON array of calls, perhaps in a
// fence: xLAM 1 and 2. Such calls are not marked.
func XLAM() Parser {
	return &dialect{think: tags, open: newMarkers(), read: func(t *turn) *fault {
		if taken, f := t.bareCallArray(); taken || f != nil {
			return f
		}
		return t.tail(t.pos, nil)
	}}
}

// bareCallArray reads the rest of the turn if it is an array of calls. Objects
// that have a name which is no tool's, and no arguments, are somebody's data.
func (t *turn) bareCallArray() (taken bool, f *fault) {
	start := t.pos
	t.skipBlanks()
	from := t.pos
	fenced := t.take("```")
	if fenced {
		t.take("json")
		t.skipBlanks()
	}
	if !meantAsCalls(t.rest()) {
		t.pos = start
		return false, nil
	}
	calls, f := t.callArray(usualKeys)
	if f != nil {
		return false, f.since(from)
	}
	t.skipBlanks()
	if fenced {
		if f := t.expect("```", "the end of the fence"); f != nil {
			return false, f.since(from)
		}
		t.skipBlanks()
	}
	if !t.done() {
		return false, t.malformed("there is text after the calls").since(from)
	}
	for _, c := range calls {
		if !t.declared(c.call.Name) && !t.hasArguments(c.from) {
			t.pos = start
			return false, nil
		}
	}
	t.add(calls...)
	return true, nil
}

// meantAsCalls reports whether a text that begins an array was meant as calls:
// its first object begins with a key of a call, or both keys occur.
func meantAsCalls(s string) bool {
	s, ok := strings.CutPrefix(s, "[")
	if !ok {
		return false
	}
	name, args := `"`+usualKeys.name+`"`, `"`+usualKeys.args[0]+`"`
	if first, ok := strings.CutPrefix(strings.TrimLeft(s, blanks), "{"); ok {
		first = strings.TrimLeft(first, blanks)
		if strings.HasPrefix(first, name) || strings.HasPrefix(first, args) {
			return true
		}
	}
	return strings.Contains(s, name) && strings.Contains(s, args)
}
