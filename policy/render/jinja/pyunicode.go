package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// isSpace is Python's str.isspace of one character, which is also \s of its regular expressions.
func isSpace(r rune) bool {
	switch {
	case r < 0x80:
		return r == ' ' || r >= 0x09 && r <= 0x0D || r >= 0x1C && r <= 0x1F
	case r == 0x85, r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A, r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F,
		r == 0x3000:
		return true
	}
	return false
}

func strIsSpace(s string) bool {
	return s != "" && strings.TrimLeftFunc(s, isSpace) == ""
}

// lineEnd returns the length of the line break at the start of s, 0 where there is none, by Python's splitlines.
func lineEnd(s string) int {
	r, n := decodeRune(s)
	switch r {
	case '\r':
		if len(s) > 1 && s[1] == '\n' {
			return 2
		}
		return 1
	case '\n', '\v', '\f', 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029:
		return n
	}
	return 0
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	// Python writes a final sigma where its own rule says so; x/text's differs from it in nothing but hidden marks.
	return cases.Lower(language.Und).String(s)
}

// titleRune is the full title case of one character.
func titleRune(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return cases.Title(language.Und, cases.NoLower).String(s)
}

// capitalize is Python's str.capitalize.
func capitalize(s string) string {
	if s == "" {
		return s
	}
	_, n := decodeRune(s)
	// The tail is lowered together with its first letter, so that a sigma knows what stands before it.
	head := lower(s[:n])
	return titleRune(s[:n]) + strings.TrimPrefix(lower(s), head)
}

// title is Python's str.title: every letter after a letter is lowered, every other gets its title case.
func title(s string) string {
	var b strings.Builder
	low := lower(s)
	same := utf8.RuneCountInString(low) == utf8.RuneCountInString(s)
	cased := false
	at := 0
	for i := 0; i < len(s); {
		r, n := decodeRune(s[i:])
		c := s[i : i+n]
		_, k := decodeRune(low[min(at, len(low)):])
		switch {
		case !cased:
			b.WriteString(titleRune(c))
		case same:
			b.WriteString(low[at : at+k])
		default:
			b.WriteString(lower(c))
		}
		cased = isCased(r)
		i, at = i+n, at+k
	}
	return b.String()
}

func isCased(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) ||
		unicode.Is(unicode.Other_Lowercase, r) || unicode.Is(unicode.Other_Uppercase, r)
}

func isLowerRune(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }

func isUpperRune(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }

func swapcase(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := decodeRune(s[i:])
		switch {
		case isUpperRune(r) && r == 'Σ':
			// Whether this sigma is a final one depends on what stands around it.
			b.WriteString(lower(s[:i+n] + s[i+n:])[len(lower(s[:i])):][:len("σ")])
		case isUpperRune(r):
			b.WriteString(lower(s[i : i+n]))
		case isLowerRune(r):
			b.WriteString(upper(s[i : i+n]))
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// all tells whether s is not empty and f holds for each of its characters.
func all(s string, f func(r rune) bool) bool {
	for i := 0; i < len(s); {
		r, n := decodeRune(s[i:])
		if !f(r) {
			return false
		}
		i += n
	}
	return s != ""
}

func isAlpha(r rune) bool { return unicode.IsLetter(r) }

func isDecimal(r rune) bool { return unicode.Is(unicode.Nd, r) }

// isDigit also holds for superscripts and other digits that are no decimals.
func isDigit(r rune) bool {
	if isDecimal(r) {
		return true
	}
	switch {
	case r == 0xB2, r == 0xB3, r == 0xB9, r == 0x2070, r >= 0x2074 && r <= 0x2079, r >= 0x2080 && r <= 0x2089,
		r >= 0x2460 && r <= 0x2468, r >= 0x2474 && r <= 0x247C, r >= 0x2488 && r <= 0x2490, r == 0x24EA,
		r >= 0x24F5 && r <= 0x24FD, r == 0x24FF, r >= 0x2776 && r <= 0x277E, r >= 0x2780 && r <= 0x2788,
		r >= 0x278A && r <= 0x2792, r >= 0x1369 && r <= 0x1371, r == 0x19DA, r >= 0x10A40 && r <= 0x10A43,
		r >= 0x10E60 && r <= 0x10E68, r >= 0x11052 && r <= 0x1105A, r >= 0x1F100 && r <= 0x1F10A:
		return true
	}
	return false
}

func isNumeric(r rune) bool {
	return unicode.IsNumber(r) || unicode.Is(unicode.Unified_Ideograph, r) && hanNumber(r)
}

// hanNumber are the ideographs Unicode gives a numeric value.
func hanNumber(r rune) bool {
	return strings.ContainsRune("一二三四五六七八九十百千万億兆〇零壹貳參肆伍陸柒捌玖拾廿卅卌佰仟萬亿壱弐参貮弍弌弎叁貫幺两兩陌阡亖漆秭垓京什伯"+
		"參陸六什拾㐅㒃㠪㭍", r)
}

func isAlnum(r rune) bool { return isAlpha(r) || isDecimal(r) || isDigit(r) || isNumeric(r) }

func isIdentifier(s string) bool {
	r, _ := decodeRune(s)
	return (r == '_' || unicode.IsLetter(r) && s != "" || unicode.Is(unicode.Nl, r)) && all(s, isWord)
}

func isPrintable(r rune) bool {
	return r < 0x80 && r >= ' ' && r != 0x7F || r >= 0x80 && unicode.IsPrint(r)
}
