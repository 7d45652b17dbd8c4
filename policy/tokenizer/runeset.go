package tokenizer

import (
	"cmp"
	"slices"
	"unicode"
)

// runeSet is a set of characters as sorted ranges that neither touch nor overlap.
type runeSet []runeRange

type runeRange struct{ from, to rune }

func (s runeSet) has(r rune) bool {
	_, ok := slices.BinarySearchFunc(s, r, func(x runeRange, r rune) int {
		switch {
		case x.to < r:
			return -1
		case x.from > r:
			return 1
		}
		return 0
	})
	return ok
}

// newRuneSet sorts and joins ranges.
func newRuneSet(ranges ...runeRange) runeSet {
	slices.SortFunc(ranges, func(a, b runeRange) int { return cmp.Compare(a.from, b.from) })
	var s runeSet
	for _, r := range ranges {
		if n := len(s); n > 0 && r.from <= s[n-1].to+1 {
			s[n-1].to = max(s[n-1].to, r.to)
			continue
		}
		s = append(s, r)
	}
	return s
}

func (s runeSet) union(o runeSet) runeSet { return newRuneSet(append(slices.Clone(s), o...)...) }

func (s runeSet) negate() runeSet {
	var n runeSet
	from := rune(0)
	for _, r := range s {
		if from < r.from {
			n = append(n, runeRange{from, r.from - 1})
		}
		from = r.to + 1
	}
	if from <= unicode.MaxRune {
		n = append(n, runeRange{from, unicode.MaxRune})
	}
	return n
}

func (s runeSet) intersect(o runeSet) runeSet {
	return s.negate().union(o.negate()).negate()
}

// folded is the set with every other case of its characters.
func (s runeSet) folded() runeSet {
	ranges := slices.Clone(s)
	for _, r := range s {
		for c := r.from; c <= r.to; c++ {
			for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
				if !s.has(f) {
					ranges = append(ranges, runeRange{f, f})
				}
			}
		}
	}
	return newRuneSet(ranges...)
}

// tableSet is the characters of a range table.
func tableSet(tables ...*unicode.RangeTable) runeSet {
	var ranges []runeRange
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			ranges = append(ranges, runeRange{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			ranges = append(ranges, runeRange{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return newRuneSet(ranges...)
}

// propertySet is \p{name}, a general category or a script, by Unicode 16.
func propertySet(name string) (runeSet, bool) {
	if t, ok := unicode.Categories[name]; ok {
		var moved, here []runeRange
		for _, d := range unicode16 {
			moved = append(moved, runeRange{d.from, d.to})
			if d.category == name || d.category[:1] == name {
				here = append(here, runeRange{d.from, d.to})
			}
		}
		return tableSet(t).intersect(newRuneSet(moved...).negate()).union(here), true
	}
	t, ok := unicode.Scripts[name]
	if !ok {
		return nil, false
	}
	return tableSet(t).union(scripts16[name]), true
}

// shorthandSet is \d, \s, \w or \h as Oniguruma has them for Unicode.
func shorthandSet(letter byte) runeSet {
	switch letter {
	case 'd':
		s, _ := propertySet("Nd")
		return s
	case 's':
		return tableSet(unicode.White_Space)
	case 'h':
		return runeSet{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}
	}
	s := tableSet(unicode.Other_Alphabetic)
	for _, name := range []string{"L", "M", "Nd", "Nl", "Pc"} {
		c, _ := propertySet(name)
		s = s.union(c)
	}
	return s
}

// wordSet is \w outside of brackets, and what \b is about: Oniguruma asks another table
// there for the first 256 characters, which has superscripts and fractions.
func wordSet() runeSet {
	return shorthandSet('w').union(runeSet{{0xB2, 0xB3}, {0xB9, 0xB9}, {0xBC, 0xBE}})
}
