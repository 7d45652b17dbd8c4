package parser

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// string reads a string, and returns its literal.
func (s *scanner) string() (string, *fault) {
	from := s.pos
	s.pos++
	ascii := true
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			raw := s.src[from+1 : s.pos]
			if !ascii && !utf8.ValidString(raw) {
				return "", s.malformed("a JSON string is not valid UTF-8")
			}
			s.pos++
			return s.src[from:s.pos], nil
		case c == '\\':
			if f := s.escape(); f != nil {
				return "", f
			}
		case c < ' ':
			return "", s.malformed("a JSON string holds a raw control character; write a newline as \\n")
		default:
			ascii = ascii && c < utf8.RuneSelf
			s.pos++
		}
	}
	if !ascii && !utf8.ValidString(wholeRunes(s.src[from:])) {
		return "", s.malformed("a JSON string is not valid UTF-8")
	}
	return "", s.cut()
}

// unquote is what a valid string literal says.
func unquote(raw string) string {
	if len(raw) >= 2 && strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var out string
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		// The scanner accepts less than encoding/json does.
		panic("parser: a string that was scanned does not decode: " + err.Error())
	}
	return out
}

// wholeRunes drops the beginning of a rune from the end of s.
func wholeRunes(s string) string {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRuneInString(s[len(s)-n:]) {
				return s[:len(s)-n]
			}
			return s
		}
	}
	return s
}

// escape reads an escape sequence, and the second half of a surrogate pair.
func (s *scanner) escape() *fault {
	if s.pos+1 >= len(s.src) {
		return s.cut()
	}
	switch s.src[s.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos += 2
		return nil
	case 'u':
	default:
		return s.malformed("a JSON string holds an escape that does not exist")
	}
	r, f := s.hex()
	switch {
	case f != nil:
		return f
	case r < 0xD800 || r > 0xDFFF:
		return nil
	case r >= 0xDC00:
		return s.malformed(reasonSurrogate)
	}
	switch rest := s.src[s.pos:]; {
	case rest == "" || rest == `\`:
		return s.cut()
	case !strings.HasPrefix(rest, `\u`):
		return s.malformed(reasonSurrogate)
	}
	low, f := s.hex()
	if f == nil && (low < 0xDC00 || low > 0xDFFF) {
		return s.malformed(reasonSurrogate)
	}
	return f
}

const reasonSurrogate = "a JSON string holds half of a surrogate pair"

// hex reads a \u and its four digits.
func (s *scanner) hex() (rune, *fault) {
	s.pos += 2
	var r rune
	for range 4 {
		if s.pos >= len(s.src) {
			return 0, s.cut()
		}
		d := strings.IndexByte("0123456789abcdef", s.src[s.pos]|0x20)
		if c := s.src[s.pos]; d < 0 || c < '0' {
			return 0, s.malformed("\\u wants four hexadecimal digits")
		}
		r = r<<4 | rune(d)
		s.pos++
	}
	return r, nil
}

// number reads a number as the grammar has it: its form is kept, so nothing is
// computed.
func (s *scanner) number() *fault {
	n, whole := numberLen(s.src[s.pos:])
	switch {
	case !whole && s.pos+n == len(s.src):
		return s.cut()
	case !whole:
		s.pos += n
		return s.malformed("a number in the JSON is not written as JSON writes them")
	}
	s.pos += n
	if s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case '0' <= c && c <= '9', c == '_', c == '.':
			return s.malformed("a number in the JSON is not written as JSON writes them")
		}
	}
	return nil
}

// numberLen is how many bytes of s are a JSON number; whole is false when they
// are only the beginning of one.
func numberLen(s string) (n int, whole bool) {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch d := digits(s[i:]); {
	case d == 0:
		return i, false
	case s[i] == '0':
		i++
	default:
		i += d
	}
	if i < len(s) && s[i] == '.' {
		d := digits(s[i+1:])
		if d == 0 {
			return i + 1, false
		}
		i += 1 + d
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		d := digits(s[j:])
		if d == 0 {
			return j, false
		}
		i = j + d
	}
	return i, true
}

// digits is how many ASCII digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
