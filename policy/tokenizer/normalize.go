package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// normalizer rewrites a text and says where tidy spans of it went.
type normalizer interface {
	normalize(text string, spans []Span) (string, []Span)
}

func parseNormalizer(raw json.RawMessage) ([]normalizer, error) {
	if isNull(raw) {
		return nil, nil
	}
	var part struct {
		Type    string            `json:"type"`
		Parts   []json.RawMessage `json:"normalizers"`
		Prepend string            `json:"prepend"`
		Pattern patternField      `json:"pattern"`
		Content string            `json:"content"`
	}
	if err := json.Unmarshal(raw, &part); err != nil {
		return nil, err
	}
	switch part.Type {
	case "Sequence":
		var all []normalizer
		for i, p := range part.Parts {
			n, err := parseNormalizer(p)
			if err != nil {
				return nil, fmt.Errorf("number %d: %w", i, err)
			}
			all = append(all, n...)
		}
		return all, nil
	case "NFC":
		return []normalizer{nfc{}}, nil
	case "Prepend":
		return []normalizer{prepend(part.Prepend)}, nil
	case "Replace":
		if s := part.Pattern.String; s != nil && *s == "" {
			return nil, errors.New("Replace: pattern is empty")
		}
		f, err := part.Pattern.finder()
		if err != nil {
			return nil, fmt.Errorf("Replace: %w", err)
		}
		return []normalizer{replace{f, part.Content}}, nil
	}
	return nil, fmt.Errorf("type %q: %w", part.Type, ErrUnsupported)
}

// prepend puts a string before a text that is not empty.
type prepend string

func (p prepend) normalize(text string, spans []Span) (string, []Span) {
	if text == "" {
		return text, spans
	}
	e := edits{}
	e.replace(Span{0, 0}, string(p))
	return e.apply(text), e.move(spans)
}

// replace puts content in the place of every match.
type replace struct {
	finder  finder
	content string
}

func (r replace) normalize(text string, spans []Span) (string, []Span) {
	if s, ok := r.finder.(literalFinder); ok && len(spans) == 0 {
		return strings.ReplaceAll(text, string(s), r.content), nil
	}
	e := edits{}
	for _, m := range r.finder.find(nil, text) {
		e.replace(m, r.content)
	}
	return e.apply(text), e.move(spans)
}
