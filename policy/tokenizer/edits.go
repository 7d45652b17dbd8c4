package tokenizer

import (
	"math"
	"strings"
)

// edits is a list of replacements, from left to right.
type edits struct{ list []edit }

type edit struct {
	old Span
	new string
}

func (e *edits) replace(old Span, new string) { e.list = append(e.list, edit{old, new}) }

func (e *edits) apply(text string) string {
	if len(e.list) == 0 {
		return text
	}
	var b strings.Builder
	done := 0
	for _, d := range e.list {
		b.WriteString(text[done:d.old.Start])
		b.WriteString(d.new)
		done = d.old.End
	}
	b.WriteString(text[done:])
	return b.String()
}

// move is where tidy spans are after the edits. One that reaches into a replaced part
// covers all of what replaced it; what was inserted at an edge is outside.
func (e *edits) move(spans []Span) []Span {
	if len(e.list) == 0 || len(spans) == 0 {
		return spans
	}
	moved := make([]Span, len(spans))
	next, grown := 0, 0 // the edits before next are behind us, and made the text this much longer
	pass := func(place int, inserted bool) int {
		for ; next < len(e.list); next++ {
			d := e.list[next]
			if d.old.End > place || d.old.Start == place && !inserted {
				break
			}
			grown += len(d.new) - (d.old.End - d.old.Start)
		}
		return place + grown
	}
	for i, s := range spans {
		moved[i].Start = pass(s.Start, true)
		if next < len(e.list) && e.list[next].old.Start < s.Start {
			moved[i].Start = e.list[next].old.Start + grown
		}
		moved[i].End = pass(s.End, false)
		if next < len(e.list) && e.list[next].old.Start < s.End {
			d := e.list[next]
			moved[i].End = d.old.Start + grown + len(d.new)
		}
	}
	return tidySpans(moved, math.MaxInt)
}
