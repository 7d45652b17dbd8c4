package tokenizer

// A long word keeps its possible merges in a heap, so that a megabyte without a break
// costs n log n and not n squared.

// candidate is a merge that was possible when it was pushed; it is stale when the
// symbols at its place have changed since.
type candidate struct {
	rank uint32
	at   int32 // index of the left symbol
	id   int32
}

func (c candidate) before(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}

// link places a symbol among those still there; a dead one has next == dead.
type link struct{ prev, next int32 }

const (
	none int32 = -1
	dead int32 = -2
)

func (m *bpe) mergeHeap(dst []int32, s *bpeScratch, guarded bool) []int32 {
	ids, heap, links := s.ids, s.heap[:0], s.links[:0]
	for i := range ids {
		links = append(links, link{int32(i) - 1, int32(i) + 1})
		if i == len(ids)-1 {
			links[i].next = none
			break
		}
		if v := m.value(ids[i], ids[i+1], guarded); v != noMerge {
			heap = append(heap, candidate{uint32(v >> 32), int32(i), int32(uint32(v))})
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		siftDown(heap, i)
	}
	push := func(at int32) {
		next := links[at].next
		if next == none {
			return
		}
		if v := m.value(ids[at], ids[next], guarded); v != noMerge {
			heap = append(heap, candidate{uint32(v >> 32), at, int32(uint32(v))})
			siftUp(heap)
		}
	}
	for len(heap) > 0 {
		top := heap[0]
		last := len(heap) - 1
		heap[0] = heap[last]
		heap = heap[:last]
		siftDown(heap, 0)

		at, right := top.at, links[top.at].next
		if right < 0 {
			continue
		}
		if v := m.value(ids[at], ids[right], guarded); v == noMerge || int32(uint32(v)) != top.id {
			continue
		}
		ids[at] = top.id
		links[at].next = links[right].next
		links[right].next = dead
		if next := links[at].next; next != none {
			links[next].prev = at
		}
		if prev := links[at].prev; prev != none {
			push(prev)
		}
		push(at)
	}
	for i := int32(0); i != none; i = links[i].next {
		dst = append(dst, ids[i])
	}
	s.heap, s.links = heap, links
	return dst
}

// arity 4 halves the depth of the heap: a long word's time goes to cache misses.
const arity = 4

func siftDown(heap []candidate, i int) {
	for {
		least := i
		first := i*arity + 1
		for c := first; c < min(first+arity, len(heap)); c++ {
			if heap[c].before(heap[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

func siftUp(heap []candidate) {
	for i := len(heap) - 1; i > 0; {
		parent := (i - 1) / arity
		if !heap[i].before(heap[parent]) {
			return
		}
		heap[i], heap[parent] = heap[parent], heap[i]
		i = parent
	}
}
