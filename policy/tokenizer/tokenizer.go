package tokenizer

import (
	"sync"
)

// Span is a half-open range of bytes of a text.
type Span struct{ Start, End int }

// Tokenizer encodes and decodes. The zero value is not usable; see Load and Parse.
type Tokenizer struct {
	hash   string
	header header // as the file has it, for Save
	vocab  *vocab
	model  *bpe
	added  *addedSet
	norm   []normalizer
	stages []stage
	dec    decoding

	scratch sync.Pool // *scratch
}

// scratch is the working memory of one call.
type scratch struct {
	pieces [][]string // one list per stage
	bpe    bpeScratch
	guard  bool // added ids may not come out of the model: see guarded
}

// Encode appends the ids of text to dst. Added tokens in the text are matched; no BOS
// or EOS is added.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	return t.encode(dst, text, nil)
}

// EncodeSpans is Encode with added-token matching off inside plain, byte ranges of
// text that hold what nobody vouches for (tool output, user input). No added token's
// text matches across an edge of a range. Outside, and in everything but matching, it
// is Encode: an added token that strips whitespace next to it does so in a range too.
// Empty ranges are ignored; the others may come in any order and may overlap.
func (t *Tokenizer) EncodeSpans(dst []int32, text string, plain []Span) []int32 {
	return t.encode(dst, text, tidySpans(plain, len(text)))
}

// Count is the number of ids that Encode gives.
func (t *Tokenizer) Count(text string) int {
	return len(t.Encode(nil, text))
}

// ID is the id of a token as tokenizer.json spells it (an added token's text, or a
// vocabulary entry such as "Ġthe"), and whether there is one.
func (t *Tokenizer) ID(token string) (int32, bool) {
	if id, ok := t.added.ids[token]; ok {
		return id, true
	}
	return t.vocab.spelled(token)
}

// VocabSize is the highest id plus one, added tokens included.
func (t *Tokenizer) VocabSize() int { return max(t.vocab.size(), t.added.size()) }

// Hash is the SHA-256 of the bytes of tokenizer.json, in hexadecimal.
func (t *Tokenizer) Hash() string { return t.hash }

// Added lists the added tokens by ascending id.
func (t *Tokenizer) Added() []AddedToken {
	return append([]AddedToken(nil), t.added.tokens...)
}

func (t *Tokenizer) encode(dst []int32, text string, plain []Span) []int32 {
	if text == "" {
		return dst
	}
	sc := t.scratch.Get().(*scratch)
	defer t.scratch.Put(sc)
	return t.added.raw.each(dst, text, plain, func(dst []int32, s Span) []int32 {
		return t.stretch(dst, text[s.Start:s.End], within(plain, s), s.Start == 0, sc)
	})
}

// stretch encodes the text between two added tokens of the first pass.
func (t *Tokenizer) stretch(dst []int32, text string, plain []Span, first bool, sc *scratch) []int32 {
	sc.guard = len(plain) > 0
	if t.added.normalized.empty() {
		plain = nil // nothing will be matched: where they went does not matter
	}
	for _, n := range t.norm {
		text, plain = n.normalize(text, plain)
	}
	return t.added.normalized.each(dst, text, plain, func(dst []int32, s Span) []int32 {
		return t.words(dst, text[s.Start:s.End], 0, first && s.Start == 0, sc)
	})
}

// words cuts text by the stages from n on and encodes what is left as words. first
// says that nothing of the whole text comes before.
func (t *Tokenizer) words(dst []int32, text string, n int, first bool, sc *scratch) []int32 {
	if text == "" {
		return dst
	}
	if n == len(t.stages) {
		return t.model.encode(dst, text, sc)
	}
	pieces := t.stages[n].cut(sc.pieces[n][:0], text, first)
	for i, p := range pieces {
		dst = t.words(dst, p, n+1, first && i == 0, sc)
	}
	clear(pieces)
	sc.pieces[n] = pieces
	return dst
}
