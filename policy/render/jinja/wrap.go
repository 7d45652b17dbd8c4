package jinja

import (
	"strings"
	"unicode"
)

// wordwrapFilter is Python's textwrap.wrap of each line. Cuts and joins follow no byte, so marked text is marked wholly.
func wordwrapFilter(st *state, v Value, a []Value) Value {
	s, ok := v.(*Str)
	if !ok {
		failIfUndefined(v)
		raise("AttributeError", "%s object has no attribute 'splitlines'", quote(v.typeName()))
	}
	width := argInt("wordwrap", a, 0, 79)
	longWords, hyphens := argBool(a, 1, true), argBool(a, 3, true)
	sep := text("\n")
	if w := arg(a, 2, None); w != None {
		sep = argStr("wordwrap", a, 2, nil)
	}
	if width <= 0 {
		valueError("invalid width %d (must be > 0)", width)
	}
	st.work(len(s.s) / 4)
	var lines []string
	for _, paragraph := range splitLines(s, false) {
		wrapped := wrap(paragraph.s, width, longWords, hyphens)
		lines = append(lines, strings.Join(wrapped, sep.s))
	}
	out := strings.Join(lines, sep.s)
	st.grow(len(out))
	return s.wholly(out)
}

// wrapSpace are the characters textwrap takes for white space.
const wrapSpace = "\t\n\v\f\r "

func wrap(s string, width int, longWords, hyphens bool) []string {
	chunks := wrapChunks(s, hyphens)
	var lines []string
	for len(chunks) > 0 {
		if len(lines) > 0 && strings.TrimFunc(chunks[0], isSpace) == "" {
			chunks = chunks[1:]
		}
		var line []string
		n := 0
		for len(chunks) > 0 {
			k := runeCount(chunks[0])
			if n+k > width {
				break
			}
			line, n, chunks = append(line, chunks[0]), n+k, chunks[1:]
		}
		if len(chunks) > 0 && runeCount(chunks[0]) > width {
			line, chunks = breakWord(line, chunks, width-n, longWords, hyphens, width)
		}
		if k := len(line); k > 0 && strings.TrimFunc(line[k-1], isSpace) == "" {
			line = line[:k-1]
		}
		if len(line) > 0 {
			lines = append(lines, strings.Join(line, ""))
		}
	}
	return lines
}

// breakWord handles a chunk longer than a line.
func breakWord(line, chunks []string, space int, longWords, hyphens bool, width int) ([]string, []string) {
	if width < 1 {
		space = 1
	}
	if !longWords {
		if len(line) == 0 {
			return append(line, chunks[0]), chunks[1:]
		}
		return line, chunks
	}
	word := &Str{s: chunks[0], n: -1}
	end := space
	if hyphens && word.count() > space {
		head := chunks[0][:word.offset(max(space, 0))]
		if h := strings.LastIndexByte(head, '-'); h > 0 && strings.Trim(head[:h], "-") != "" {
			end = runeCount(head[:h]) + 1
		}
	}
	at := word.offset(max(end, 0))
	return append(line, chunks[0][:at]), append([]string{chunks[0][at:]}, chunks[1:]...)
}

// wrapChunks splits text as textwrap does: at white space, and after hyphens between letters.
func wrapChunks(s string, hyphens bool) []string {
	var out []string
	isWS := func(r rune) bool { return strings.ContainsRune(wrapSpace, r) }
	for s != "" {
		n := strings.IndexFunc(s, func(r rune) bool { return !isWS(r) })
		if n != 0 {
			if n < 0 {
				n = len(s)
			}
			out, s = append(out, s[:n]), s[n:]
			continue
		}
		n = strings.IndexFunc(s, isWS)
		if n < 0 {
			n = len(s)
		}
		word := s[:n]
		s = s[n:]
		if !hyphens {
			out = append(out, word)
			continue
		}
		out = append(out, hyphenChunks(word)...)
	}
	return out
}

// hyphenChunks cuts a word after a hyphen that stands between letters, and around em-dashes.
func hyphenChunks(word string) []string {
	var out []string
	rs := []rune(word)
	letter := func(i int) bool {
		return i >= 0 && i < len(rs) && (unicode.IsLetter(rs[i]) || rs[i] == '_')
	}
	punct := func(i int) bool {
		return i >= 0 && i < len(rs) && (isWordRegexp(rs[i]) || strings.ContainsRune(`!"'&.,?`, rs[i]))
	}
	start := 0
	cut := func(i int) {
		if i > start {
			out = append(out, string(rs[start:i]))
			start = i
		}
	}
	for i := 0; i < len(rs); i++ {
		if rs[i] != '-' {
			continue
		}
		j := i
		for j < len(rs) && rs[j] == '-' {
			j++
		}
		switch {
		case j-i >= 2 && punct(i-1) && j < len(rs) && isWordRegexp(rs[j]):
			cut(i)
			cut(j)
		case j-i == 1 && letter(i-1) && (letter(i-2) || i >= 2 && rs[i-2] == '-' && letter(i-3)) && letter(i+1) &&
			(letter(i+2) || i+2 < len(rs) && rs[i+2] == '-'):
			cut(i + 1)
		}
		i = j - 1
	}
	cut(len(rs))
	return out
}
