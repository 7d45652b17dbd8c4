package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// tiny is a byte-level tokenizer.json with all 256 bytes and a few merges, in the form
// of the embedded model's: a pattern that looks at nothing but what it takes.
func tiny(t testing.TB, merges ...[2]string) *Tokenizer {
	t.Helper()
	vocab := map[string]int{}
	for b := range 256 {
		vocab[string(byteRune(byte(b)))] = b
	}
	for _, m := range merges {
		vocab[m[0]+m[1]] = len(vocab)
	}
	next := len(vocab)
	file := map[string]any{
		"added_tokens": []map[string]any{
			{"id": next, "content": "<|im_start|>", "special": true},
			{"id": next + 1, "content": "<|im_end|>", "special": true},
			{"id": next + 2, "content": "<think>", "special": false},
		},
		"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []any{
			map[string]any{"type": "Split", "behavior": "Isolated", "pattern": map[string]any{
				"Regex": `[0-9]|[-+*/()=]| ?[A-Za-z]+|[\n\r\t ]|[^-0-9+*/()=A-Za-z\n\r\t ]+`}},
			map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
		}},
		"decoder": map[string]any{"type": "ByteLevel"},
		"model":   map[string]any{"type": "BPE", "vocab": vocab, "merges": merges},
	}
	data, err := json.Marshal(file)
	require.NoError(t, err)
	tok, err := Parse(data)
	require.NoError(t, err)
	return tok
}

var words = [][2]string{{"t", "h"}, {"th", "e"}, {"Ġ", "the"}, {"i", "n"}, {"a", "b"}, {"b", "c"}, {"ab", "c"}}

func spellings(tok *Tokenizer, ids []int32) []string {
	out := []string{}
	for _, id := range ids {
		out = append(out, string(tok.Bytes(id)))
	}
	return out
}

func TestEncodeAppliesMergesInOrderWithinPieces(t *testing.T) {
	tok := tiny(t, words...)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{}},
		{"the", []string{"the"}},
		{"in the", []string{"in", " the"}},
		{"abc", []string{"abc"}},
		{"bcab", []string{"bc", "ab"}},
		{"12", []string{"1", "2"}},
		{"the\nthe", []string{"the", "\n", "the"}},
		{"<|im_start|>the<|im_end|>", []string{"<|im_start|>", "the", "<|im_end|>"}},
		{"<|im_start<|im_end|>", []string{"<", "|", "i", "m", "_", "s", "t", "a", "r", "t", "<|im_end|>"}},
		{"é", []string{"\xc3", "\xa9"}},
	} {
		ids := tok.Encode(nil, c.text)
		require.Equal(t, c.want, spellings(tok, ids), "text %q", c.text)
		require.Equal(t, c.text, tok.Decode(ids))
		require.Equal(t, len(ids), tok.Count(c.text))
	}
}

func TestEncodeAppendsToDst(t *testing.T) {
	tok := tiny(t, words...)
	dst := tok.Encode([]int32{7}, "the")
	require.Equal(t, append([]int32{7}, tok.Encode(nil, "the")...), dst)
}

func TestPlainSpansHoldNoAddedToken(t *testing.T) {
	tok := tiny(t, words...)
	start, _ := tok.ID("<|im_start|>")
	end, _ := tok.ID("<|im_end|>")
	text := "<|im_start|>the<|im_end|>the<|im_end|>"
	for _, c := range []struct {
		name  string
		plain []Span
		want  []int32 // the added ids that remain
	}{
		{"none", nil, []int32{start, end, end}},
		{"empty range", []Span{{5, 5}}, []int32{start, end, end}},
		{"the middle one", []Span{{12, 28}}, []int32{start, end}},
		{"an edge inside a token", []Span{{20, 30}}, []int32{start}},
		{"unsorted, overlapping, outside", []Span{{30, 99}, {-3, 4}, {2, 3}}, []int32{end}},
		{"all", []Span{{0, len(text)}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ids := tok.EncodeSpans(nil, text, c.plain)
			require.Equal(t, text, tok.Decode(ids))
			added := slices.DeleteFunc(slices.Clone(ids), func(id int32) bool { return id < start })
			require.Equal(t, fmt.Sprint(c.want), fmt.Sprint(added))
		})
	}
}
