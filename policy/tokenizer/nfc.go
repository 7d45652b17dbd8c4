package tokenizer

import (
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// nfc is Unicode's normal form C.
type nfc struct{}

// maxMarks is how many characters a segment may have before it is composed by hand:
// norm puts U+034F into runs of more than 30 marks, which HF does not.
const maxMarks = 25

func (nfc) normalize(text string, spans []Span) (string, []Span) {
	if norm.NFC.IsNormalString(text) {
		return text, spans
	}
	var e edits
	for at := 0; at < len(text); {
		at += norm.NFC.QuickSpanString(text[at:])
		n, runes := segment(text[at:])
		old := text[at : at+n]
		at += n
		composed := ""
		if runes <= maxMarks {
			composed = norm.NFC.String(old)
		} else {
			composed = compose(old)
		}
		if composed != old {
			e.replace(Span{at - n, at}, composed)
		}
	}
	return e.apply(text), e.move(spans)
}

// segment is the length, in bytes and in characters, of the first part of text that is
// normalized on its own.
func segment(text string) (n, runes int) {
	for n < len(text) {
		if text[n] < utf8.RuneSelf {
			if runes > 0 {
				return n, runes
			}
			n++
			runes++
			continue
		}
		if runes > 0 && norm.NFC.PropertiesString(text[n:]).BoundaryBefore() {
			return n, runes
		}
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
		runes++
	}
	return n, runes
}

// marked is a character with its canonical combining class.
type marked struct {
	r     rune
	class int
}

// compose is the canonical composition of one segment, by the algorithm of Unicode's
// section 3.11, without a limit on its length.
func compose(text string) string {
	if !utf8.ValidString(text) {
		return text
	}
	var all []marked
	for _, r := range text {
		for _, d := range norm.NFD.String(string(r)) {
			all = append(all, marked{d, int(norm.NFD.PropertiesString(string(d)).CCC())})
		}
	}
	for i := 0; i < len(all); {
		end := i + 1
		for all[i].class > 0 && end < len(all) && all[end].class > 0 {
			end++
		}
		slices.SortStableFunc(all[i:end], func(a, b marked) int { return a.class - b.class })
		i = end
	}
	var out []rune
	starter, last := -1, -1 // last: the class before, of those that stay; -1 right after the starter
	for _, m := range all {
		if starter >= 0 && last < m.class {
			if both := []rune(norm.NFC.String(string([]rune{out[starter], m.r}))); len(both) == 1 {
				out[starter] = both[0]
				continue
			}
		}
		out = append(out, m.r)
		last = m.class
		if m.class == 0 {
			starter, last = len(out)-1, -1
		}
	}
	return string(out)
}
