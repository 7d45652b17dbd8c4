package jinja

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// simpleEscapes are the one-letter escapes; a backslash before a newline removes both.
var simpleEscapes = map[byte]string{
	'\n': "", '\\': "\\", '\'': "'", '"': "\"",
	'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// unescape decodes a string literal as Jinja does: to ASCII with backslashreplace, then by Python's unicode-escape. A
// backslash before a non-ASCII letter therefore leaves the letter's escape as text.
func (l *lexer) unescape(s string) string {
	var b []byte
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' {
			b = append(b, c)
			i++
			continue
		}
		if i+1 == len(s) {
			l.fail("\\ at end of string")
		}
		e := s[i+1]
		if t, ok := simpleEscapes[e]; ok {
			b = append(b, t...)
			i += 2
			continue
		}
		switch {
		case e >= '0' && e <= '7':
			n, k := rune(0), i+1
			for ; k < len(s) && k < i+4 && s[k] >= '0' && s[k] <= '7'; k++ {
				n = n*8 + rune(s[k]-'0')
			}
			b, i = appendRune(b, n), k
		case e == 'x':
			b, i = l.hexEscape(b, s, i, 2, "truncated \\xXX escape")
		case e == 'u':
			b, i = l.hexEscape(b, s, i, 4, "truncated \\uXXXX escape")
		case e == 'U':
			b, i = l.hexEscape(b, s, i, 8, "truncated \\UXXXXXXXX escape")
		case e == 'N':
			l.fail("escapes by character name are not supported")
		case e >= utf8.RuneSelf:
			r, n := decodeRune(s[i+1:])
			b, i = append(b, asciiEscape(r)...), i+1+n
		default:
			b, i = append(b, '\\', e), i+2
		}
	}
	return string(b)
}

func (l *lexer) hexEscape(b []byte, s string, i, digits int, msg string) ([]byte, int) {
	from, to := i+2, i+2+digits
	if to > len(s) {
		l.fail("%s", msg)
	}
	n, err := strconv.ParseUint(s[from:to], 16, 32)
	if err != nil || s[from] == '_' {
		l.fail("%s", msg)
	}
	if n > utf8.MaxRune {
		l.fail("illegal Unicode character")
	}
	return appendRune(b, rune(n)), to
}

// asciiEscape is Python's backslashreplace of one character.
func asciiEscape(r rune) string {
	switch {
	case r < 0x100:
		return fmt.Sprintf("\\x%02x", r)
	case r < 0x10000:
		return fmt.Sprintf("\\u%04x", r)
	}
	return fmt.Sprintf("\\U%08x", r)
}
