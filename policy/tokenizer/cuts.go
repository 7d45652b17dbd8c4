package tokenizer

import "unicode/utf8"

// adjacency knows which characters occur side by side inside an entry of the
// vocabulary. Every merge makes an entry, so between two characters that are never
// neighbours no merge can happen, and a word may be cut there. That turns the whole
// text, which is one word to the models with byte fallback, into words short enough
// to remember.
//
// It is a set of hashes, one bit each: two pairs with one hash cost a cut, never an id.
type adjacency struct{ bits []uint64 }

const adjacencyBits = 23

func newAdjacency(v *vocab) *adjacency {
	a := &adjacency{bits: make([]uint64, 1<<adjacencyBits/64)}
	for id := range v.ends {
		before := rune(-1)
		for _, r := range v.text(int32(id)) {
			if before >= 0 {
				h := pairHash(before, r)
				a.bits[h/64] |= 1 << (h % 64)
			}
			before = r
		}
	}
	return a
}

func pairHash(l, r rune) uint64 {
	return (uint64(l)<<32 | uint64(r)) * 0x9E3779B97F4A7C15 >> (64 - adjacencyBits)
}

// first is the length of the first word of text.
func (a *adjacency) first(text string) int {
	before, n := rune(-1), 0
	for n < len(text) {
		r, size := rune(text[n]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[n:])
		}
		if before >= 0 {
			if h := pairHash(before, r); a.bits[h/64]&(1<<(h%64)) == 0 {
				return n
			}
		}
		before = r
		n += size
	}
	return n
}
