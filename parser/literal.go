package parser

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// literals reads Python literals and writes JSON: strings in either quote,
// numbers as JSON has them (and a plus sign), constants in both spellings,
// lists, tuples, and dicts with string keys. A number keeps its form.
type literals struct {
	scanner
	// rawNewline allows a newline inside a string: LFM2's template writes it.
	rawNewline bool
}

// wholeLiteral is a text that is one literal and nothing else, as JSON.
func wholeLiteral(v string) ([]byte, bool) {
	l := literals{scanner: scanner{src: v}}
	b, f := l.value(nil)
	if f != nil || l.pos != len(v) {
		return nil, false
	}
	return b, true
}

// constants are the words a literal may be.
var constants = []struct{ word, json string }{
	{"True", "true"}, {"False", "false"}, {"None", "null"},
	{"true", "true"}, {"false", "false"}, {"null", "null"},
}

// value appends the JSON of the literal at the cursor to out.
func (l *literals) value(out []byte) ([]byte, *fault) {
	if l.pos >= len(l.src) {
		return nil, l.cut()
	}
	switch c := l.src[l.pos]; {
	case c == '{':
		return l.dict(out)
	case c == '[':
		return l.list(out, ']')
	case c == '(':
		return l.list(out, ')')
	case c == '"' || c == '\'':
		s, f := l.string()
		if f != nil {
			return nil, f
		}
		return append(out, quote(s)...), nil
	case c == '-' || c == '+' || '0' <= c && c <= '9':
		return l.number(out)
	}
	return l.constant(out)
}

func (l *literals) constant(out []byte) ([]byte, *fault) {
	rest := l.src[l.pos:]
	for _, c := range constants {
		if strings.HasPrefix(c.word, rest) && len(rest) < len(c.word) {
			return nil, l.cut()
		}
		after, ok := strings.CutPrefix(rest, c.word)
		if ok && (after == "" || !isWordByte(after[0])) {
			l.pos += len(c.word)
			return append(out, c.json...), nil
		}
	}
	return nil, l.malformed("a value is not a literal")
}

// isWordByte reports whether c may continue a name.
func isWordByte(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (l *literals) number(out []byte) ([]byte, *fault) {
	if l.src[l.pos] == '+' {
		l.pos++
	}
	from := l.pos
	if f := l.scanner.number(); f != nil {
		return nil, f
	}
	if l.pos < len(l.src) && isWordByte(l.src[l.pos]) {
		return nil, l.malformed("a number is not written as a plain literal")
	}
	return append(out, l.src[from:l.pos]...), nil
}

func (l *literals) list(out []byte, closing byte) ([]byte, *fault) {
	if f := l.enter(); f != nil {
		return nil, f
	}
	out = append(out, '[')
	for n := 0; ; n++ {
		l.skipBlanks()
		// A trailing comma is allowed, a comma alone is not.
		if l.ends(closing) {
			return append(out, ']'), nil
		}
		if n > 0 {
			out = append(out, ", "...)
		}
		var f *fault
		if out, f = l.value(out); f != nil {
			return nil, f
		}
		more, f := l.next(closing)
		switch {
		case f != nil:
			return nil, f
		case !more && n == 0 && closing == ')':
			return nil, l.malformed("a value in parentheses is no literal")
		case !more:
			return append(out, ']'), nil
		}
	}
}

func (l *literals) dict(out []byte) ([]byte, *fault) {
	if f := l.enter(); f != nil {
		return nil, f
	}
	var o object
	for {
		l.skipBlanks()
		if l.ends('}') {
			return append(out, o.json()...), nil
		}
		key, f := l.dictKey()
		if f != nil {
			return nil, f
		}
		value, f := l.value(nil)
		if f != nil {
			return nil, f
		}
		if !o.add(key, value) {
			return nil, l.malformed("a key occurs twice in one dict")
		}
		more, f := l.next('}')
		if f != nil {
			return nil, f
		}
		if !more {
			return append(out, o.json()...), nil
		}
	}
}

func (l *literals) dictKey() (string, *fault) {
	switch {
	case l.pos >= len(l.src):
		return "", l.cut()
	case l.src[l.pos] != '"' && l.src[l.pos] != '\'':
		return "", l.malformed("keys of a dict are strings in quotes")
	}
	key, f := l.string()
	if f != nil {
		return "", f
	}
	l.skipBlanks()
	switch {
	case l.pos >= len(l.src):
		return "", l.cut()
	case l.src[l.pos] != ':':
		return "", l.malformed("a colon is missing after a key")
	}
	l.pos++
	l.skipBlanks()
	return key, nil
}

// string reads a string in either quote, and returns what it says.
func (l *literals) string() (string, *fault) {
	end := l.src[l.pos]
	l.pos++
	var b bytes.Buffer
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == end:
			l.pos++
			return l.said(b.String())
		case c == '\\':
			if f := l.unescape(&b); f != nil {
				return "", f
			}
		case c < ' ' && c != '\t' && !(l.rawNewline && (c == '\n' || c == '\r')):
			return "", l.malformed("a string holds a raw newline or control character; write \\n")
		default:
			b.WriteByte(c)
			l.pos++
		}
	}
	return "", l.cut()
}

func (l *literals) said(s string) (string, *fault) {
	if !utf8.ValidString(s) {
		return "", l.malformed("a string is not valid UTF-8")
	}
	return s, nil
}

var pythonEscapes = map[byte]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'n': '\n', 't': '\t', 'r': '\r',
	'b': '\b', 'f': '\f', 'a': '\a', 'v': '\v',
}

// unescape reads a Python escape. An escape that Python does not know stands
// for itself, backslash included.
func (l *literals) unescape(b *bytes.Buffer) *fault {
	if l.pos+1 >= len(l.src) {
		return l.cut()
	}
	c := l.src[l.pos+1]
	if plain, ok := pythonEscapes[c]; ok {
		b.WriteByte(plain)
		l.pos += 2
		return nil
	}
	switch c {
	case '\n':
		l.pos += 2
		return nil
	case 'x':
		return l.hexEscape(b, 2)
	case 'u':
		return l.hexEscape(b, 4)
	case 'U':
		return l.hexEscape(b, 8)
	case 'N':
		return l.malformed("a string names a character")
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := 1
		for n < 3 && l.pos+1+n < len(l.src) && l.src[l.pos+1+n]&^7 == '0' {
			n++
		}
		v, _ := strconv.ParseUint(l.src[l.pos+1:l.pos+1+n], 8, 32)
		b.WriteRune(rune(v))
		l.pos += 1 + n
		return nil
	}
	b.WriteByte('\\')
	l.pos++
	return nil
}

// hexEscape reads \x, \u or \U with its digits. A pair of surrogates is taken
// as JSON takes it; half of one cannot be sent to anybody.
func (l *literals) hexEscape(b *bytes.Buffer, n int) *fault {
	r, f := l.hexDigits(n)
	if f != nil {
		return f
	}
	if 0xD800 <= r && r < 0xDC00 {
		if strings.HasPrefix(`\u`, l.src[l.pos:]) {
			return l.cut()
		}
		if strings.HasPrefix(l.src[l.pos:], `\u`) {
			low, f := l.hexDigits(4)
			if f != nil {
				return f
			}
			if 0xDC00 <= low && low < 0xE000 {
				b.WriteRune((r-0xD800)<<10 + (low - 0xDC00) + 0x10000)
				return nil
			}
		}
	}
	if !utf8.ValidRune(r) {
		return l.malformed("a string escape stands for no character")
	}
	b.WriteRune(r)
	return nil
}

func (l *literals) hexDigits(n int) (rune, *fault) {
	digits := l.src[l.pos+2:]
	if len(digits) > n {
		digits = digits[:n]
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	switch {
	case len(digits) < n && (err == nil || digits == ""):
		return 0, l.cut()
	case err != nil:
		return 0, l.malformed("a string escape lacks digits")
	}
	l.pos += 2 + n
	return rune(v), nil
}
