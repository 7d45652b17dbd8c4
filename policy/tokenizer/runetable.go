package tokenizer

import "unicode"

// runeTable maps every character to a value in two steps, by blocks of 256 characters;
// equal blocks are kept once.
type runeTable[T comparable] struct {
	ascii  [128]T
	blocks [(unicode.MaxRune + 1) / 256]*[256]T
}

func newRuneTable[T comparable](flat []T) *runeTable[T] {
	t := &runeTable[T]{}
	copy(t.ascii[:], flat)
	shared := map[[256]T]*[256]T{}
	for i := range t.blocks {
		block := [256]T(flat[i*256:])
		if shared[block] == nil {
			shared[block] = &block
		}
		t.blocks[i] = shared[block]
	}
	return t
}

func (t *runeTable[T]) of(r rune) T { return t.blocks[uint32(r)>>8][r&0xFF] }
