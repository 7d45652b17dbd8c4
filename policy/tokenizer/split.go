package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"
)

// finder finds the matches of a pattern, left to right, without overlaps.
type finder interface {
	find(dst []Span, text string) []Span
}

// behavior is what a split does with the matches of its pattern.
type behavior string

const (
	removed            behavior = "Removed"
	isolated           behavior = "Isolated"
	mergedWithPrevious behavior = "MergedWithPrevious"
	mergedWithNext     behavior = "MergedWithNext"
	contiguous         behavior = "Contiguous"
)

func (b behavior) check() error {
	if !slices.Contains([]behavior{removed, isolated, mergedWithPrevious, mergedWithNext, contiguous}, b) {
		return fmt.Errorf("behavior %q: %w", b, ErrUnsupported)
	}
	return nil
}

// split cuts at the matches of a pattern.
type split struct {
	finder   finder
	behavior behavior
	invert   bool // what lies between the matches counts as the matches
}

func (p *preTokenizer) addSplit(raw json.RawMessage) error {
	var part struct {
		Pattern  patternField `json:"pattern"`
		Behavior behavior     `json:"behavior"`
		Invert   bool         `json:"invert"`
	}
	if err := json.Unmarshal(raw, &part); err != nil {
		return err
	}
	if err := part.Behavior.check(); err != nil {
		return fmt.Errorf("Split: %w", err)
	}
	f, err := part.Pattern.finder()
	if err != nil {
		return fmt.Errorf("Split: %w", err)
	}
	if s, ok := f.(scanStage); ok && part.Behavior == isolated {
		p.addStage(s)
		return nil
	}
	p.addStage(split{f, part.Behavior, part.Invert})
	return nil
}

// patternField is {"String": s} or {"Regex": s}.
type patternField struct{ String, Regex *string }

func (p patternField) finder() (finder, error) {
	switch {
	case p.String != nil:
		return literalFinder(*p.String), nil
	case p.Regex != nil:
		return newRegexFinder(*p.Regex)
	}
	return nil, fmt.Errorf("pattern is neither String nor Regex: %w", ErrUnsupported)
}

// part is a stretch of text that is a match or lies between two.
type part struct {
	Span
	match bool
}

func (s split) cut(dst []string, text string, _ bool) []string {
	matches := s.finder.find(nil, text)
	if s.behavior != isolated && s.behavior != removed {
		return s.cutJoined(dst, text, matches)
	}
	keep := func(p Span, match bool) {
		if p.Start < p.End && !(s.behavior == removed && match) {
			dst = append(dst, text[p.Start:p.End])
		}
	}
	done := 0
	for _, m := range matches {
		keep(Span{done, m.Start}, s.invert)
		keep(m, !s.invert)
		done = m.End
	}
	keep(Span{done, len(text)}, s.invert)
	return dst
}

// cutJoined is cut for the behaviours that put a match and its neighbour together.
func (s split) cutJoined(dst []string, text string, matches []Span) []string {
	var parts []part
	done := 0
	for _, m := range matches {
		if done < m.Start {
			parts = append(parts, part{Span{done, m.Start}, s.invert})
		}
		parts = append(parts, part{m, !s.invert})
		done = m.End
	}
	if done < len(text) {
		parts = append(parts, part{Span{done, len(text)}, s.invert})
	}
	for _, p := range s.behavior.join(parts) {
		if p.Start < p.End {
			dst = append(dst, text[p.Start:p.End])
		}
	}
	return dst
}

// join puts neighbours together.
func (b behavior) join(parts []part) []part {
	if b == mergedWithNext {
		slices.Reverse(parts)
	}
	out := parts[:0]
	before := false // whether the part before was a match
	for _, p := range parts {
		joins := p.match && !before
		if b == contiguous {
			joins = p.match == before
		}
		before = p.match
		if !joins || len(out) == 0 {
			out = append(out, p)
			continue
		}
		last := &out[len(out)-1]
		last.Start, last.End = min(last.Start, p.Start), max(last.End, p.End)
	}
	if b == mergedWithNext {
		slices.Reverse(out)
	}
	return out
}
