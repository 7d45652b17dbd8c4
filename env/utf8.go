package env

import (
	"strings"
	"unicode/utf8"
)

// ValidUTF8 replaces each maximal subpart of an ill-formed sequence by one
// U+FFFD, as the Unicode standard recommends (chapter 3.9, table 3-8) and as
// Python's errors="replace" does. Go's range gives one per byte and
// strings.ToValidUTF8 one per run, so neither agrees with a Python trainer.
func ValidUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n <= 1 {
			n = maximalSubpart(s)
			b.WriteRune(utf8.RuneError)
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// maximalSubpart is the length of the longest prefix of s that begins a
// well-formed sequence; 1 when its first byte begins none.
func maximalSubpart(s string) int {
	need, lo, hi := 0, byte(0x80), byte(0xBF)
	switch c := s[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			lo = 0xA0
		}
		if c == 0xED {
			hi = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			lo = 0x90
		}
		if c == 0xF4 {
			hi = 0x8F
		}
	}
	n := 1
	for ; n <= need && n < len(s) && s[n] >= lo && s[n] <= hi; n++ {
		lo, hi = 0x80, 0xBF
	}
	return n
}

// cutUTF8 is the longest prefix of valid s of at most n bytes that ends
// between two runes.
func cutUTF8(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
