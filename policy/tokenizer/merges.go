package tokenizer

import (
	"cmp"
	"slices"
)

// merge says that left and right, side by side, become id. Merges are applied in the
// order of the file: a merge's rank is its place there.
type merge struct{ left, right, id int32 }

// mergeTable answers, for two neighbours, what they become and how early.
type mergeTable struct {
	slots []mergeSlot
	shift uint
}

type mergeSlot struct {
	key   uint64 // left<<32 | right, plus one so that zero is an empty slot
	value uint64 // rank<<32 | id: the smaller the earlier
}

// noMerge is greater than the value of any merge.
const noMerge = ^uint64(0)

// newMergeTable ranks merges by their order, or by their id.
func newMergeTable(merges []merge, rankIsID bool) *mergeTable {
	bits := uint(4)
	for 1<<bits < 2*len(merges) {
		bits++
	}
	t := &mergeTable{slots: make([]mergeSlot, 1<<bits), shift: 64 - bits}
	for rank, m := range merges {
		// A pair that the file lists twice has its last rank, as in HF.
		s := t.slot(m.left, m.right)
		s.key = mergeKey(m.left, m.right)
		if rankIsID {
			rank = int(m.id)
		}
		s.value = uint64(rank)<<32 | uint64(uint32(m.id))
	}
	return t
}

func mergeKey(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) + 1 }

func (t *mergeTable) slot(left, right int32) *mergeSlot {
	key := mergeKey(left, right)
	mask := uint64(len(t.slots) - 1)
	// Fibonacci hashing: the multiplication spreads both halves over the top bits.
	for i := (key * 0x9E3779B97F4A7C15) >> t.shift; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.key == key || s.key == 0 {
			return s
		}
	}
}

// find is the value of a pair, noMerge when there is no such merge.
func (t *mergeTable) find(left, right int32) uint64 {
	s := t.slot(left, right)
	if s.key == 0 {
		return noMerge
	}
	return s.value
}

// list is the merges by rank.
func (t *mergeTable) list() []merge {
	slots := slices.DeleteFunc(slices.Clone(t.slots), func(s mergeSlot) bool { return s.key == 0 })
	slices.SortFunc(slots, func(a, b mergeSlot) int { return cmp.Compare(a.value, b.value) })
	merges := make([]merge, len(slots))
	for i, s := range slots {
		pair := s.key - 1
		merges[i] = merge{int32(pair >> 32), int32(uint32(pair)), int32(uint32(s.value))}
	}
	return merges
}
