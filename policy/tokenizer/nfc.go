package tokenizer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// nfc is Unicode's normal form C.
type nfc struct{}

// newerMarks combine with what is before them since Unicode 10 or later. HF normalizes by
// Unicode 9 (its crate unicode-normalization-alignments), where they were unassigned: to
// it they start a segment of their own and compose with nothing.
var newerMarks = runeSet{
	{0x7FD, 0x7FD}, {0x898, 0x89F}, {0x8CA, 0x8D3}, {0x9FE, 0x9FE}, {0xC3C, 0xC3C}, {0xD3B, 0xD3C},
	{0xEBA, 0xEBA}, {0x1715, 0x1715}, {0x1ABF, 0x1ACE}, {0x1DF6, 0x1DFA}, {0xA82C, 0xA82C}, {0x10D24, 0x10D27},
	{0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50}, {0x10F82, 0x10F85}, {0x11070, 0x11070},
	{0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x11839, 0x1183A}, {0x11930, 0x11930}, {0x1193D, 0x1193E},
	{0x11943, 0x11943}, {0x119E0, 0x119E0}, {0x11A34, 0x11A34}, {0x11A47, 0x11A47}, {0x11A99, 0x11A99},
	{0x11D42, 0x11D42}, {0x11D44, 0x11D45}, {0x11D97, 0x11D97}, {0x11F41, 0x11F42}, {0x16FF0, 0x16FF1},
	{0x1E08F, 0x1E08F}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE}, {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF},
}

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
		var composed string
		if runes <= maxMarks && !strings.ContainsFunc(old, newerMarks.has) {
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
			class := int(norm.NFD.PropertiesString(string(d)).CCC())
			if newerMarks.has(d) {
				class = 0
			}
			all = append(all, marked{d, class})
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
		if starter >= 0 && last < m.class && !newerMarks.has(m.r) {
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
