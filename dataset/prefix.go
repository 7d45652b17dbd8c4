package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"focus/rollout"
)

// prefixBytes of a SHA-256 prove a prefix: 128 bits.
const prefixBytes = 16

// prefixHash hashes a growing prefix once, with a value at each turn. Its value
// is the start of [rollout.Tokens.Sum] of the same ids.
type prefixHash struct {
	h   hash.Hash
	buf []byte
	n   int
}

func newPrefixHash() *prefixHash { return &prefixHash{h: sha256.New()} }

func (h *prefixHash) extend(ids []rollout.TokenID) {
	h.n += len(ids)
	h.buf = appendIDs(h.buf[:0], ids)
	h.h.Write(h.buf)
}

// appendIDs appends ids as little-endian int32.
func appendIDs(dst []byte, ids []rollout.TokenID) []byte {
	for _, id := range ids {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(id))
	}
	return dst
}
