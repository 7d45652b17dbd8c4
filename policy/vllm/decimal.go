package vllm

import (
	"encoding/binary"
	"slices"
	"strconv"

	"focus/rollout"
)

// triples are the numbers below a thousand as three digits and a comma, in the
// byte order of the text. Ids are the bulk of a long request, and two or three
// look-ups write one.
var triples = func() (t [1000]uint32) {
	for v := range t {
		text := [4]byte{'0' + byte(v/100), '0' + byte(v/10%10), '0' + byte(v%10), ','}
		t[v] = binary.LittleEndian.Uint32(text[:])
	}
	return t
}()

// widest is room for any id with a comma, and for the bytes that a look-up
// writes ahead.
const widest = len("-2147483648,") + 4

// appendIDs writes each id with a comma after it.
func appendIDs(b []byte, ids []rollout.TokenID) []byte {
	b = slices.Grow(b, (len(ids)+1)*widest)
	out, i := b[:cap(b)], len(b)
	for _, id := range ids {
		v := uint32(id)
		switch {
		case v < 1e3:
			i += lead(out[i:], v) + 1
		case v < 1e6:
			i += lead(out[i:], v/1e3)
			binary.LittleEndian.PutUint32(out[i:], triples[v%1e3])
			i += 4
		default: // no vocabulary is so large, and no id negative
			i += len(append(strconv.AppendInt(out[i:i], int64(id), 10), ','))
		}
	}
	return out[:i]
}

// lead writes v, below a thousand, without leading zeros and with a comma
// after it, and returns its number of digits.
func lead(out []byte, v uint32) int {
	n := 3
	if v < 100 {
		n = 2
	}
	if v < 10 {
		n = 1
	}
	binary.LittleEndian.PutUint32(out, triples[v]>>(8*(3-n)))
	return n
}
