package tokenizer

import (
	"unicode/utf8"
)

// bpe is the model: words to ids.
type bpe struct {
	vocab        *vocab
	merges       *mergeTable
	ignoreMerges bool // a word that is in the vocabulary is its id, whatever the merges say
	byteFallback bool // a character outside the vocabulary becomes its bytes' tokens
	fuseUnknown  bool // neighbouring unknown characters are one unknown token
	unknown      int32

	single  [256]int32 // id of each byte (byte-level) or of each ASCII character; -1: none
	byteIDs [256]int32 // id of each byte's fallback token; -1: none
	cuts    *adjacency // nil when a word may not be cut
	control []bool     // by id: may not come from text in a guarded stretch
	cache   *wordCache
}

// bpeScratch is the working memory of one word.
type bpeScratch struct {
	ids    []int32
	values []uint64
	heap   []candidate
	links  []link
}

// linearLimit is the word length, in symbols, up to which looking at every pair for
// each merge is faster than a heap.
const linearLimit = 48

// encode appends the ids of text, a whole piece of the pre-tokenizer.
func (m *bpe) encode(dst []int32, text string, sc *scratch) []int32 {
	if m.cuts == nil {
		return m.word(dst, text, sc)
	}
	if m.ignoreMerges {
		if id, ok := m.vocab.find(text); ok && !(sc.guard && m.control[id]) {
			return append(dst, id)
		}
	}
	for text != "" {
		n := m.cuts.first(text)
		dst = m.word(dst, text[:n], sc)
		text = text[n:]
	}
	return dst
}

func (m *bpe) word(dst []int32, w string, sc *scratch) []int32 {
	from := len(dst)
	if len(w) > maxCachedWord {
		dst = m.merge(dst, w, sc, false)
	} else {
		hash := m.cache.hash(w)
		ids, ok := m.cache.get(hash, w)
		if ok {
			dst = append(dst, ids...)
		} else {
			dst = m.merge(dst, w, sc, false)
			m.cache.put(hash, w, dst[from:])
		}
	}
	if sc.guard && m.anyControl(dst[from:]) {
		return m.merge(dst[:from], w, sc, true)
	}
	return dst
}

func (m *bpe) anyControl(ids []int32) bool {
	for _, id := range ids {
		if m.control[id] {
			return true
		}
	}
	return false
}

// merge appends the ids of w. In a guarded stretch no merge may give a control id.
func (m *bpe) merge(dst []int32, w string, sc *scratch, guarded bool) []int32 {
	if m.ignoreMerges && !guarded {
		if id, ok := m.vocab.find(w); ok {
			return append(dst, id)
		}
	}
	s := &sc.bpe
	s.ids = m.symbols(s.ids[:0], w)
	if len(s.ids) > linearLimit {
		return m.mergeHeap(dst, s, guarded)
	}
	return m.mergeLinear(dst, s, guarded)
}

// value is the value of the merge of two neighbours.
func (m *bpe) value(left, right int32, guarded bool) uint64 {
	v := m.merges.find(left, right)
	if guarded && v != noMerge && m.control[uint32(v)] {
		return noMerge
	}
	return v
}

func (m *bpe) mergeLinear(dst []int32, s *bpeScratch, guarded bool) []int32 {
	ids := s.ids
	values := s.values[:0]
	for i := range len(ids) - 1 {
		values = append(values, m.value(ids[i], ids[i+1], guarded))
	}
	for len(values) > 0 {
		best, at := noMerge, 0
		for i, v := range values {
			if v < best {
				best, at = v, i
			}
		}
		if best == noMerge {
			break
		}
		ids[at] = int32(uint32(best))
		ids = append(ids[:at+1], ids[at+2:]...)
		values = append(values[:at], values[at+1:]...)
		if at > 0 {
			values[at-1] = m.value(ids[at-1], ids[at], guarded)
		}
		if at < len(values) {
			values[at] = m.value(ids[at], ids[at+1], guarded)
		}
	}
	s.values = values[:0]
	return append(dst, ids...)
}

// symbols appends the ids of the characters (bytes, for a byte-level vocabulary) of w,
// before any merge. A character that nothing stands for is left out, as in HF.
func (m *bpe) symbols(ids []int32, w string) []int32 {
	unknown := false // an unknown token is owed: HF gives it when the next known one comes
	for i := 0; i < len(w); {
		n := 1
		id := m.single[w[i]]
		if !m.vocab.byteLevel && w[i] >= utf8.RuneSelf {
			_, n = utf8.DecodeRuneInString(w[i:])
			id = -1
			if found, ok := m.vocab.find(w[i : i+n]); ok {
				id = found
			}
		}
		c := w[i : i+n]
		i += n
		switch {
		case id >= 0:
			if unknown {
				ids = append(ids, m.unknown)
				unknown = false
			}
			ids = append(ids, id)
		case m.fallsBack(c):
			for _, b := range []byte(c) {
				ids = append(ids, m.byteIDs[b])
			}
		case m.unknown >= 0:
			if unknown && !m.fuseUnknown {
				ids = append(ids, m.unknown)
			}
			unknown = true
		}
	}
	if unknown {
		ids = append(ids, m.unknown)
	}
	return ids
}

func (m *bpe) fallsBack(c string) bool {
	if !m.byteFallback {
		return false
	}
	for i := range len(c) {
		if m.byteIDs[c[i]] < 0 {
			return false
		}
	}
	return true
}
