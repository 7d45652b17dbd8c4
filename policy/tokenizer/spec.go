package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// spec is a tokenizer.json, read but not yet made into a tokenizer.
type spec struct {
	header  header
	entries []entry
	merges  []merge
}

// maxSparse bounds how far the ids of a vocabulary may be apart from its size, so that
// a broken file cannot ask for gigabytes.
const maxSparse = 16

// maxFixedID bounds the ids of added tokens that are not numbered by the vocabulary.
const maxFixedID = 1 << 20

// header is all of the file but the vocabulary and the merges.
type header struct {
	Added        []AddedToken    `json:"added_tokens"`
	Normalizer   json.RawMessage `json:"normalizer,omitempty"`
	PreTokenizer json.RawMessage `json:"pre_tokenizer,omitempty"`
	Decoder      json.RawMessage `json:"decoder,omitempty"`
	Model        modelHeader     `json:"model"`

	// FixedIDs says that the added tokens have the ids they are listed with. It and
	// RankIsID are for tiktoken's encodings; a tokenizer.json has neither.
	FixedIDs bool `json:"fixed_ids,omitempty"`
}

type modelHeader struct {
	Type         string   `json:"type"`
	Dropout      *float64 `json:"dropout"`
	Unknown      *string  `json:"unk_token"`
	Prefix       *string  `json:"continuing_subword_prefix"`
	Suffix       *string  `json:"end_of_word_suffix"`
	FuseUnknown  bool     `json:"fuse_unk"`
	ByteFallback bool     `json:"byte_fallback"`
	IgnoreMerges bool     `json:"ignore_merges"`
	RankIsID     bool     `json:"rank_is_id,omitempty"` // merges to one token have one rank, its id
}

func parseSpec(data []byte) (*spec, error) {
	// The two big lists stay raw here: reading them by reflection takes seconds.
	var file struct {
		header
		Model struct {
			modelHeader
			Vocab  json.RawMessage `json:"vocab"`
			Merges json.RawMessage `json:"merges"`
		} `json:"model"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	h := file.header
	h.Model = file.Model.modelHeader
	h.FixedIDs, h.Model.RankIsID = false, false
	if err := h.Model.check(isNull(file.Model.Merges)); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	entries, err := parseVocab(file.Model.Vocab)
	if err != nil {
		return nil, fmt.Errorf("model: vocab: %w", err)
	}
	merges, err := parseMerges(file.Model.Merges, entries)
	if err != nil {
		return nil, fmt.Errorf("model: merges: %w", err)
	}
	s := &spec{header: h, entries: entries, merges: merges}
	return s, s.checkIDs()
}

func (m modelHeader) check(noMerges bool) error {
	switch {
	case m.Type != "BPE" && m.Type != "":
		return fmt.Errorf("type %q: %w (only BPE is)", m.Type, ErrUnsupported)
	case noMerges && m.Type == "":
		return errors.New("no type and no merges")
	case noMerges:
		return errors.New("no merges")
	case m.Dropout != nil && *m.Dropout != 0:
		return fmt.Errorf("dropout %v: %w", *m.Dropout, ErrUnsupported)
	case m.Prefix != nil && *m.Prefix != "":
		return fmt.Errorf("continuing_subword_prefix %q: %w", *m.Prefix, ErrUnsupported)
	case m.Suffix != nil && *m.Suffix != "":
		return fmt.Errorf("end_of_word_suffix %q: %w", *m.Suffix, ErrUnsupported)
	}
	return nil
}

// checkIDs finds what would make the tables senseless: ids far beyond the number of
// entries, which cost memory, and merges of what is not there.
func (s *spec) checkIDs() error {
	highest := int32(-1)
	for _, e := range s.entries {
		highest = max(highest, e.id)
	}
	if int(highest) > maxSparse*len(s.entries)+1<<16 {
		return fmt.Errorf("vocab: highest id is %d for %d tokens", highest, len(s.entries))
	}
	for i, m := range s.merges {
		if max(m.left, m.right, m.id) > highest {
			return fmt.Errorf("merges: number %d: %d and %d to %d: beyond the vocabulary", i, m.left, m.right, m.id)
		}
	}
	for _, a := range s.header.Added {
		if s.header.FixedIDs && (a.ID < 0 || a.ID >= maxFixedID) {
			return fmt.Errorf("added token %q: id %d", a.Content, a.ID)
		}
	}
	return nil
}

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}
