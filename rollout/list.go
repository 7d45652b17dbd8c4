package rollout

import "iter"

// List is an immutable sequence that shares its prefix with the list it was
// extended from. The zero List is empty. Append copies the new items only;
// copying a List value forks it.
//
// A List is a chain of chunks that point at their parents, so reading from the
// end is cheap and At is linear in the number of chunks behind it.
type List[T any] struct {
	tip *chunk[T]
	n   int
}

// chunk holds items[0:] at positions start, start+1, … of the lists through it.
type chunk[T any] struct {
	parent *chunk[T]
	start  int
	items  []T
}

// Len is the number of items.
func (l List[T]) Len() int { return l.n }

// Append returns l followed by items, which are copied.
func (l List[T]) Append(items ...T) List[T] {
	if len(items) == 0 {
		return l
	}
	own := make([]T, len(items))
	copy(own, items)
	return List[T]{tip: &chunk[T]{parent: l.cover(), start: l.n, items: own}, n: l.n + len(own)}
}

// cover is the chunk that holds the last item of l; nil when l is empty.
func (l List[T]) cover() *chunk[T] {
	c := l.tip
	for c != nil && c.start >= l.n {
		c = c.parent
	}
	return c
}

// Truncate returns the first n items. It panics when n is out of range.
func (l List[T]) Truncate(n int) List[T] {
	if n < 0 || n > l.n {
		panic("rollout: List.Truncate out of range")
	}
	cut := List[T]{tip: l.tip, n: n}
	cut.tip = cut.cover()
	return cut
}

// At returns the item at i. It panics when i is out of range.
func (l List[T]) At(i int) T {
	if i < 0 || i >= l.n {
		panic("rollout: List.At out of range")
	}
	c := l.tip
	for c.start > i {
		c = c.parent
	}
	return c.items[i-c.start]
}

// From returns the items at from and after. The result shares memory with the
// list when one chunk holds them all: do not write to it.
func (l List[T]) From(from int) []T {
	if from < 0 || from > l.n {
		panic("rollout: List.From out of range")
	}
	if from == l.n {
		return nil
	}
	c := l.cover()
	if c.start <= from {
		return c.items[from-c.start : l.n-c.start : l.n-c.start]
	}
	out := make([]T, l.n-from)
	l.fill(out, from)
	return out
}

// AppendTo appends all items to dst.
func (l List[T]) AppendTo(dst []T) []T {
	at := len(dst)
	dst = append(dst, make([]T, l.n)...)
	l.fill(dst[at:], 0)
	return dst
}

// fill writes the items at from and after into out.
func (l List[T]) fill(out []T, from int) {
	end := l.n
	for c := l.cover(); c != nil && end > from; c = c.parent {
		lo := max(c.start, from)
		copy(out[lo-from:], c.items[lo-c.start:end-c.start])
		end = c.start
	}
}

// All walks the items from first to last with their positions.
func (l List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for part := range l.Chunks() {
			for _, item := range part {
				if !yield(i, item) {
					return
				}
				i++
			}
		}
	}
}

// Chunks walks the shared pieces of the list from first to last. Do not write
// to a piece.
func (l List[T]) Chunks() iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var parts [][]T
		end := l.n
		for c := l.cover(); c != nil; c = c.parent {
			parts = append(parts, c.items[:end-c.start])
			end = c.start
		}
		for i := len(parts) - 1; i >= 0; i-- {
			if !yield(parts[i]) {
				return
			}
		}
	}
}

// Shares reports whether the first n items of l and m are the same memory. It
// says nothing when false: equal items may still live in two places.
func (l List[T]) Shares(m List[T], n int) bool {
	if n > l.n || n > m.n {
		return false
	}
	return n == 0 || l.Truncate(n).tip == m.Truncate(n).tip
}
