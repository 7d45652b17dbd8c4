package tokenizer

import (
	"cmp"
	"slices"
)

// AddedToken is a token that is matched in the text before the model sees it.
type AddedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // matches only where no word character touches it
	LStrip     bool   `json:"lstrip"`      // takes the whitespace before it
	RStrip     bool   `json:"rstrip"`      // takes the whitespace after it
	Normalized bool   `json:"normalized"`  // matched after the normalizer, in its normal form
	Special    bool   `json:"special"`     // HF can leave it out when decoding; matching is the same
}

// addedSet is the added tokens and the two passes that find them.
type addedSet struct {
	tokens     []AddedToken // by ascending id
	ids        map[string]int32
	byID       map[int32]int // index in tokens
	has        []bool        // by id, whether byID has it
	raw        *matcher      // those matched in the text as it came
	normalized *matcher      // those matched after the normalizer
}

// assignIDs gives the listed tokens their ids. As in HF the number in the file is not
// asked: a token of the vocabulary has its id there, the others are numbered from the
// count of the vocabulary on. A token listed again takes the place of the one before.
func assignIDs(listed []AddedToken, v *vocab) []AddedToken {
	var tokens []AddedToken
	at := map[string]int{}
	next := int32(v.count())
	for _, a := range listed {
		if a.Content == "" {
			continue
		}
		if i, ok := at[a.Content]; ok {
			a.ID = tokens[i].ID
			tokens[i] = a
			continue
		}
		id, ok := v.spelled(a.Content)
		if !ok {
			id = next
			next++
		}
		a.ID = id
		at[a.Content] = len(tokens)
		tokens = append(tokens, a)
	}
	return tokens
}

func newAddedSet(h header, v *vocab, norm []normalizer) *addedSet {
	s := &addedSet{ids: map[string]int32{}, byID: map[int32]int{}}
	if s.tokens = slices.Clone(h.Added); !h.FixedIDs {
		s.tokens = assignIDs(h.Added, v)
	}
	slices.SortStableFunc(s.tokens, func(a, b AddedToken) int { return cmp.Compare(a.ID, b.ID) })
	var raw, normalized []pattern
	for i, a := range s.tokens {
		s.ids[a.Content] = a.ID
		s.byID[a.ID] = i
		p := pattern{text: a.Content, token: a}
		if !a.Normalized {
			raw = append(raw, p)
			continue
		}
		for _, n := range norm {
			p.text, _ = n.normalize(p.text, nil)
		}
		normalized = append(normalized, p)
	}
	s.has = make([]bool, s.size())
	for id := range s.byID {
		s.has[id] = true
	}
	s.raw = newMatcher(raw)
	s.normalized = newMatcher(normalized)
	return s
}

func (s *addedSet) size() int {
	if len(s.tokens) == 0 {
		return 0
	}
	return int(s.tokens[len(s.tokens)-1].ID) + 1
}

// text is the text of an added token.
func (s *addedSet) text(id int32) (string, bool) {
	if !s.contains(id) {
		return "", false
	}
	return s.tokens[s.byID[id]].Content, true
}

func (s *addedSet) contains(id int32) bool { return id >= 0 && int(id) < len(s.has) && s.has[id] }
