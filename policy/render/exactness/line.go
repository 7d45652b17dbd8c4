package exactness

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Line is what was found about one template or tokenizer.
type Line struct {
	Kind string `json:"kind"` // template or tokenizer
	Name string `json:"name"`
	// Same of Total answers are ours too; Refused of them are refusals.
	Same    int `json:"same"`
	Total   int `json:"total"`
	Refused int `json:"refused,omitempty"`
	// IDs is how many ids a tokenizer gave.
	IDs int `json:"ids,omitempty"`
	// Difference is the first one; empty when there is none.
	Difference string `json:"difference,omitempty"`
}

// Identical tells that nothing differs.
func (l Line) Identical() bool { return l.Difference == "" }

func (l Line) String() string {
	if !l.Identical() {
		return fmt.Sprintf("%-9s  %s  DIFFERENT in %d of %d: %s", l.Kind, l.Name, l.Total-l.Same, l.Total, l.Difference)
	}
	if l.Kind == "tokenizer" {
		return fmt.Sprintf("%-9s  %s  identical: %d strings, %d ids", l.Kind, l.Name, l.Same, l.IDs)
	}
	return fmt.Sprintf("%-9s  %s  identical: %d texts, %d refusals", l.Kind, l.Name, l.Same-l.Refused, l.Refused)
}

// differ counts a difference and keeps the first.
func (l *Line) differ(format string, a ...any) {
	if l.Difference == "" {
		l.Difference = fmt.Sprintf(format, a...)
	}
}

// firstByte says where two texts part.
func firstByte(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	return fmt.Sprintf("at byte %d got %s, want %s", i, near(got, i), near(want, i))
}

// near is some text around a place.
func near(s string, at int) string {
	from, to := max(0, at-20), min(len(s), at+40)
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	return strconv.Quote(s[from:to])
}
