package parser

import (
	"slices"
	"sort"

	"focus/rollout"
)

// spans maps bytes of a turn to sampled ids.
type spans struct {
	ends []int
	// before is how many bytes of the turn earlier segments produced.
	before int
	ids    int
	length int
}

// spansOf reads the offsets of a reply. Offsets that do not fit the text are
// not used: without them a span is the whole reply.
func spansOf(r Reply) spans {
	s := spans{before: len(r.Before), ids: len(r.Tokens), length: len(r.Text)}
	if n := len(r.Ends); n == len(r.Tokens) && n > 0 && r.Ends[0] >= 0 &&
		r.Ends[n-1] == len(r.Text) && slices.IsSorted(r.Ends) {
		s.ends = r.Ends
	}
	return s
}

// end is the offset in the reply's text where id i ends; the last id of an
// earlier segment is -1.
func (s spans) end(i int) int {
	switch {
	case s.ends == nil:
		return s.length
	case i < 0:
		return 0
	}
	return s.ends[i]
}

// tokens is the ids that hold a byte of [from, to) of the turn. An attempt that
// lies in earlier segments has an empty span at the start.
func (s spans) tokens(from, to int) rollout.Span {
	from, to = max(from-s.before, 0), max(to-s.before, 0)
	switch {
	case to == 0 || s.ids == 0:
		return rollout.Span{}
	case s.ends == nil:
		return rollout.Span{Start: 0, End: s.ids}
	}
	start := sort.SearchInts(s.ends, from+1)
	end := sort.SearchInts(s.ends, to) + 1
	return rollout.Span{Start: start, End: min(end, s.ids)}
}
