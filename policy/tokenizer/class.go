package tokenizer

import (
	"sync"
	"unicode"
)

// class is what the scanners ask about a character, as bits.
type class uint16

const (
	letter  class = 1 << iota // \p{L}
	number                    // \p{N}
	mark                      // \p{M}
	space                     // \s, White_Space
	upper                     // \p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}
	lower                     // \p{Ll}\p{Lm}\p{Lo}\p{M}
	newline                   // \r and \n
	punct                     // \p{P}
	symbol                    // \p{S}
	wordish                   // \w of Rust's regex: Alphabetic, M, Nd, Pc, Join_Control
)

type classes struct{ *runeTable[class] }

// theClasses is made on first use: a few milliseconds, once for all tokenizers.
var theClasses = sync.OnceValue(buildClasses)

func buildClasses() *classes {
	flat := make([]class, unicode.MaxRune+1)
	set := func(bits class, tables ...*unicode.RangeTable) {
		for _, t := range tables {
			for _, r := range t.R16 {
				for x := int(r.Lo); x <= int(r.Hi); x += int(r.Stride) {
					flat[x] |= bits
				}
			}
			for _, r := range t.R32 {
				for x := int(r.Lo); x <= int(r.Hi); x += int(r.Stride) {
					flat[x] |= bits
				}
			}
		}
	}
	for name, bits := range categoryClasses {
		set(bits, unicode.Categories[name])
	}
	set(space, unicode.White_Space)
	set(wordish, unicode.Other_Alphabetic, unicode.Nl, unicode.Join_Control)
	for _, d := range unicode16 {
		for r := d.from; r <= d.to; r++ {
			flat[r] = categoryClasses[d.category]
		}
	}
	flat['\n'] |= newline
	flat['\r'] |= newline

	return &classes{newRuneTable(flat)}
}

var categoryClasses = map[string]class{
	"Lu": letter | upper | wordish,
	"Lt": letter | upper | wordish,
	"Ll": letter | lower | wordish,
	"Lm": letter | upper | lower | wordish,
	"Lo": letter | upper | lower | wordish,
	"Mn": mark | upper | lower | wordish,
	"Mc": mark | upper | lower | wordish,
	"Me": mark | upper | lower | wordish,
	"Nd": number | wordish,
	"Nl": number,
	"No": number,
	"Pc": punct | wordish,
	"Pd": punct,
	"Ps": punct,
	"Pe": punct,
	"Pi": punct,
	"Pf": punct,
	"Po": punct,
	"Sc": symbol,
	"Sk": symbol,
	"Sm": symbol,
	"So": symbol,
}

func isSpace(r rune) bool { return theClasses().of(r)&space != 0 }

func isWord(r rune) bool { return theClasses().of(r)&wordish != 0 }
