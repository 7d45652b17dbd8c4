package parser

import (
	"slices"
	"strings"
)

// Llama3JSON reads JSON calls of Llama 3.1 to 3.3 and Llama 4: alone, or after
// the python tag. Alone they are not marked, so all of the text has to be calls
// of declared tools; JSON that is anything else is an answer.
func Llama3JSON() Parser {
	const tag = "<|python_tag|>"
	d := frame{
		open: []string{tag},
		block: func(t *turn, _ string) *fault {
			t.skipBlanks()
			calls, f := t.jsonCalls(func(attempt) bool { return true })
			switch {
			case f != nil:
				return f
			case !t.done():
				return t.malformed("there is text after the calls")
			}
			t.add(calls...)
			return nil
		},
	}.dialect(think{})
	marked := d.read
	d.read = func(t *turn) *fault {
		if taken, f := t.bareJSONCalls(); taken || f != nil {
			return f
		}
		return marked(t)
	}
	return d
}

// jsonCalls reads call objects with separators between them, as long as each is
// a call of a tool that counts; it stops before one that is not.
func (t *turn) jsonCalls(counts func(attempt) bool) ([]attempt, *fault) {
	var calls []attempt
	for {
		a := attempt{from: t.pos}
		var f *fault
		if a.call, f = t.callObject(usualKeys); f != nil {
			t.pos = a.from
			return calls, f
		}
		if !counts(a) {
			t.pos = a.from
			return calls, nil
		}
		a.to = t.pos
		calls = append(calls, a)
		t.skipBlanks()
		if t.take(";") || t.take(",") {
			t.skipBlanks()
			if t.done() {
				f := t.cut()
				t.pos = a.from
				return calls, f
			}
		}
		if !strings.HasPrefix(t.rest(), "{") {
			return calls, nil
		}
	}
}

// bareJSONCalls reads the rest of the turn if it is nothing but calls of
// declared tools. Text that breaks off or is wrong is an attempt only if it
// begins as a call does.
func (t *turn) bareJSONCalls() (taken bool, f *fault) {
	start := t.pos
	t.skipBlanks()
	from := t.pos
	if !strings.HasPrefix(t.rest(), "{") {
		t.pos = start
		return false, nil
	}
	calls, f := t.jsonCalls(func(a attempt) bool {
		return t.declared(a.call.Name) && t.hasArguments(a.from)
	})
	switch {
	case f != nil && t.attempted():
		return false, f.since(from)
	case f != nil || !t.done():
		t.pos = start
		return false, nil
	}
	t.add(calls...)
	return true, nil
}

// attempted reports whether the object at the cursor, which could not be read
// as a call, was meant as one: valid JSON when it names a declared tool, broken
// JSON when its first key is one of a call's.
func (t *turn) attempted() bool {
	s := scanner{src: t.src, pos: t.pos}
	var name string
	f := s.value(func(key, value string) {
		if key == usualKeys.name && strings.HasPrefix(value, `"`) {
			name = unquote(value)
		}
	})
	if f == nil {
		return t.declared(name)
	}
	s = scanner{src: t.src, pos: t.pos + 1}
	s.skipBlanks()
	first, f := s.key()
	return f == nil && slices.Contains([]string{"name", "type", "function", "parameters", "arguments"}, first)
}
