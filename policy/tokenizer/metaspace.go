package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// metaspace writes spaces as a visible character, may put one in front, and cuts
// before each.
type metaspace struct {
	replacement string
	scheme      prependScheme
	split       bool
}

type prependScheme string

const (
	prependAlways prependScheme = "always"
	prependFirst  prependScheme = "first"
	prependNever  prependScheme = "never"
)

func parseMetaspace(raw json.RawMessage) (metaspace, error) {
	part := struct {
		Replacement string        `json:"replacement"`
		Prefix      *bool         `json:"add_prefix_space"` // of older files
		Scheme      prependScheme `json:"prepend_scheme"`
		Split       bool          `json:"split"`
	}{Scheme: prependAlways, Split: true}
	if err := json.Unmarshal(raw, &part); err != nil {
		return metaspace{}, err
	}
	if part.Prefix != nil && !*part.Prefix {
		part.Scheme = prependNever
	}
	switch part.Scheme {
	case prependAlways, prependFirst, prependNever:
	default:
		return metaspace{}, fmt.Errorf("Metaspace: prepend_scheme %q: %w", part.Scheme, ErrUnsupported)
	}
	if utf8.RuneCountInString(part.Replacement) != 1 {
		return metaspace{}, fmt.Errorf("Metaspace: replacement %q is not one character", part.Replacement)
	}
	return metaspace{part.Replacement, part.Scheme, part.Split}, nil
}

func (p *preTokenizer) addMetaspace(raw json.RawMessage) error {
	m, err := parseMetaspace(raw)
	if err != nil {
		return err
	}
	if p.byteLevel {
		return fmt.Errorf("Metaspace after ByteLevel: %w", ErrUnsupported)
	}
	p.stages = append(p.stages, m)
	return nil
}

func (m metaspace) cut(dst []string, text string, first bool) []string {
	text = strings.ReplaceAll(text, " ", m.replacement)
	if !strings.HasPrefix(text, m.replacement) &&
		(m.scheme == prependAlways || m.scheme == prependFirst && first) {
		text = m.replacement + text
	}
	if !m.split {
		return append(dst, text)
	}
	return split{literalFinder(m.replacement), mergedWithNext, false}.cut(dst, text, first)
}
