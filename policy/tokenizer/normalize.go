package tokenizer

import (
	"encoding/json"
	"fmt"
)

// normalizer rewrites a text and says where spans of it went.
type normalizer interface {
	normalize(text string, spans []Span) (string, []Span)
}

func parseNormalizer(raw json.RawMessage) ([]normalizer, error) {
	if isNull(raw) {
		return nil, nil
	}
	var part struct {
		Type  string            `json:"type"`
		Parts []json.RawMessage `json:"normalizers"`
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
	default:
		return nil, fmt.Errorf("type %q: %w", part.Type, ErrUnsupported)
	}
}
