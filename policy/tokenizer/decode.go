package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// AppendBytes appends the bytes that ids stand for, added tokens included. An id that
// the tokenizer does not have adds nothing. An added token is its text, also where HF's
// byte-level decoder would take letters of it for bytes ("é" for 0xE9).
func (t *Tokenizer) AppendBytes(dst []byte, ids []int32) []byte {
	for _, id := range ids {
		dst = t.appendID(dst, id)
	}
	return dst
}

// Bytes is the bytes of one id, nil for an id that the tokenizer does not have.
func (t *Tokenizer) Bytes(id int32) []byte { return t.appendID(nil, id) }

func (t *Tokenizer) appendID(dst []byte, id int32) []byte {
	text, added := t.added.text(id)
	if !added {
		text = t.vocab.text(id)
	}
	if t.vocab.byteLevel {
		return append(dst, text...)
	}
	if b, ok := t.dec.byteOf(text); ok && !added {
		return append(dst, b)
	}
	// Added tokens too: Gemma's runs of spaces are such.
	for _, r := range t.dec.replace {
		text = strings.ReplaceAll(text, r.from, r.to)
	}
	return append(dst, text...)
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

// Decode is the text of ids, special tokens included. It is AppendBytes as text, and as
// in HF:
//
//   - bytes that are not UTF-8 become U+FFFD, one for each maximal part of a code point;
//     with byte fallback, one for each byte of a run of byte tokens that is not UTF-8;
//   - where the file's decoder strips a space from the front (Llama 2), it does so.
func (t *Tokenizer) Decode(ids []int32) string {
	if t.vocab.byteLevel {
		b := t.AppendBytes(nil, ids)
		if utf8.Valid(b) {
			return string(b)
		}
		return string(appendRepaired(nil, b))
	}
	d := t.NewDecoder()
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(d.Next(id))
	}
	b.WriteString(d.Rest())
	return b.String()
}

// Decoder decodes ids as they come. What it has given out, with Rest at the end, is
// what Decode gives for all of them.
type Decoder struct {
	t       *Tokenizer
	strip   int    // spaces that may still be taken from the front
	later   bool   // an id has been seen
	pending []byte // the start of a code point, or a run of byte tokens
	text    []byte
}

// NewDecoder is a decoder at the start of a text. It is for one goroutine.
func (t *Tokenizer) NewDecoder() *Decoder { return &Decoder{t: t, strip: t.dec.strip} }

// Next takes the next id and gives the text that it completes, which may be none.
func (d *Decoder) Next(id int32) string {
	d.text = d.text[:0]
	if d.t.vocab.byteLevel {
		d.pending = d.t.appendID(d.pending, id)
		whole := len(d.pending) - unfinished(d.pending)
		d.text = appendRepaired(d.text, d.pending[:whole])
		d.pending = append(d.pending[:0], d.pending[whole:]...)
		return d.stripped()
	}
	if b, ok := d.t.dec.byteOf(d.t.vocab.text(id)); ok && !d.t.added.contains(id) {
		d.pending = append(d.pending, b)
		d.later = true
		return ""
	}
	d.flushBytes()
	if drop := d.t.dec.dropFirst; drop != "" && !d.later {
		d.text = append(d.text, strings.ReplaceAll(d.t.vocab.text(id), drop, "")...)
	} else {
		d.text = d.t.appendID(d.text, id)
	}
	d.later = true
	return d.stripped()
}

// Rest ends the text: it gives what was held back.
func (d *Decoder) Rest() string {
	d.text = d.text[:0]
	if d.t.vocab.byteLevel {
		d.text = appendRepaired(d.text, d.pending)
		d.pending = d.pending[:0]
	} else {
		d.flushBytes()
	}
	return d.stripped()
}

// flushBytes ends a run of byte tokens.
func (d *Decoder) flushBytes() {
	if utf8.Valid(d.pending) {
		d.text = append(d.text, d.pending...)
	} else {
		for range d.pending {
			d.text = utf8.AppendRune(d.text, utf8.RuneError)
		}
	}
	d.pending = d.pending[:0]
}

// stripped is the text, less what the decoder strips from the front.
func (d *Decoder) stripped() string {
	text := string(d.text)
	for ; d.strip > 0 && text != ""; d.strip-- {
		rest, ok := strings.CutPrefix(text, " ")
		if !ok {
			d.strip = 0
			break
		}
		text = rest
	}
	return text
}

// unfinished is how many bytes at the end of b begin a code point without ending one.
func unfinished(b []byte) int {
	for n := 1; n <= min(len(b), utf8.UTFMax-1); n++ {
		c := b[len(b)-n]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// appendRepaired appends b, with U+FFFD for each maximal part of a code point that is
// not one: as Rust's from_utf8_lossy and Python's errors="replace".
func appendRepaired(dst, b []byte) []byte {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r != utf8.RuneError || n > 1 {
			dst = append(dst, b[:n]...)
			b = b[n:]
			continue
		}
		dst = utf8.AppendRune(dst, utf8.RuneError)
		b = b[partial(b):]
	}
	return dst
}

// partial is the length of the longest start of b that begins a code point without
// ending one, at least 1.
func partial(b []byte) int {
	for n := min(len(b), utf8.UTFMax-1); n > 1; n-- {
		if !utf8.FullRune(b[:n]) {
			return n
		}
	}
	return 1
}
