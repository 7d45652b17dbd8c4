package tokenizer

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pkoukk/tiktoken-go"
)

// TiktokenFile reads a .tiktoken file, a line of base64 and rank for each token. Unlike
// tiktoken-go's own loader it reads the path as it is: no download, no copy elsewhere.
type TiktokenFile struct{}

var _ tiktoken.BpeLoader = TiktokenFile{}

// LoadTiktokenBpe gives the rank of every token of the file.
func (TiktokenFile) LoadTiktokenBpe(path string) (map[string]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	ranks := map[string]int{}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		token, rank, _ := strings.Cut(line, " ")
		raw, err := base64.StdEncoding.DecodeString(token)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		n, err := strconv.ParseUint(rank, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %q is not a rank", path, number, rank)
		}
		ranks[string(raw)] = int(n)
	}
	return ranks, nil
}

// LoadTiktoken is the tokenizer of an OpenAI encoding (o200k_base, cl100k_base), whose
// ranks loader reads from path. Hash is that of the ranks as a .tiktoken file has them.
func LoadTiktoken(encoding, path string, loader tiktoken.BpeLoader) (*Tokenizer, error) {
	s, err := tiktokenSpec(encoding)
	if err != nil {
		return nil, fmt.Errorf("tiktoken encoding %q: %w", encoding, err)
	}
	ranks, err := loader.LoadTiktokenBpe(path)
	if err != nil {
		return nil, fmt.Errorf("tiktoken encoding %q: %w", encoding, err)
	}
	hash, err := s.addRanks(ranks)
	if err != nil {
		return nil, fmt.Errorf("tiktoken encoding %q: %s: %w", encoding, path, err)
	}
	t, err := build(s, hash)
	if err != nil {
		return nil, fmt.Errorf("tiktoken encoding %q: %w", encoding, err)
	}
	return t, nil
}

// tiktokenSpec is all of an encoding but its ranks.
func tiktokenSpec(encoding string) (*spec, error) {
	s := &spec{header: header{Model: modelHeader{Type: "BPE", IgnoreMerges: true, RankIsID: true}}}
	special := func(id int32, content string) {
		s.header.Added = append(s.header.Added, AddedToken{ID: id, Content: content, Special: true})
	}
	pattern := ""
	switch encoding {
	case tiktoken.MODEL_O200K_BASE:
		pattern = o200kPattern
		special(199999, tiktoken.ENDOFTEXT)
		special(200018, tiktoken.ENDOFPROMPT)
	case tiktoken.MODEL_CL100K_BASE:
		pattern = cl100kPattern
		special(100257, tiktoken.ENDOFTEXT)
		special(100258, tiktoken.FIM_PREFIX)
		special(100259, tiktoken.FIM_MIDDLE)
		special(100260, tiktoken.FIM_SUFFIX)
		special(100276, tiktoken.ENDOFPROMPT)
	default:
		return nil, ErrUnsupported
	}
	s.header.FixedIDs = true
	raw, err := json.Marshal(map[string]any{"type": "Sequence", "pretokenizers": []any{
		map[string]any{"type": "Split", "pattern": map[string]string{"Regex": pattern}, "behavior": isolated},
		map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
	}})
	s.header.PreTokenizer = raw
	return s, err
}

// addRanks makes the vocabulary and the merges of ranks: any two tokens whose join is a
// token merge, and the earlier the lower its rank.
func (s *spec) addRanks(ranks map[string]int) (hash string, err error) {
	if len(ranks) == 0 {
		return "", errors.New("no tokens")
	}
	tokens := make([]string, 0, len(ranks))
	for token := range ranks {
		tokens = append(tokens, token)
	}
	slices.SortFunc(tokens, func(a, b string) int { return cmp.Compare(ranks[a], ranks[b]) })
	var file bytes.Buffer
	for _, token := range tokens {
		id := int32(ranks[token])
		fmt.Fprintf(&file, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), id)
		s.entries = append(s.entries, entry{spellBytes(token), id})
		for i := 1; i < len(token); i++ {
			left, okLeft := ranks[token[:i]]
			right, okRight := ranks[token[i:]]
			if okLeft && okRight {
				s.merges = append(s.merges, merge{int32(left), int32(right), id})
			}
		}
	}
	return hashOf(file.Bytes()), s.checkIDs()
}
