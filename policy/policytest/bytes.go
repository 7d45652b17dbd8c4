package policytest

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"focus/policy/tokenizer"
	"focus/rollout"
)

// Bytes is a tokenizer whose ids are bytes, with the markers of ChatML and
// Hermes as added tokens after them. It is ready for use.
type Bytes struct{}

// The added tokens of [Bytes], from id 256 on.
var added = [...]string{"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"}

// Ids of added tokens.
const (
	EndOfText rollout.TokenID = 256 + iota
	IMStart
	IMEnd
)

// Vocab is the number of ids.
const Vocab = 256 + len(added)

// EncodeSpans appends the ids of text; an added token is matched where it does
// not touch a plain range.
func (Bytes) EncodeSpans(dst []rollout.TokenID, text string, plain []tokenizer.Span) []rollout.TokenID {
	for at := 0; at < len(text); {
		if id, n := addedAt(text, at, plain); n > 0 {
			dst, at = append(dst, id), at+n
			continue
		}
		dst, at = append(dst, rollout.TokenID(text[at])), at+1
	}
	return dst
}

func addedAt(text string, at int, plain []tokenizer.Span) (rollout.TokenID, int) {
	if text[at] != '<' {
		return 0, 0
	}
	for i, token := range added {
		if !strings.HasPrefix(text[at:], token) {
			continue
		}
		for _, s := range plain {
			if s.Start < at+len(token) && at < s.End {
				return 0, 0
			}
		}
		return rollout.TokenID(256 + i), len(token)
	}
	return 0, 0
}

// AppendBytes appends what ids stand for; an unknown id adds nothing.
func (Bytes) AppendBytes(dst []byte, ids []rollout.TokenID) []byte {
	for _, id := range ids {
		switch {
		case id >= 0 && id < 256:
			dst = append(dst, byte(id))
		case id >= 256 && int(id) < Vocab:
			dst = append(dst, added[id-256]...)
		}
	}
	return dst
}

// ID is the id of an added token or of a single byte.
func (Bytes) ID(token string) (rollout.TokenID, bool) {
	for i, a := range added {
		if a == token {
			return rollout.TokenID(256 + i), true
		}
	}
	if len(token) == 1 {
		return rollout.TokenID(token[0]), true
	}
	return 0, false
}

// Hash names the vocabulary.
func (Bytes) Hash() string {
	sum := sha256.Sum256([]byte("bytes\x00" + strings.Join(added[:], "\x00")))
	return hex.EncodeToString(sum[:])
}

// Encode is the ids of text, added tokens matched.
func Encode(text string) []rollout.TokenID { return Bytes{}.EncodeSpans(nil, text, nil) }
