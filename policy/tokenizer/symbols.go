package tokenizer

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// symbols maps characters to one symbol for all those that are in the same sets.
type symbols struct {
	*runeTable[rune]
	all []symbolClass
}

type symbolClass struct {
	symbol  rune
	example rune // one of its characters
}

// newSymbols tells apart what sets tell apart. A line feed stays itself, for ^ and $.
func newSymbols(sets []runeSet) *symbols {
	sets = append(sets, runeSet{{'\n', '\n'}})
	edges := []rune{0}
	for _, s := range sets {
		for _, r := range s {
			edges = append(edges, r.from, r.to+1)
		}
	}
	slices.SortFunc(edges, cmp.Compare[rune])
	edges = slices.Compact(edges)

	s := &symbols{}
	flat := make([]rune, unicode.MaxRune+1)
	known := map[string]rune{}
	next := rune(1)
	for i, from := range edges {
		if from > unicode.MaxRune {
			break
		}
		to := rune(unicode.MaxRune + 1)
		if i+1 < len(edges) {
			to = edges[i+1]
		}
		member := make([]byte, len(sets))
		for k, set := range sets {
			if set.has(from) {
				member[k] = 1
			}
		}
		symbol, ok := known[string(member)]
		switch {
		case ok:
		case from == '\n':
			symbol = '\n'
		default:
			if symbol, next = next, next+1; next == '\n' {
				next++
			}
		}
		if !ok {
			known[string(member)] = symbol
			s.all = append(s.all, symbolClass{symbol, from})
		}
		for r := from; r < to; r++ {
			flat[r] = symbol
		}
	}
	s.runeTable = newRuneTable(flat)
	return s
}

// runes is text in symbols, one for each character.
func (s *symbols) runes(text string) []rune {
	out := make([]rune, 0, utf8.RuneCountInString(text))
	for _, r := range text {
		out = append(out, s.of(r))
	}
	return out
}

// bytes is runes for symbols below 128.
func (s *symbols) bytes(text string) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		out = append(out, byte(s.of(r)))
	}
	return out
}

// places gives byte offsets of a text for counts of its characters, asked in order.
type places struct {
	text        string
	count, byte int
}

func (p *places) at(count int) int {
	for p.count < count {
		_, n := utf8.DecodeRuneInString(p.text[p.byte:])
		p.byte += n
		p.count++
	}
	return p.byte
}
