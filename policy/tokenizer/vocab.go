package tokenizer

import (
	"hash/maphash"
	"iter"
	"strings"
)

// vocab is the model's vocabulary: text by id and id by text. A byte-level vocabulary
// keeps the raw bytes that an entry's spelling stands for.
type vocab struct {
	arena string
	ends  []uint32 // end in arena of each id's text; it starts where the id before ends
	known []bool   // whether the file has the id

	seed  maphash.Seed
	slots []int32 // open addressing over the texts: id+1, 0 for an empty slot

	byteLevel bool
	literal   map[string]int32 // byte-level entries spelled with other than the alphabet; no text gives them
	isLiteral map[int32]bool
}

// entry is one item of the vocabulary as the file spells it.
type entry struct {
	spelling string
	id       int32
}

func newVocab(entries []entry, byteLevel bool) *vocab {
	v := &vocab{seed: maphash.MakeSeed(), byteLevel: byteLevel, literal: map[string]int32{}, isLiteral: map[int32]bool{}}
	size, bytes := 0, 0
	for _, e := range entries {
		size = max(size, int(e.id)+1)
		bytes += len(e.spelling)
	}
	order := make([]int32, size)
	for i, e := range entries {
		order[e.id] = int32(i) + 1
	}
	v.ends = make([]uint32, size)
	v.known = make([]bool, size)
	arena := make([]byte, 0, bytes)
	for id, at := range order {
		if at > 0 {
			v.known[id] = true
			arena = v.appendText(arena, entries[at-1])
		}
		v.ends[id] = uint32(len(arena))
	}
	v.arena = string(arena)
	v.index()
	return v
}

func (v *vocab) appendText(arena []byte, e entry) []byte {
	if !v.byteLevel {
		return append(arena, e.spelling...)
	}
	raw, ok := appendRaw(arena, e.spelling)
	if ok {
		return raw
	}
	v.literal[strings.Clone(e.spelling)] = e.id // not a part of the whole file's text
	v.isLiteral[e.id] = true
	return append(arena, e.spelling...)
}

func (v *vocab) index() {
	n := 16
	for n < 2*len(v.ends) {
		n *= 2
	}
	v.slots = make([]int32, n)
	for id := range v.ends {
		if v.known[id] && !v.isLiteral[int32(id)] {
			v.slots[v.slot(v.text(int32(id)))] = int32(id) + 1
		}
	}
}

// slot is where text is, or the empty slot where it would be.
func (v *vocab) slot(text string) int {
	mask := len(v.slots) - 1
	for i := int(maphash.String(v.seed, text)) & mask; ; i = (i + 1) & mask {
		if s := v.slots[i]; s == 0 || v.text(s-1) == text {
			return i
		}
	}
}

func (v *vocab) size() int { return len(v.ends) }

// text is the text of an id, empty for an id outside the vocabulary.
func (v *vocab) text(id int32) string {
	if id < 0 || int(id) >= len(v.ends) {
		return ""
	}
	start := uint32(0)
	if id > 0 {
		start = v.ends[id-1]
	}
	return v.arena[start:v.ends[id]]
}

// find is the id that the model gives a text, raw bytes for a byte-level vocabulary.
func (v *vocab) find(text string) (int32, bool) {
	s := v.slots[v.slot(text)]
	return s - 1, s != 0
}

// spelled is the id of an entry as the file spells it.
func (v *vocab) spelled(token string) (int32, bool) {
	if !v.byteLevel {
		return v.find(token)
	}
	var buf [64]byte
	if raw, ok := appendRaw(buf[:0], token); ok {
		return v.find(string(raw))
	}
	id, ok := v.literal[token]
	return id, ok
}

// entries lists the vocabulary by ascending id, spelled as in the file.
func (v *vocab) entries() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for i := range v.ends {
			id := int32(i)
			if !v.known[i] {
				continue
			}
			spelling := v.text(id)
			if v.byteLevel && !v.isLiteral[id] {
				spelling = spellBytes(spelling)
			}
			if !yield(entry{spelling, id}) {
				return
			}
		}
	}
}

// count is the number of entries.
func (v *vocab) count() int {
	n := 0
	for _, k := range v.known {
		if k {
			n++
		}
	}
	return n
}
