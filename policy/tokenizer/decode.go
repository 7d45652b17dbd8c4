package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// decoding is what the file's decoder does, beyond gluing bytes together.
type decoding struct {
	space string // spelled so in the vocabulary for a space; empty when nothing is
}

func parseDecoder(raw json.RawMessage) (decoding, error) {
	if isNull(raw) {
		return decoding{}, nil
	}
	var part struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &part); err != nil {
		return decoding{}, err
	}
	if part.Type != "ByteLevel" {
		return decoding{}, fmt.Errorf("type %q: %w", part.Type, ErrUnsupported)
	}
	return decoding{}, nil
}

// AppendBytes appends the bytes that ids stand for, added tokens included. An id that
// the tokenizer does not have adds nothing.
func (t *Tokenizer) AppendBytes(dst []byte, ids []int32) []byte {
	for _, id := range ids {
		dst = t.appendID(dst, id)
	}
	return dst
}

// Bytes is the bytes of one id, nil for an id that the tokenizer does not have.
func (t *Tokenizer) Bytes(id int32) []byte { return t.appendID(nil, id) }

func (t *Tokenizer) appendID(dst []byte, id int32) []byte {
	if text, ok := t.added.text(id); ok {
		return append(dst, text...)
	}
	return append(dst, t.vocab.text(id)...)
}

// OffsetsEnd gives for each id the offset in AppendBytes(nil, ids) where its bytes end.
func (t *Tokenizer) OffsetsEnd(ids []int32) []int {
	ends := make([]int, len(ids))
	var one []byte
	n := 0
	for i, id := range ids {
		one = t.appendID(one[:0], id)
		n += len(one)
		ends[i] = n
	}
	return ends
}

// Decode is the text of ids, special tokens included. Bytes that are not UTF-8 become
// U+FFFD, one for each maximal part of a code point, as in HF.
func (t *Tokenizer) Decode(ids []int32) string {
	return repair(t.AppendBytes(nil, ids))
}

// repair is b as text.
func repair(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = partial(b)
			s.WriteRune(utf8.RuneError)
		} else {
			s.Write(b[:n])
		}
		b = b[n:]
	}
	return s.String()
}

// partial is the length of the longest start of b that begins a code point without
// ending one, at least 1.
func partial(b []byte) int {
	for n := min(len(b), 3); n > 1; n-- {
		// A start of a code point is not full; anything that cannot be one is.
		if !utf8.FullRune(b[:n]) {
			return n
		}
	}
	return 1
}
