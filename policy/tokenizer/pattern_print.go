package tokenizer

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// printer writes a pattern over symbols for an engine: RE2's syntax, or regexp2's where
// the pattern needs what RE2 has not.
type printer struct {
	strings.Builder
	symbols   *symbols
	beyondRE2 bool // set when something was printed that only regexp2 has
}

// maxRE2Repeat is the largest count that Go's regexp takes.
const maxRE2Repeat = 1000

func (n charNode) print(p *printer) {
	p.WriteByte('[')
	some := false
	for _, s := range p.symbols.all {
		if !n.set.has(s.example) {
			continue
		}
		some = true
		if s.symbol < utf8.RuneSelf {
			fmt.Fprintf(p, `\x%02X`, s.symbol)
			continue
		}
		p.beyondRE2 = true // its offsets would no longer be counts of characters
		p.WriteRune(s.symbol)
	}
	if !some {
		p.WriteString("^\x00-\U0010FFFF") // nothing
	}
	p.WriteByte(']')
}

func (n seqNode) print(p *printer) {
	for _, part := range n {
		printGrouped(p, part)
	}
}

func (n altNode) print(p *printer) {
	for i, part := range n {
		if i > 0 {
			p.WriteByte('|')
		}
		part.print(p)
	}
}

// printGrouped keeps alternatives together.
func printGrouped(p *printer, n node) {
	if _, ok := n.(altNode); !ok {
		n.print(p)
		return
	}
	p.WriteString("(?:")
	n.print(p)
	p.WriteByte(')')
}

func (n repeat) print(p *printer) {
	if n.mode == possessive {
		p.beyondRE2 = true
		p.WriteString("(?>")
		defer p.WriteByte(')')
	}
	p.WriteString("(?:")
	n.of.print(p)
	p.WriteByte(')')
	p.beyondRE2 = p.beyondRE2 || n.min > maxRE2Repeat || n.max > maxRE2Repeat
	switch {
	case n.min == 0 && n.max == -1:
		p.WriteByte('*')
	case n.min == 1 && n.max == -1:
		p.WriteByte('+')
	case n.min == 0 && n.max == 1:
		p.WriteByte('?')
	case n.max == -1:
		fmt.Fprintf(p, "{%d,}", n.min)
	case n.min == n.max:
		fmt.Fprintf(p, "{%d}", n.min)
	default:
		fmt.Fprintf(p, "{%d,%d}", n.min, n.max)
	}
	if n.mode == lazy {
		p.WriteByte('?')
	}
}

func (n lookNode) print(p *printer) {
	p.beyondRE2 = true
	p.WriteString(n.opening)
	n.of.print(p)
	p.WriteByte(')')
}

func (n anchorNode) print(p *printer) {
	switch n {
	case '^', '$':
		p.WriteString("(?m:" + string(rune(n)) + ")")
	case 'A', 'z':
		p.WriteString(`\` + string(rune(n)))
	case 'Z', 'G':
		p.beyondRE2 = true
		p.WriteString(`\` + string(rune(n)))
	case 'b', 'B':
		word := charNode{wordSet()}
		before, after := lookNode{"(?<=", word}, lookNode{"(?=", word}
		notBefore, notAfter := lookNode{"(?<!", word}, lookNode{"(?!", word}
		edge := altNode{seqNode{before, notAfter}, seqNode{notBefore, after}}
		if n == 'B' {
			edge = altNode{seqNode{before, after}, seqNode{notBefore, notAfter}}
		}
		printGrouped(p, edge)
	}
}

func (n charNode) sets(dst []runeSet) []runeSet { return append(dst, n.set) }

func (n seqNode) sets(dst []runeSet) []runeSet {
	for _, part := range n {
		dst = part.sets(dst)
	}
	return dst
}

func (n altNode) sets(dst []runeSet) []runeSet { return seqNode(n).sets(dst) }

func (n repeat) sets(dst []runeSet) []runeSet { return n.of.sets(dst) }

func (n lookNode) sets(dst []runeSet) []runeSet { return n.of.sets(dst) }

func (n anchorNode) sets(dst []runeSet) []runeSet {
	if n == 'b' || n == 'B' {
		dst = append(dst, wordSet())
	}
	return dst
}
