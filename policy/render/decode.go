package render

import (
	"unicode/utf8"

	"focus/rollout"
)

// decode is the text of ids and where each id ends in it. Bytes that are not
// UTF-8 become U+FFFD, one for each maximal part of a code point, as in HF; an
// id that ends within such a part ends after its replacement.
func decode(tok Tokenizer, ids []rollout.TokenID) (string, []int) {
	ends := make([]int, len(ids))
	raw := make([]byte, 0, 4*len(ids))
	for i := range ids {
		raw = tok.AppendBytes(raw, ids[i:i+1])
		ends[i] = len(raw)
	}
	if utf8.Valid(raw) {
		return string(raw), ends
	}
	return repair(raw, ends)
}

// repair replaces what is not UTF-8 and moves ends along.
func repair(raw []byte, ends []int) (string, []int) {
	text := make([]byte, 0, len(raw)+8)
	i := 0
	for at := 0; at < len(raw); {
		n, valid := part(raw[at:])
		start := len(text)
		if valid {
			text = append(text, raw[at:at+n]...)
		} else {
			text = utf8.AppendRune(text, utf8.RuneError)
		}
		for ; i < len(ends) && ends[i] <= at+n; i++ {
			switch {
			case ends[i] == at:
				ends[i] = start
			case valid:
				ends[i] += start - at
			default:
				ends[i] = len(text)
			}
		}
		at += n
	}
	return string(text), ends
}

// part is the length of the code point that b begins with; when there is none,
// of the longest start of one, at least 1.
func part(b []byte) (n int, valid bool) {
	if r, n := utf8.DecodeRune(b); r != utf8.RuneError || n > 1 {
		return n, true
	}
	for n := min(len(b), 3); n > 1; n-- {
		if !utf8.FullRune(b[:n]) {
			return n, false
		}
	}
	return 1, false
}
