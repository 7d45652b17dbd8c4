package dataset

import (
	"encoding/hex"
	"fmt"

	"focus/rollout"
)

// credit is what an estimator said about the turns of a line; the row's first
// turn is at index from.
type credit struct {
	advantages, weights []float64
	from                int
}

// fill writes tokens, masks, logprobs, credit, spans and turns of a region.
func fill(s *Sample, region rollout.Region, places map[*rollout.Turn]place, c credit) error {
	s.TokenIDs = region.Tokens().Slice()
	n := len(s.TokenIDs)
	s.SampledMask, s.LossMask, s.Logprobs = make([]int8, n), make([]int8, n), make([]float32, n)
	if c.advantages != nil {
		s.Advantages = make([]float32, n)
	}
	if c.weights != nil {
		s.Weights = make([]float32, n)
	}
	s.PromptLen, s.Exact = int32(n), true
	s.Law, s.Seed = law(region), region.Turns[0].Sampling.Seed
	s.Info.LogprobMode = logprobMode(region)
	sent := newPrefixHash()
	for i, t := range region.Turns {
		info, err := turnInfo(t, places[t])
		if err != nil {
			return fmt.Errorf("turn %d: %w", i, err)
		}
		if s.Law == nil {
			info.Law = turnLaw(t)
		}
		if s.Info.LogprobMode == LogprobsMixed {
			info.LogprobMode = t.LogprobMode
		}
		sent.extend(t.Context.Truncate(t.PrefixLen).From(sent.n))
		info.Prefix = sent.hex()
		s.Info.Turns = append(s.Info.Turns, info)
		s.Exact = s.Exact && t.Exact
		if err := fillTurn(s, t, c, c.from+i); err != nil {
			return fmt.Errorf("turn %d: %w", i, err)
		}
	}
	if err := fillAnchor(s, region); err != nil {
		return err
	}
	return fillSpans(s, region, places)
}

// fillTurn writes what belongs to the sampled tokens of one turn.
func fillTurn(s *Sample, t *rollout.Turn, c credit, at int) error {
	n := t.Context.Len() - t.PrefixLen
	if t.Logprobs != nil && len(t.Logprobs) != n {
		return fmt.Errorf("%d logprobs for %d sampled tokens: %w", len(t.Logprobs), n, ErrLength)
	}
	if n > 0 {
		s.PromptLen = min(s.PromptLen, int32(t.PrefixLen))
	}
	for k := range n {
		i := t.PrefixLen + k
		s.SampledMask[i] = 1
		if t.Logprobs != nil {
			s.Logprobs[i] = rounded(t.Logprobs[k])
		}
		if c.advantages != nil {
			s.Advantages[i] = float32(c.advantages[at])
		}
		if c.weights != nil {
			s.Weights[i] = float32(c.weights[at])
		}
	}
	return nil
}

func fillSpans(s *Sample, region rollout.Region, places map[*rollout.Turn]place) error {
	at := 0
	for p := range region.Pieces() {
		span := Span{
			Start: int32(at), Node: places[p.Turn].node, Kind: p.Kind,
			Tag: p.Turn.Tag, ContextVersion: int32(p.Turn.ContextVersion),
		}
		at += len(p.IDs)
		if p.Kind != rollout.PieceGenerated || len(p.Turn.Versions) == 0 {
			s.Spans = append(s.Spans, span)
			continue
		}
		end := 0
		for _, v := range p.Turn.Versions {
			if v.Start != end || v.End < v.Start || v.End > len(p.IDs) {
				return fmt.Errorf("policy versions %v do not cover %d sampled tokens in order: %w", p.Turn.Versions, len(p.IDs), ErrSpan)
			}
			if end = v.End; v.End == v.Start {
				continue
			}
			span.Version = v.Version
			s.Spans = append(s.Spans, span)
			span.Start += int32(v.End - v.Start)
		}
		if end != len(p.IDs) {
			return fmt.Errorf("policy versions %v do not cover %d sampled tokens: %w", p.Turn.Versions, len(p.IDs), ErrSpan)
		}
	}
	return nil
}

func turnLaw(t *rollout.Turn) *Law {
	p := t.Sampling
	return &Law{Temperature: p.Temperature, TopP: p.TopP, TopK: int32(p.TopK), MinP: p.MinP}
}

// law is the one law of a region's turns, nil when they differ.
func law(region rollout.Region) *Law {
	first := turnLaw(region.Turns[0])
	for _, t := range region.Turns[1:] {
		if *turnLaw(t) != *first {
			return nil
		}
	}
	return first
}

func logprobMode(region rollout.Region) rollout.LogprobMode {
	first := region.Turns[0].LogprobMode
	for _, t := range region.Turns[1:] {
		if t.LogprobMode != first {
			return LogprobsMixed
		}
	}
	return first
}

// hex is the hash so far, cut to the length that rows keep.
func (h *prefixHash) hex() string {
	sum := h.h.Sum(nil)
	return hex.EncodeToString(sum[:prefixBytes])
}
