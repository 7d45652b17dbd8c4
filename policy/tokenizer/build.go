package tokenizer

import (
	"fmt"
	"slices"
)

// build makes a tokenizer of what a file says.
func build(s *spec, hash string) (*Tokenizer, error) {
	pre, err := parsePreTokenizer(s.header.PreTokenizer)
	if err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	t := &Tokenizer{hash: hash, header: s.header, stages: pre.stages}
	if t.norm, err = parseNormalizer(s.header.Normalizer); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	if t.dec, err = parseDecoder(s.header.Decoder); err != nil {
		return nil, fmt.Errorf("decoder: %w", err)
	}
	t.vocab = newVocab(s.entries, pre.byteLevel)
	if t.model, err = newBPE(s, t.vocab); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	t.start()
	return t, nil
}

// start sets up what depends on the added tokens.
func (t *Tokenizer) start() {
	t.added = newAddedSet(t.header, t.vocab, t.norm)
	stages := len(t.stages)
	t.scratch.New = func() any { return &scratch{pieces: make([][]string, stages)} }
	t.model.control = t.controlIDs()
}

// withAdded is t with more added tokens.
func (t *Tokenizer) withAdded(more []AddedToken) *Tokenizer {
	model := *t.model
	u := &Tokenizer{hash: t.hash, header: t.header, vocab: t.vocab, model: &model, norm: t.norm, stages: t.stages, dec: t.dec}
	u.header.Added = slices.Concat(t.header.Added, more)
	u.start()
	return u
}

func newBPE(s *spec, v *vocab) (*bpe, error) {
	h := s.header.Model
	m := &bpe{
		vocab:        v,
		merges:       newMergeTable(s.merges, h.RankIsID),
		ignoreMerges: h.IgnoreMerges,
		byteFallback: h.ByteFallback,
		fuseUnknown:  h.FuseUnknown,
		unknown:      -1,
		cache:        newWordCache(),
	}
	if h.Unknown != nil {
		id, ok := v.spelled(*h.Unknown)
		if !ok {
			return nil, fmt.Errorf("unk_token %q is not in vocab", *h.Unknown)
		}
		m.unknown = id
	}
	for b := range 256 {
		m.single[b], m.byteIDs[b] = -1, -1
		if id, ok := v.find(string([]byte{byte(b)})); ok && (v.byteLevel || b < 0x80) {
			m.single[b] = id
		}
		if id, ok := v.spelled(byteToken(byte(b))); ok {
			m.byteIDs[b] = id
		}
	}
	if m.cuttable(s.merges) {
		m.cuts = newAdjacency(v)
	}
	return m, nil
}

// cuttable says whether words may be cut where no entry of the vocabulary has the two
// characters side by side. It takes that every character becomes symbols of its own,
// and that bytes' tokens, whose spelling is not their text, stay out of merges.
func (m *bpe) cuttable(merges []merge) bool {
	if m.vocab.byteLevel || !m.byteFallback || slices.Contains(m.byteIDs[:], -1) {
		return false
	}
	isByte := make([]bool, m.vocab.size())
	for _, id := range m.byteIDs {
		isByte[id] = true
	}
	return !slices.ContainsFunc(merges, func(x merge) bool { return isByte[x.left] || isByte[x.right] })
}

// byteToken is the spelling of a byte's fallback token.
func byteToken(b byte) string { return fmt.Sprintf("<0x%02X>", b) }

// controlIDs marks the ids that text in a plain span may not give: the added tokens,
// but for those that merges make of their own text and that are not special. (Gemma
// lists its runs of newlines as added tokens; they are vocabulary as any other.)
func (t *Tokenizer) controlIDs() []bool {
	control := make([]bool, t.vocab.size())
	merging := *t.model
	merging.ignoreMerges = false
	var sc scratch
	for _, a := range t.added.tokens {
		if int(a.ID) >= len(control) {
			continue // the model cannot give it
		}
		ids := merging.merge(nil, t.vocab.text(a.ID), &sc, false)
		control[a.ID] = a.Special || len(ids) != 1 || ids[0] != a.ID
	}
	return control
}
