package parser

import (
	"strings"
	"unicode/utf8"
)

// markers is a set of texts to look for. However many there are, finding one is
// a single pass: a reply of many calls must not be searched to its end for each.
type markers struct {
	list []string
	// one is the byte that all of them begin with; 0 when they differ.
	one   byte
	first [256]bool
}

func newMarkers(lists ...[]string) *markers {
	m := &markers{}
	for _, l := range lists {
		m.list = append(m.list, l...)
	}
	for i, s := range m.list {
		m.first[s[0]] = true
		if i == 0 {
			m.one = s[0]
		} else if m.one != s[0] {
			m.one = 0
		}
	}
	return m
}

// find is the first marker at or after from, and where it is; -1 when there is
// none.
func (m *markers) find(src string, from int) (int, string) {
	for i := from; i < len(src); i++ {
		if m.one != 0 {
			n := strings.IndexByte(src[i:], m.one)
			if n < 0 {
				return -1, ""
			}
			i += n
		} else if !m.first[src[i]] {
			continue
		}
		for _, s := range m.list {
			if strings.HasPrefix(src[i:], s) {
				return i, s
			}
		}
	}
	return -1, ""
}

// cutRunes is how much of a marker at the end of a reply is a call that was cut
// there rather than prose.
const cutRunes = 4

// cutMarker is how many bytes at the end of s begin one of the markers.
func cutMarker(s string, marks []string) int {
	longest := 0
	for _, m := range marks {
		for n := min(len(m)-1, len(s)); n > longest; n-- {
			if strings.HasSuffix(s, m[:n]) && utf8.RuneCountInString(m[:n]) >= cutRunes {
				longest = n
			}
		}
	}
	return longest
}

// isBeginning reports whether s is a beginning of the marker, but not all of it.
func isBeginning(s, marker string) bool {
	return len(s) < len(marker) && strings.HasPrefix(marker, s)
}
