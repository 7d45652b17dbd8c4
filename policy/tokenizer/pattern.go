package tokenizer

import "fmt"

// The Split pre-tokenizer's patterns are Oniguruma's (its Ruby syntax), which neither
// Go's regexp nor regexp2 reads as written: \s and \d mean all of Unicode, ^ and $ are
// lines, + after ? is possessive. So a pattern is parsed into nodes, and its character
// classes become sets by Unicode 16. Characters that no set of the pattern tells apart
// are one symbol; the text is translated to symbols, the pattern is printed over them,
// and the engine that runs it sees neither Unicode nor large classes.

// node is a piece of a pattern.
type node interface {
	print(p *printer)
	sets(dst []runeSet) []runeSet // appends the sets that the piece asks for
}

type (
	charNode struct{ set runeSet } // one character of a set
	seqNode  []node                // one after the other
	altNode  []node                // the first that matches
	repeat   struct {
		of       node
		min, max int // max -1: no limit
		mode     repeatMode
	}
	lookNode struct { // (?= (?! (?<= (?<! and (?>
		opening string
		of      node
	}
	anchorNode byte // ^ $ A z Z b B G
)

type repeatMode string

const (
	greedy     repeatMode = ""
	lazy       repeatMode = "?"
	possessive repeatMode = "+"
)

// parsePattern reads a pattern; the error says what is not known of it.
func parsePattern(text string) (node, error) {
	p := &patternParser{text: text}
	n, err := p.alternatives()
	if err == nil && p.at < len(text) {
		err = fmt.Errorf("unmatched %q", text[p.at:])
	}
	if err != nil {
		return nil, fmt.Errorf("pattern %q at byte %d: %w", text, p.at, err)
	}
	return n, nil
}
