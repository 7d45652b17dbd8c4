package jinja

import (
	"strings"
	"unicode"
)

// lexer splits a template as Jinja does with trim_blocks and lstrip_blocks on and keep_trailing_newline off.
type lexer struct {
	src          string
	pos          int
	line         int
	lineStarting bool // the text before pos ended a line
	tokens       []token
}

// lex returns the tokens of a template; a nil error comes with a final eof token.
func lex(src string) (tokens []token, err error) {
	l := &lexer{src: normalizeSource(src), line: 1, lineStarting: true}
	defer func() {
		if p := recover(); p != nil {
			tokens, err = nil, syntaxFault(p, l.line)
		}
	}()
	for l.pos < len(l.src) {
		l.root()
	}
	l.emit(tEOF, "")
	return l.tokens, nil
}

// normalizeSource makes every line break a newline and drops one at the end.
func normalizeSource(src string) string {
	return strings.TrimSuffix(normalizeNewlines(src), "\n")
}

func normalizeNewlines(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func (l *lexer) fail(format string, a ...any) { failSyntax(l.line, format, a...) }

func (l *lexer) emit(k kind, text string) {
	l.tokens = append(l.tokens, token{kind: k, text: text, line: l.line})
}

// advance moves to end, counting lines.
func (l *lexer) advance(end int) {
	l.line += strings.Count(l.src[l.pos:end], "\n")
	l.pos = end
}

// root reads template data and the opening of the next tag.
func (l *lexer) root() {
	start := l.nextTag()
	if start < 0 {
		l.emit(tData, l.src[l.pos:])
		l.advance(len(l.src))
		return
	}
	open := l.src[start : start+2]
	if open == "{%" {
		if sign, end, ok := l.rawTag(start, "raw"); ok {
			l.data(start, sign, true)
			l.finish(end)
			l.raw()
			return
		}
	}
	end := start + 2
	sign := signAt(l.src, end)
	end += len(sign)
	l.data(start, sign, open != "{{")
	l.finish(end)
	switch open {
	case "{#":
		l.comment()
	case "{%":
		l.emit(tBlockIn, "")
		l.tag(tBlockOut)
	default:
		l.emit(tVarIn, "")
		l.tag(tVarOut)
	}
}

// finish ends a match: Jinja remembers whether its last character was a newline.
func (l *lexer) finish(end int) {
	l.lineStarting = end > 0 && l.src[end-1] == '\n'
	l.advance(end)
}

func (l *lexer) nextTag() int {
	for i := l.pos; ; i++ {
		k := strings.IndexByte(l.src[i:], '{')
		if k < 0 || i+k+1 >= len(l.src) {
			return -1
		}
		i += k
		if c := l.src[i+1]; c == '{' || c == '%' || c == '#' {
			return i
		}
	}
}

func signAt(s string, i int) string {
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		return s[i : i+1]
	}
	return ""
}

// data emits the text before a tag, stripped as the tag's sign and lstrip_blocks ask.
func (l *lexer) data(end int, sign string, block bool) {
	t := l.src[l.pos:end]
	switch {
	case sign == "-":
		t = strings.TrimRightFunc(t, isSpace)
	case sign == "" && block:
		at := strings.LastIndexByte(t, '\n') + 1
		if (at > 0 || l.lineStarting) && at < len(t) && strings.TrimLeftFunc(t[at:], isSpace) == "" {
			t = t[:at]
		}
	}
	if t != "" {
		l.emit(tData, t)
	}
	l.advance(end)
}

// rawTag matches {% raw %} or {% endraw %} at i; end is past what it eats.
func (l *lexer) rawTag(i int, word string) (sign string, end int, ok bool) {
	if !strings.HasPrefix(l.src[i:], "{%") {
		return "", 0, false
	}
	i += 2
	sign = signAt(l.src, i)
	i = l.skipSpace(i + len(sign))
	if !strings.HasPrefix(l.src[i:], word) {
		return "", 0, false
	}
	i = l.skipSpace(i + len(word))
	if word == "raw" {
		// The opening tag knows neither the plus sign nor trim_blocks.
		switch {
		case strings.HasPrefix(l.src[i:], "-%}"):
			return sign, l.skipSpace(i + 3), true
		case strings.HasPrefix(l.src[i:], "%}"):
			return sign, i + 2, true
		}
		return "", 0, false
	}
	end, ok = l.closing(i, "%}", true)
	return sign, end, ok
}

// closing matches a tag's end: "-%}" eats all white space, "+%}" none, "%}" one newline.
func (l *lexer) closing(i int, mark string, block bool) (end int, ok bool) {
	switch rest := l.src[i:]; {
	case block && strings.HasPrefix(rest, "+"+mark):
		return i + 3, true
	case strings.HasPrefix(rest, "-"+mark):
		return l.skipSpace(i + 3), true
	case strings.HasPrefix(rest, mark):
		if end = i + 2; block && end < len(l.src) && l.src[end] == '\n' {
			end++
		}
		return end, true
	}
	return 0, false
}

func (l *lexer) skipSpace(i int) int {
	return len(l.src) - len(strings.TrimLeftFunc(l.src[i:], isSpace))
}

// raw reads up to {% endraw %}.
func (l *lexer) raw() {
	for i := l.pos; i < len(l.src); i++ {
		if l.src[i] != '{' {
			continue
		}
		if sign, end, ok := l.rawTag(i, "endraw"); ok {
			l.data(i, sign, true)
			l.finish(end)
			return
		}
	}
	if l.pos < len(l.src) {
		l.fail("Missing end of raw directive")
	}
}

func (l *lexer) comment() {
	for i := l.pos; i < len(l.src); i++ {
		if c := l.src[i]; c != '#' && c != '-' && c != '+' {
			continue
		}
		if end, ok := l.closing(i, "#}", true); ok {
			l.finish(end)
			return
		}
	}
	if l.pos < len(l.src) {
		l.fail("Missing end of comment tag")
	}
}

// tag reads the inside of {{ … }} or {% … %}. A closing mark counts only outside brackets.
func (l *lexer) tag(out kind) {
	mark := "%}"
	if out == tVarOut {
		mark = "}}"
	}
	var open []byte
	for l.pos < len(l.src) {
		if len(open) == 0 {
			if end, ok := l.closing(l.pos, mark, out == tBlockOut); ok {
				l.emit(out, "")
				l.finish(end)
				return
			}
		}
		rest := l.src[l.pos:]
		if n := len(rest) - len(strings.TrimLeftFunc(rest, isSpace)); n > 0 {
			l.advance(l.pos + n)
			continue
		}
		if l.number(rest) || l.name(rest) || l.str(rest) {
			continue
		}
		open = l.operator(rest, open)
	}
}

func (l *lexer) operator(rest string, open []byte) []byte {
	for _, op := range operators {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		switch op {
		case "{":
			open = append(open, '}')
		case "(":
			open = append(open, ')')
		case "[":
			open = append(open, ']')
		case "}", ")", "]":
			if len(open) == 0 {
				l.fail("unexpected '%s'", op)
			}
			if want := open[len(open)-1]; want != op[0] {
				l.fail("unexpected '%s', expected '%c'", op, want)
			}
			open = open[:len(open)-1]
		}
		l.emit(kind(op), op)
		l.advance(l.pos + len(op))
		return open
	}
	r, _ := decodeRune(rest)
	l.fail("unexpected char %s at %d", quote(string(r)), l.pos)
	return nil
}

func (l *lexer) name(rest string) bool {
	n := 0
	for _, r := range rest {
		if !isWord(r) {
			break
		}
		n += len(string(r))
	}
	if n == 0 {
		return false
	}
	if r, _ := decodeRune(rest); r != '_' && !unicode.IsLetter(r) && !unicode.Is(unicode.Nl, r) {
		l.fail("Invalid character in identifier")
	}
	l.emit(tName, rest[:n])
	l.advance(l.pos + n)
	return true
}

func isWord(r rune) bool {
	return r == '_' || r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') ||
		r >= 0x80 && r != 0xFFFD && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

func (l *lexer) str(rest string) bool {
	if rest[0] != '\'' && rest[0] != '"' {
		return false
	}
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			l.emit(tString, l.unescape(normalizeNewlines(rest[1:i])))
			l.advance(l.pos + i + 1)
			return true
		}
	}
	return false
}
