package rollout

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"
)

// TokenID is a vocabulary index.
type TokenID = int32

// Tokens is an immutable sequence of token ids that shares its prefix with the
// sequence it extends. The zero Tokens is empty.
type Tokens struct {
	ids List[TokenID]
}

// NewTokens copies ids into a sequence of its own.
func NewTokens(ids ...TokenID) Tokens { return Tokens{}.Append(ids...) }

// Append returns t followed by ids, which are copied.
func (t Tokens) Append(ids ...TokenID) Tokens { return Tokens{t.ids.Append(ids...)} }

// Len is the number of ids.
func (t Tokens) Len() int { return t.ids.Len() }

// At returns the id at i.
func (t Tokens) At(i int) TokenID { return t.ids.At(i) }

// Truncate returns the first n ids, sharing them.
func (t Tokens) Truncate(n int) Tokens { return Tokens{t.ids.Truncate(n)} }

// From returns the ids at from and after. Do not write to the result.
func (t Tokens) From(from int) []TokenID { return t.ids.From(from) }

// AppendTo appends all ids to dst.
func (t Tokens) AppendTo(dst []TokenID) []TokenID { return t.ids.AppendTo(dst) }

// Slice copies the ids out.
func (t Tokens) Slice() []TokenID { return t.ids.AppendTo(nil) }

// Chunks walks the shared pieces of the sequence from first to last: what an
// encoder wants that caches what it did for a piece. Do not write to a piece.
func (t Tokens) Chunks() iter.Seq[[]TokenID] { return t.ids.Chunks() }

// All walks the ids with their positions.
func (t Tokens) All() iter.Seq2[int, TokenID] { return t.ids.All() }

// HasPrefix reports whether t begins with p. Shared memory is recognised
// before any id is compared, so the usual answer costs the new ids only.
func (t Tokens) HasPrefix(p Tokens) bool {
	if p.Len() > t.Len() {
		return false
	}
	return equalIDs(t.Truncate(p.Len()).ids, p.ids)
}

// Equal reports whether t and u hold the same ids.
func (t Tokens) Equal(u Tokens) bool { return t.Len() == u.Len() && t.HasPrefix(u) }

// equalIDs compares two lists of equal length from the end, and stops at the
// first chunk that both share: what lies before it is shared too.
func equalIDs(a, b List[TokenID]) bool {
	ca, cb, end := a.cover(), b.cover(), a.n
	for ca != cb {
		lo := max(ca.start, cb.start)
		if !slices.Equal(ca.items[lo-ca.start:end-ca.start], cb.items[lo-cb.start:end-cb.start]) {
			return false
		}
		if ca.start == lo {
			ca = ca.parent
		}
		if cb.start == lo {
			cb = cb.parent
		}
		end = lo
	}
	return true
}

// Sum is the SHA-256 of the ids as little-endian int32.
func (t Tokens) Sum() [sha256.Size]byte {
	h := sha256.New()
	buf := make([]byte, 0, 1024)
	for part := range t.Chunks() {
		for _, id := range part {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(id))
			if len(buf) == cap(buf) {
				h.Write(buf)
				buf = buf[:0]
			}
		}
	}
	h.Write(buf)
	return [sha256.Size]byte(h.Sum(nil))
}
