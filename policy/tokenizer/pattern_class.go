package tokenizer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// escape reads what comes after a backslash outside a class.
func (p *patternParser) escape() (node, error) {
	if p.at == len(p.text) {
		return nil, errors.New("backslash at the end")
	}
	if strings.IndexByte("AzZbBG", p.text[p.at]) >= 0 {
		p.at++
		return anchorNode(p.text[p.at-1]), nil
	}
	switch {
	case p.take("w"):
		return charNode{wordSet()}, nil
	case p.take("W"):
		return charNode{wordSet().negate()}, nil
	}
	set, err := p.escapedSet()
	return charNode{set}, err
}

// escapedSet reads an escape that stands for characters.
func (p *patternParser) escapedSet() (runeSet, error) {
	if p.at == len(p.text) {
		return nil, errors.New("backslash at the end")
	}
	switch c := p.text[p.at]; c {
	case 'd', 's', 'w', 'h':
		p.at++
		return shorthandSet(c), nil
	case 'D', 'S', 'W', 'H':
		p.at++
		return shorthandSet(c | 0x20).negate(), nil
	case 'p', 'P':
		p.at++
		return p.property(c == 'P')
	}
	r, err := p.escapedRune()
	return p.fold(runeSet{{r, r}}), err
}

// property reads {L}, {^L} or {Han}.
func (p *patternParser) property(negated bool) (runeSet, error) {
	name, _, ok := strings.Cut(p.rest(), "}")
	if !ok || !strings.HasPrefix(name, "{") {
		return nil, errors.New(`\p without {name}`)
	}
	p.at += len(name) + 1
	name, caret := strings.CutPrefix(name[1:], "^")
	set, ok := propertySet(name)
	if !ok {
		return nil, fmt.Errorf(`\p{%s}: %w`, name, ErrUnsupported)
	}
	if negated != caret {
		set = set.negate()
	}
	return p.fold(set), nil
}

// escapedRune reads an escape that stands for one character.
func (p *patternParser) escapedRune() (rune, error) {
	r := p.rune()
	if k := strings.IndexRune("tnrfvae", r); k >= 0 {
		return rune("\t\n\r\f\v\a\x1b"[k]), nil
	}
	switch {
	case r == 'x' && p.take("{"):
		digits, _, _ := strings.Cut(p.rest(), "}")
		p.at += len(digits)
		if !p.take("}") {
			return 0, errors.New(`\x{ without end`)
		}
		return hexDigits(digits)
	case r == 'x':
		return p.hex(2)
	case r == 'u':
		return p.hex(4)
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return 0, fmt.Errorf(`\%c: %w`, r, ErrUnsupported)
	}
	return r, nil
}

func (p *patternParser) hex(n int) (rune, error) {
	if len(p.rest()) < n {
		return 0, errors.New("too few hexadecimal digits")
	}
	digits := p.rest()[:n]
	p.at += n
	return hexDigits(digits)
}

func hexDigits(s string) (rune, error) {
	n, err := strconv.ParseUint(s, 16, 21)
	if err != nil || n > 0x10FFFF {
		return 0, fmt.Errorf("%q is not the number of a character", s)
	}
	return rune(n), nil
}

// class reads a bracketed set after its opening bracket; && intersects, brackets nest.
func (p *patternParser) class() (runeSet, error) {
	if p.depth++; p.depth > maxPatternDepth {
		return nil, errors.New("classes too deep")
	}
	defer func() { p.depth-- }()
	negated := p.take("^")
	var all, part runeSet
	intersects := false
	close := func() runeSet {
		if intersects {
			part = all.intersect(part)
		}
		return part
	}
	for first := true; ; first = false {
		switch {
		case p.at == len(p.text):
			return nil, errors.New("class without end")
		case !first && p.take("]"):
			set := close()
			if negated {
				set = set.negate()
			}
			return set, nil
		case strings.HasPrefix(p.rest(), "[:"):
			return nil, fmt.Errorf("class [:...:]: %w", ErrUnsupported)
		case p.take("&&"):
			all, part, intersects = close(), nil, true
			continue
		}
		item, err := p.classItem()
		if err != nil {
			return nil, err
		}
		part = part.union(item)
	}
}

// classItem reads a nested class, an escape, a character or a range.
func (p *patternParser) classItem() (runeSet, error) {
	if p.take("[") {
		return p.class()
	}
	if strings.HasPrefix(p.rest(), `\`) && len(p.rest()) > 1 && strings.IndexByte("dDsSwWhHpP", p.rest()[1]) >= 0 {
		p.at++
		return p.escapedSet()
	}
	from, err := p.classRune()
	if err != nil {
		return nil, err
	}
	rest := p.rest()
	isRange := strings.HasPrefix(rest, "-") && len(rest) > 1 && rest[1] != ']' && rest[1] != '[' &&
		!(rest[1] == '\\' && len(rest) > 2 && strings.IndexByte("dDsSwWhHpP", rest[2]) >= 0)
	if !isRange {
		return p.fold(runeSet{{from, from}}), nil
	}
	p.at++
	to, err := p.classRune()
	if err != nil {
		return nil, err
	}
	if to < from {
		return nil, fmt.Errorf("range %c-%c is empty", from, to)
	}
	return p.fold(runeSet{{from, to}}), nil
}

func (p *patternParser) classRune() (rune, error) {
	if !p.take(`\`) {
		return p.rune(), nil
	}
	if p.take("b") {
		return '\b', nil
	}
	return p.escapedRune()
}
