package dataset

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"focus/rollout"
)

// checkSpans proves that the spans partition the row and follow its branch.
func checkSpans(s *Sample, say say) {
	if len(s.Spans) == 0 {
		if len(s.TokenIDs) > 0 {
			say(ErrSpan, NoTurn, "no spans for %d tokens", len(s.TokenIDs))
		}
		return
	}
	if s.Spans[0].Start != 0 {
		say(ErrSpan, NoTurn, "the first span starts at %d", s.Spans[0].Start)
		return
	}
	at := 0
	for i, span := range s.Spans {
		end := s.SpanEnd(i)
		if end <= span.Start || int(end) > len(s.TokenIDs) {
			say(ErrSpan, NoTurn, "span %d is [%d, %d) in a row of %d", i, span.Start, end, len(s.TokenIDs))
			return
		}
		if span.Kind == rollout.PieceBase && i > 0 {
			say(ErrSpan, NoTurn, "span %d is %s, which only the first may be", i, span.Kind)
		}
		want := int8(0)
		switch span.Kind {
		case rollout.PieceGenerated:
			want = 1
		case rollout.PieceBase, rollout.PieceObservation:
		default:
			say(ErrSpan, NoTurn, "span %d has the unknown kind %q", i, span.Kind)
		}
		if off := indexOther(s.SampledMask[span.Start:end], want); off >= 0 {
			say(ErrSpan, NoTurn, "span %d is %s, and sampled_mask at %d is %d", i, span.Kind, int(span.Start)+off, 1-want)
			return
		}
		next := slices.Index(s.Branch[at:], span.Node)
		if next < 0 {
			say(ErrSpan, NoTurn, "span %d is of node %d, which is not next on branch %v", i, span.Node, s.Branch)
			return
		}
		at += next
	}
}

// indexOther is the position of the first item that is not want, -1 for none.
func indexOther(mask []int8, want int8) int {
	return slices.IndexFunc(mask, func(m int8) bool { return m != want })
}

// checkTurns proves that each turn's tokens follow what they were sampled
// under, and that turns, spans and masks tell the same story.
func checkTurns(s *Sample, say say) {
	sent, end, sampled := newPrefixHash(), 0, 0
	for i, t := range s.Info.Turns {
		if t.At < end {
			say(ErrSpan, i, "starts at %d, inside the turn before it", t.At)
			return
		}
		sent.extend(s.TokenIDs[sent.n:t.At])
		if got := sent.hex(); got != t.Prefix {
			say(ErrPrefix, i, "the %d tokens before it hash to %s, it was sampled under %s", t.At, got, t.Prefix)
		}
		if end = t.At + t.N; indexOther(s.SampledMask[t.At:end], 1) >= 0 {
			say(ErrMask, i, "tokens [%d, %d) are not all sampled", t.At, end)
		}
		if t.N > 0 && indexOther(s.LossMask[t.At:end], s.LossMask[t.At]) >= 0 {
			say(ErrMask, i, "loss on a part of tokens [%d, %d)", t.At, end)
		}
		if (t.Law == nil) != (s.Law != nil) {
			say(ErrIdentity, i, "its law must be given when the row's is not, and only then")
		}
		sampled += t.N
	}
	total := 0
	for _, m := range s.SampledMask {
		total += int(m)
	}
	if total != sampled {
		say(ErrMask, NoTurn, "%d tokens are sampled and the turns have %d", total, sampled)
	}
	checkTurnSpans(s, say)
}

// checkTurnSpans proves that each generated span lies within one turn and is
// of its node.
func checkTurnSpans(s *Sample, say say) {
	k := 0
	for i, span := range s.Spans {
		if span.Kind != rollout.PieceGenerated {
			continue
		}
		for k < len(s.Info.Turns) && s.Info.Turns[k].At+s.Info.Turns[k].N <= int(span.Start) {
			k++
		}
		if k == len(s.Info.Turns) {
			say(ErrSpan, NoTurn, "span %d at %d belongs to no turn", i, span.Start)
			return
		}
		t := s.Info.Turns[k]
		if t.Node != span.Node || t.At > int(span.Start) || int(s.SpanEnd(i)) > t.At+t.N {
			say(ErrSpan, k, "span %d [%d, %d) of node %d does not lie in the turn's [%d, %d) of node %d",
				i, span.Start, s.SpanEnd(i), span.Node, t.At, t.At+t.N, t.Node)
			return
		}
	}
}

// checkText proves that what goes into utf8 columns is UTF-8, which Arrow
// readers differ in checking, and that messages parse.
func checkText(s *Sample, say say) {
	texts := []string{string(s.RolloutID), string(s.GroupID), string(s.TaskID), string(s.TreeID), string(s.Messages)}
	for _, span := range s.Spans {
		texts = append(texts, string(span.Tag), string(span.Version))
	}
	for _, t := range texts {
		if !utf8.ValidString(t) {
			say(ErrText, NoTurn, "%q is not UTF-8", t)
			return
		}
	}
	if s.Messages != nil && !json.Valid(s.Messages) {
		say(ErrText, NoTurn, "messages is not JSON")
	}
}
