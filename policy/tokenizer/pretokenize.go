package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// stage is one step of the pre-tokenizer: it appends the pieces of a text, which it may
// rewrite. first says that the text is the start of what is being encoded.
type stage interface {
	cut(dst []string, text string, first bool) []string
}

type preTokenizer struct {
	stages    []stage
	byteLevel bool // a ByteLevel has been seen
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
	case "Digits":
		return p.addDigits(raw)
	case "Punctuation":
		return p.addPunctuation(raw)
	case "Metaspace":
		return p.addMetaspace(raw)
	case "WhitespaceSplit":
		p.addStage(split{newSetFinder(shorthandSet('s'), 1), removed, false})
		return nil
	case "Whitespace":
		f, err := newRegexFinder(`[\w\u200C\u200D]+|[^\w\s\u200C\u200D]+`)
		p.addStage(split{f, removed, true})
		return err
	}
	return fmt.Errorf("type %q: %w", part.Type, ErrUnsupported)
}

// addStage adds a stage that only cuts.
func (p *preTokenizer) addStage(s stage) {
	if p.byteLevel {
		s = spelledStage{s}
	}
	p.stages = append(p.stages, s)
}

// spelledStage is a stage behind ByteLevel: in HF it sees the alphabet's characters.
type spelledStage struct{ stage stage }

func (s spelledStage) cut(dst []string, text string, first bool) []string {
	from := len(dst)
	dst = s.stage.cut(dst, spellBytes(text), first)
	for i, p := range dst[from:] {
		raw, _ := appendRaw(nil, p)
		dst[from+i] = string(raw)
	}
	return dst
}

func (p *preTokenizer) addByteLevel(raw json.RawMessage) error {
	part := struct {
		Prefix bool `json:"add_prefix_space"`
		Regex  bool `json:"use_regex"`
	}{Prefix: true, Regex: true}
	if err := json.Unmarshal(raw, &part); err != nil {
		return err
	}
	if p.byteLevel {
		return fmt.Errorf("a second ByteLevel: %w", ErrUnsupported)
	}
	if part.Prefix {
		p.stages = append(p.stages, prefixStage{})
	}
	if part.Regex {
		p.stages = append(p.stages, scanStage{gpt2{theClasses()}})
	}
	p.byteLevel = true
	return nil
}

// prefixStage puts a space before a text that has none.
type prefixStage struct{}

func (prefixStage) cut(dst []string, text string, _ bool) []string {
	if !strings.HasPrefix(text, " ") {
		text = " " + text
	}
	return append(dst, text)
}

func (p *preTokenizer) addDigits(raw json.RawMessage) error {
	var part struct {
		Individual bool `json:"individual_digits"`
	}
	if err := json.Unmarshal(raw, &part); err != nil {
		return err
	}
	most := -1
	if part.Individual {
		most = 1
	}
	numbers, _ := propertySet("N")
	p.addStage(split{newSetFinder(numbers, most), isolated, false})
	return nil
}

func (p *preTokenizer) addPunctuation(raw json.RawMessage) error {
	part := struct {
		Behavior behavior `json:"behavior"`
	}{isolated}
	if err := json.Unmarshal(raw, &part); err != nil {
		return err
	}
	if err := part.Behavior.check(); err != nil {
		return fmt.Errorf("Punctuation: %w", err)
	}
	punctuation, _ := propertySet("P")
	ascii := runeSet{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}
	p.addStage(split{newSetFinder(punctuation.union(ascii), 1), part.Behavior, false})
	return nil
}
