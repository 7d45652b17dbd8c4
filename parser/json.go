package parser

import (
	"strings"
)

// jsonDepth is how many levels a value may nest.
const jsonDepth = 100

// scanner reads one strict JSON value (RFC 8259) from a text that goes on after
// it. It builds nothing: a value is the bytes it was written with.
type scanner struct {
	src   string
	pos   int
	depth int
	// spare is a list of keys that no open object uses.
	spare []string
}

// member is called for each member of the outermost object.
type member func(key, value string)

// json reads a value at the cursor, and returns its text. each may be nil.
func (t *turn) json(each member) (string, *fault) {
	s := scanner{src: t.src, pos: t.pos}
	f := s.value(each)
	if f != nil {
		return "", f
	}
	v := t.src[t.pos:s.pos]
	t.pos = s.pos
	return v, nil
}

func (s *scanner) malformed(reason string) *fault { return malformedAt(s.src, s.pos, reason) }

func (s *scanner) cut() *fault { return cutAt(s.src, s.pos) }

func (s *scanner) skipBlanks() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// value reads a value that begins at the cursor.
func (s *scanner) value(each member) *fault {
	if s.pos >= len(s.src) {
		return s.cut()
	}
	switch c := s.src[s.pos]; {
	case c == '{':
		return s.object(each)
	case c == '[':
		return s.array()
	case c == '"':
		_, f := s.string()
		return f
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	default:
		return s.malformed(notAValue(c))
	}
}

// notAValue says what is wrong with a value that begins with c.
func notAValue(c byte) string {
	switch c {
	case '}', ']', ',':
		return "a value is missing in the JSON, or there is a comma too many"
	case '\'':
		return "JSON strings stand in double quotes"
	case 'N', 'I':
		return "JSON has no NaN, Infinity or None; use null"
	case 'T', 'F':
		return "JSON writes true and false in lower case"
	case '/', '#':
		return "JSON has no comments"
	}
	return "the JSON holds something that is no value"
}

func (s *scanner) word(w string) *fault {
	rest := s.src[s.pos:]
	switch {
	case strings.HasPrefix(rest, w):
		s.pos += len(w)
		return nil
	case strings.HasPrefix(w, rest):
		return s.cut()
	}
	return s.malformed("the JSON holds a bare word")
}

// enter counts a level that opens at the cursor, and reads its bracket.
func (s *scanner) enter() *fault {
	if s.depth == jsonDepth {
		return s.malformed("the JSON nests too deeply")
	}
	s.depth++
	s.pos++
	return nil
}

func (s *scanner) array() *fault {
	if f := s.enter(); f != nil {
		return f
	}
	for n := 0; ; n++ {
		s.skipBlanks()
		if n == 0 && s.ends(']') {
			return nil
		}
		if f := s.value(nil); f != nil {
			return f
		}
		if more, f := s.next(']'); f != nil || !more {
			return f
		}
	}
}

// ends reads the closing bracket c if it comes next.
func (s *scanner) ends(c byte) bool {
	if s.pos >= len(s.src) || s.src[s.pos] != c {
		return false
	}
	s.pos++
	s.depth--
	return true
}

// next reads what follows an element: a comma, or the closing bracket.
func (s *scanner) next(closing byte) (more bool, f *fault) {
	s.skipBlanks()
	switch {
	case s.pos >= len(s.src):
		return false, s.cut()
	case s.src[s.pos] == ',':
		s.pos++
		return true, nil
	case s.ends(closing):
		return false, nil
	case closing == ']':
		return false, s.malformed("a comma or a closing bracket is missing in the JSON")
	}
	return false, s.malformed("a comma or a closing brace is missing in the JSON")
}

func (s *scanner) object(each member) *fault {
	if f := s.enter(); f != nil {
		return f
	}
	// The list of an object that was closed serves the next one.
	keys := keySet{list: s.spare[:0]}
	s.spare = nil
	for n := 0; ; n++ {
		s.skipBlanks()
		if n == 0 && s.ends('}') {
			s.spare = keys.list
			return nil
		}
		key, f := s.key()
		if f != nil {
			return f
		}
		if !keys.add(key) {
			return s.malformed("a key occurs twice in one JSON object")
		}
		from := s.pos
		if f := s.value(nil); f != nil {
			return f
		}
		if each != nil {
			each(key, s.src[from:s.pos])
		}
		more, f := s.next('}')
		if f != nil {
			return f
		}
		if !more {
			s.spare = keys.list
			return nil
		}
	}
}

// key reads a member's key and colon, up to the beginning of its value.
func (s *scanner) key() (string, *fault) {
	switch {
	case s.pos >= len(s.src):
		return "", s.cut()
	case s.src[s.pos] == '}':
		return "", s.malformed("the JSON has a comma too many")
	case s.src[s.pos] != '"':
		return "", s.malformed("JSON keys stand in double quotes")
	}
	key, f := s.string()
	if f != nil {
		return "", f
	}
	key = unquote(key)
	s.skipBlanks()
	switch {
	case s.pos >= len(s.src):
		return "", s.cut()
	case s.src[s.pos] != ':':
		return "", s.malformed("a colon is missing after a JSON key")
	}
	s.pos++
	s.skipBlanks()
	return key, nil
}
