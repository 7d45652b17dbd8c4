package tokenizer

import (
	"encoding/json"
	"fmt"
)

// stage is one step of the pre-tokenizer: it cuts a text into pieces, and may rewrite them.
type stage interface {
	cut(dst []string, text string) []string
}

type preTokenizer struct {
	stages    []stage
	byteLevel bool
}

func parsePreTokenizer(raw json.RawMessage) (preTokenizer, error) {
	var p preTokenizer
	return p, p.add(raw)
}

func (p *preTokenizer) add(raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	var part struct {
		Type  string            `json:"type"`
		Parts []json.RawMessage `json:"pretokenizers"`
	}
	if err := json.Unmarshal(raw, &part); err != nil {
		return err
	}
	switch part.Type {
	case "Sequence":
		for i, r := range part.Parts {
			if err := p.add(r); err != nil {
				return fmt.Errorf("number %d: %w", i, err)
			}
		}
		return nil
	case "Split":
		return p.addSplit(raw)
	case "ByteLevel":
		return p.addByteLevel(raw)
	default:
		return fmt.Errorf("type %q: %w", part.Type, ErrUnsupported)
	}
}

func (p *preTokenizer) addByteLevel(raw json.RawMessage) error {
	part := struct {
		Prefix bool `json:"add_prefix_space"`
		Regex  bool `json:"use_regex"`
	}{Prefix: true, Regex: true}
	if err := json.Unmarshal(raw, &part); err != nil {
		return err
	}
	if part.Prefix || part.Regex {
		return fmt.Errorf("ByteLevel with add_prefix_space or use_regex: %w", ErrUnsupported)
	}
	p.byteLevel = true
	return nil
}
