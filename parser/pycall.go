package parser

import "strings"

// pyCall reads one call of keyword arguments: `name(key=literal, …)`. Nothing
// but literals is read, so nothing is computed.
func (t *turn) pyCall(rawNewline bool) (attempt, *fault) {
	a := attempt{from: t.pos}
	n := pyName(t.rest())
	a.call.Name = t.src[t.pos : t.pos+n]
	t.pos += n
	switch {
	case t.done():
		return a, t.cut()
	case n == 0:
		return a, t.malformed("a call begins with the name of the tool")
	}
	if f := t.expect("(", "the parenthesis after the name of the tool"); f != nil {
		return a, f
	}
	l := literals{scanner: scanner{src: t.src, pos: t.pos}, rawNewline: rawNewline}
	var o object
	for {
		l.skipBlanks()
		if l.pos < len(l.src) && l.src[l.pos] == ')' {
			l.pos++
			break
		}
		key, f := l.keyword()
		if f != nil {
			return a, f
		}
		value, f := l.value(nil)
		if f != nil {
			return a, f
		}
		if !o.add(key, value) {
			return a, l.malformed("an argument occurs twice in one call")
		}
		l.skipBlanks()
		switch {
		case l.pos >= len(l.src):
			return a, l.cut()
		case l.src[l.pos] == ',':
			l.pos++
		case l.src[l.pos] != ')':
			return a, l.malformed("a comma or a parenthesis is missing after an argument")
		}
	}
	t.pos = l.pos
	a.call.Arguments, a.to = o.json(), t.pos
	return a, nil
}

// keyword reads the name of an argument and its equals sign.
func (l *literals) keyword() (string, *fault) {
	rest := l.src[l.pos:]
	n := pyName(rest)
	if n == len(rest) {
		return "", l.cut()
	}
	key := rest[:n]
	l.pos += n
	l.skipBlanks()
	switch {
	case l.pos >= len(l.src):
		return "", l.cut()
	case key == "" || l.src[l.pos] != '=':
		return "", l.malformed("arguments are written as key=value")
	}
	l.pos++
	l.skipBlanks()
	return key, nil
}

// pyName is how many bytes of s are a name: of a tool it may have dots and
// dashes in it.
func pyName(s string) int {
	n := 0
	for n < len(s) && (isWordByte(s[n]) || n > 0 && (s[n] == '.' || s[n] == '-')) {
		n++
	}
	if n > 0 && '0' <= s[0] && s[0] <= '9' {
		return 0
	}
	return n
}

// pyList reads a list of one or more calls.
func (t *turn) pyList(rawNewline bool) ([]attempt, *fault) {
	if f := t.expect("[", "the list of calls"); f != nil {
		return nil, f
	}
	var calls []attempt
	for {
		t.skipBlanks()
		if len(calls) > 0 && t.take("]") {
			return calls, nil
		}
		a, f := t.pyCall(rawNewline)
		if f != nil {
			return nil, f
		}
		calls = append(calls, a)
		t.skipBlanks()
		if t.take("]") {
			return calls, nil
		}
		if f := t.expect(",", "a comma between the calls, or the end of the list,"); f != nil {
			return nil, f
		}
	}
}

// pyListBlocks is a dialect of such lists between two markers.
func pyListBlocks(open, closing string, rawNewline bool) frame {
	return listBlocks(open, closing, func(t *turn) ([]attempt, *fault) { return t.pyList(rawNewline) })
}

// beginsPyList reports whether s begins with a list of a call of a declared
// tool: anything else in brackets is text.
func (t *turn) beginsPyList(s string) bool {
	s, ok := strings.CutPrefix(s, "[")
	if !ok {
		return false
	}
	s = strings.TrimLeft(s, blanks)
	n := pyName(s)
	return n > 0 && strings.HasPrefix(s[n:], "(") && t.declared(s[:n])
}
