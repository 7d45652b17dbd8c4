package tokenizer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxPatternDepth bounds the groups in groups of a pattern.
const maxPatternDepth = 100

type patternParser struct {
	text     string
	at       int
	depth    int
	foldCase bool // (?i)
	dotAll   bool // (?m), which is not about lines in Ruby
	extended bool // (?x)
}

func (p *patternParser) rest() string { return p.text[p.at:] }

// take skips s if it comes next.
func (p *patternParser) take(s string) bool {
	if !strings.HasPrefix(p.rest(), s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *patternParser) rune() rune {
	r, n := utf8.DecodeRuneInString(p.rest())
	p.at += n
	return r
}

func (p *patternParser) alternatives() (node, error) {
	if p.depth++; p.depth > maxPatternDepth {
		return nil, errors.New("groups too deep")
	}
	defer func() { p.depth-- }()
	var alt altNode
	for {
		seq, err := p.sequence()
		if err != nil {
			return nil, err
		}
		alt = append(alt, seq)
		if !p.take("|") {
			break
		}
	}
	if len(alt) == 1 {
		return alt[0], nil
	}
	return alt, nil
}

func (p *patternParser) sequence() (node, error) {
	seq := seqNode{}
	for p.at < len(p.text) && p.text[p.at] != '|' && p.text[p.at] != ')' {
		if p.extended && p.skipExtended() {
			continue
		}
		n, err := p.atom()
		if err != nil {
			return nil, err
		}
		if n == nil {
			continue // flags or a comment
		}
		if n, err = p.repeats(n); err != nil {
			return nil, err
		}
		seq = append(seq, n)
	}
	if len(seq) == 1 {
		return seq[0], nil
	}
	return seq, nil
}

// skipExtended skips what (?x) says is not there.
func (p *patternParser) skipExtended() bool {
	if p.take("#") {
		if _, after, ok := strings.Cut(p.rest(), "\n"); ok {
			p.at = len(p.text) - len(after)
		} else {
			p.at = len(p.text)
		}
		return true
	}
	return p.take(" ") || p.take("\t") || p.take("\n") || p.take("\r") || p.take("\f") || p.take("\v")
}

func (p *patternParser) atom() (node, error) {
	switch p.text[p.at] {
	case '(':
		p.at++
		return p.group()
	case '[':
		p.at++
		set, err := p.class()
		return charNode{set}, err
	case '\\':
		p.at++
		return p.escape()
	case '.':
		p.at++
		if p.dotAll {
			return charNode{runeSet(nil).negate()}, nil
		}
		return charNode{runeSet{{'\n', '\n'}}.negate()}, nil
	case '^', '$':
		p.at++
		return anchorNode(p.text[p.at-1]), nil
	case '*', '+', '?':
		return nil, errors.New("nothing to repeat")
	}
	return p.literal(p.rune()), nil
}

func (p *patternParser) literal(r rune) node {
	return charNode{p.fold(runeSet{{r, r}})}
}

func (p *patternParser) fold(s runeSet) runeSet {
	if p.foldCase {
		return s.folded()
	}
	return s
}

// group reads what comes after an opening parenthesis.
func (p *patternParser) group() (node, error) {
	if !p.take("?") {
		return p.groupBody()
	}
	for _, look := range []string{"=", "!", "<=", "<!", ">"} {
		if p.take(look) {
			n, err := p.groupBody()
			return lookNode{"(?" + look, n}, err
		}
	}
	if p.take("#") {
		_, after, ok := strings.Cut(p.rest(), ")")
		p.at = len(p.text) - len(after)
		if !ok {
			return nil, errors.New("comment without end")
		}
		return nil, nil
	}
	if p.take("<") {
		name, _, ok := strings.Cut(p.rest(), ">")
		if !ok || name == "" {
			return nil, errors.New("group without name")
		}
		p.at += len(name) + 1
		return p.groupBody()
	}
	return p.flags()
}

func (p *patternParser) groupBody() (node, error) {
	i, m, x := p.foldCase, p.dotAll, p.extended
	n, err := p.alternatives()
	p.foldCase, p.dotAll, p.extended = i, m, x
	if err == nil && !p.take(")") {
		err = errors.New("group without end")
	}
	return n, err
}

// flags reads (?i) and (?i:...), and (?:...) which has none.
func (p *patternParser) flags() (node, error) {
	i, m, x := p.foldCase, p.dotAll, p.extended
	on := true
	for {
		switch r := p.rune(); r {
		case '-':
			on = false
		case 'i':
			p.foldCase = on
		case 'm':
			p.dotAll = on
		case 'x':
			p.extended = on
		case ':':
			n, err := p.groupBody()
			p.foldCase, p.dotAll, p.extended = i, m, x
			return n, err
		case ')':
			// The flags hold to the end of the group, alternatives included.
			return p.alternativesAfterFlags()
		default:
			return nil, fmt.Errorf("group (?%c: %w", r, ErrUnsupported)
		}
	}
}

// alternativesAfterFlags is the rest of the group: in Ruby a(?i)b|c is a(?i:b|c).
func (p *patternParser) alternativesAfterFlags() (node, error) {
	return p.alternatives()
}

// repeats reads the quantifiers after an atom.
func (p *patternParser) repeats(n node) (node, error) {
	for p.at < len(p.text) {
		least, most, ok, interval := 0, -1, true, false
		switch {
		case p.take("*"):
		case p.take("+"):
			least = 1
		case p.take("?"):
			most = 1
		default:
			least, most, ok = p.interval()
			interval = true
		}
		if !ok {
			return n, nil
		}
		r := repeat{n, least, most, greedy}
		if most >= 0 && most < least {
			return nil, fmt.Errorf("repeat {%d,%d}: %w", least, most, ErrUnsupported)
		}
		switch {
		case interval && least == most:
			// In Ruby {n}? and {n}+ are repeats of a repeat.
		case p.take("?"):
			r.mode = lazy
		case !interval && p.take("+"):
			r.mode = possessive
		}
		n = r
	}
	return n, nil
}

// interval reads {n}, {n,}, {,m} or {n,m}; a brace that is none of them is itself.
func (p *patternParser) interval() (least, most int, ok bool) {
	if !strings.HasPrefix(p.rest(), "{") {
		return 0, 0, false
	}
	body, _, closed := strings.Cut(p.rest()[1:], "}")
	from, to, comma := strings.Cut(body, ",")
	if !comma {
		to = from
	}
	least, errLeast := strconv.Atoi(from)
	most, errMost := strconv.Atoi(to)
	if from == "" && comma && to != "" {
		errLeast = nil
	}
	if to == "" && comma && from != "" {
		most, errMost = -1, nil
	}
	if !closed || errLeast != nil || errMost != nil || least < 0 || most < -1 {
		return 0, 0, false
	}
	p.at += len(body) + 2
	return least, most, true
}
