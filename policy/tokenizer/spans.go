package tokenizer

import (
	"cmp"
	"slices"
)

// tidySpans gives spans sorted, without overlaps, within n bytes, none of them empty.
func tidySpans(spans []Span, n int) []Span {
	tidy := make([]Span, 0, len(spans))
	for _, s := range spans {
		s.Start, s.End = max(s.Start, 0), min(s.End, n)
		if s.Start < s.End {
			tidy = append(tidy, s)
		}
	}
	slices.SortFunc(tidy, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	out := tidy[:0]
	for _, s := range tidy {
		if k := len(out); k > 0 && s.Start <= out[k-1].End {
			out[k-1].End = max(out[k-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

// within is the part of tidy spans that lies in s, counted from its start.
func within(spans []Span, s Span) []Span {
	if len(spans) == 0 {
		return nil
	}
	var in []Span
	for _, p := range spans {
		if a, b := max(p.Start, s.Start), min(p.End, s.End); a < b {
			in = append(in, Span{a - s.Start, b - s.Start})
		}
	}
	return in
}
