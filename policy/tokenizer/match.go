package tokenizer

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// matcher finds added tokens in a text, the leftmost first and the longest of those
// that start at the same place.
type matcher struct {
	patterns []pattern      // sorted by text
	starts   [256]matchSpan // the patterns that begin with each byte
	only     int            // the one byte that all patterns begin with, -1 if several
}

type pattern struct {
	text  string
	token AddedToken
}

type matchSpan struct{ from, to int }

func newMatcher(patterns []pattern) *matcher {
	patterns = slices.DeleteFunc(patterns, func(p pattern) bool { return p.text == "" })
	slices.SortStableFunc(patterns, func(a, b pattern) int { return strings.Compare(a.text, b.text) })
	// Of patterns with one text (after normalising) the first counts.
	patterns = slices.CompactFunc(patterns, func(a, b pattern) bool { return a.text == b.text })
	m := &matcher{patterns: patterns, only: -1}
	for i, p := range patterns {
		s := &m.starts[p.text[0]]
		if s.to == 0 {
			s.from = i
		}
		s.to = i + 1
	}
	if n := len(patterns); n > 0 && patterns[0].text[0] == patterns[n-1].text[0] {
		m.only = int(patterns[0].text[0])
	}
	return m
}

func (m *matcher) empty() bool { return len(m.patterns) == 0 }

// each walks text from left to right: it appends the ids of the added tokens found and
// lets between append those of every stretch between them. No token's text overlaps
// plain, which is tidy.
func (m *matcher) each(dst []int32, text string, plain []Span, between func([]int32, Span) []int32) []int32 {
	done := 0 // up to here text has been given out
	for at := 0; ; {
		start, p := m.next(text, at, plain)
		if p == nil {
			break
		}
		stop := start + len(p.text)
		at = stop
		if p.token.SingleWord && (endsInWord(text[:start]) || startsInWord(text[stop:])) {
			continue
		}
		if p.token.LStrip {
			start = max(done, len(strings.TrimRightFunc(text[:start], isSpace)))
		}
		if p.token.RStrip {
			stop = len(text) - len(strings.TrimLeftFunc(text[stop:], isSpace))
		}
		if done < start {
			dst = between(dst, Span{done, start})
		}
		dst = append(dst, p.token.ID)
		done = stop
	}
	if done < len(text) {
		dst = between(dst, Span{done, len(text)})
	}
	return dst
}

// next is the first match at or after at that does not overlap plain.
func (m *matcher) next(text string, at int, plain []Span) (int, *pattern) {
	if m.empty() {
		return 0, nil
	}
	for at < len(text) {
		for len(plain) > 0 && plain[0].End <= at {
			plain = plain[1:]
		}
		limit := len(text)
		if len(plain) > 0 {
			if plain[0].Start <= at {
				at = plain[0].End
				continue
			}
			limit = plain[0].Start
		}
		if start, p := m.find(text[:limit], at); p != nil {
			return start, p
		}
		at = limit
	}
	return 0, nil
}

func (m *matcher) find(text string, at int) (int, *pattern) {
	for at < len(text) {
		if m.only >= 0 {
			n := strings.IndexByte(text[at:], byte(m.only))
			if n < 0 {
				return 0, nil
			}
			at += n
		}
		if s := m.starts[text[at]]; s.to > s.from {
			if p := m.longest(text[at:], s); p != nil {
				return at, p
			}
		}
		at++
	}
	return 0, nil
}

// longest is the longest pattern that text begins with. It narrows the sorted patterns
// byte by byte; where the first of those left is as long as what was read, it matches.
func (m *matcher) longest(text string, s matchSpan) *pattern {
	var found *pattern
	for depth := 1; ; depth++ {
		if p := &m.patterns[s.from]; len(p.text) == depth {
			found = p
			s.from++
		}
		if depth == len(text) || s.from == s.to {
			return found
		}
		b := text[depth]
		left := m.patterns[s.from:s.to]
		lo := sort.Search(len(left), func(i int) bool { return left[i].text[depth] >= b })
		hi := lo + sort.Search(len(left)-lo, func(i int) bool { return left[lo+i].text[depth] > b })
		s = matchSpan{s.from + lo, s.from + hi}
		if s.from == s.to {
			return found
		}
	}
}

func endsInWord(text string) bool {
	r, n := utf8.DecodeLastRuneInString(text)
	return n > 0 && isWord(r)
}

func startsInWord(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n > 0 && isWord(r)
}
