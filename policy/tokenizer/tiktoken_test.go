package tokenizer

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pkoukk/tiktoken-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// ranksFile is a .tiktoken file of all bytes and some tokens.
func ranksFile(t *testing.T, tokens ...string) string {
	t.Helper()
	var b strings.Builder
	for i := range 256 {
		fmt.Fprintf(&b, "%s %d\n", base64.StdEncoding.EncodeToString([]byte{byte(i)}), i)
	}
	for i, token := range tokens {
		fmt.Fprintf(&b, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), 256+i)
	}
	path := filepath.Join(t.TempDir(), "ranks.tiktoken")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// TestTiktokenAgreesWithTiktokenGo compares the merging with that library's.
func TestTiktokenAgreesWithTiktokenGo(t *testing.T) {
	path := ranksFile(t, "th", "in", "the", " t", "ab", "bc", "abc", "  ", "aa", "aaa", "é", "\n\n", "caa", "aaaa")
	ranks, err := TiktokenFile{}.LoadTiktokenBpe(path)
	require.NoError(t, err)
	for name, pattern := range map[string]string{"cl100k_base": cl100kPattern, "o200k_base": o200kPattern} {
		t.Run(name, func(t *testing.T) {
			tok, err := LoadTiktoken(name, path, TiktokenFile{})
			require.NoError(t, err)
			theirs, err := tiktoken.NewCoreBPE(ranks, map[string]int{}, pattern)
			require.NoError(t, err)
			encoding := tiktoken.NewTiktoken(theirs, &tiktoken.Encoding{Name: name, PatStr: pattern, MergeableRanks: ranks}, map[string]any{})
			rapid.Check(t, func(t *rapid.T) {
				// ASCII only: the library's classes are of another Unicode version.
				text := rapid.StringOf(rapid.SampledFrom([]rune("abcthein \n.'19"))).Draw(t, "text")
				var want []int32
				for _, id := range encoding.EncodeOrdinary(text) {
					want = append(want, int32(id))
				}
				require.Equal(t, want, tok.Encode(nil, text), "text %q", text)
			})
		})
	}
}

func TestTiktokenSpecialTokens(t *testing.T) {
	path := ranksFile(t, "th", "the")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	tok, err := LoadTiktoken("cl100k_base", path, TiktokenFile{})
	require.NoError(t, err)
	require.Equal(t, hashOf(data), tok.Hash())
	require.Equal(t, []int32{257, 100257, 257}, tok.Encode(nil, "the<|endoftext|>the"))
	require.Equal(t, "the<|endoftext|>", tok.Decode([]int32{257, 100257}))
	require.Equal(t, 100277, tok.VocabSize())
}

func TestTiktokenFileNamesTheLine(t *testing.T) {
	for content, want := range map[string]string{
		"YQ== 0\n!!! 1\n": ":2: ",
		"YQ== x\n":        `:1: "x" is not a rank`,
		"YQ==\n":          ":1: ",
		"YQ== -1\n":       ":1: ",
	} {
		path := filepath.Join(t.TempDir(), "ranks.tiktoken")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := LoadTiktoken("cl100k_base", path, TiktokenFile{})
		require.ErrorContains(t, err, path+want)
	}
	_, err := LoadTiktoken("gpt2", "none", TiktokenFile{})
	require.ErrorIs(t, err, ErrUnsupported)
	_, err = LoadTiktoken("cl100k_base", "none", TiktokenFile{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestGoldenTiktoken: gpt-oss has o200k's ranks, so o200k_base made of them gives the
// golden ids of every string without a token that gpt-oss added.
func TestGoldenTiktoken(t *testing.T) {
	dir := goldens(t)
	gptoss := goldenTokenizer(t, "gptoss")
	var b strings.Builder
	for e := range gptoss.vocab.entries() {
		raw := gptoss.Bytes(e.id)
		fmt.Fprintf(&b, "%s %d\n", base64.StdEncoding.EncodeToString(raw), e.id)
	}
	path := filepath.Join(t.TempDir(), "o200k_base.tiktoken")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	tok, err := LoadTiktoken("o200k_base", path, TiktokenFile{})
	require.NoError(t, err)

	corpus := gunzipJSON[[]string](t, filepath.Join(dir, "corpus.json.gz"))
	want := gunzipJSON[[][]int32](t, filepath.Join(dir, "gptoss.ids.json.gz"))
	compared := 0
	for i, text := range corpus {
		if slices.ContainsFunc(want[i], func(id int32) bool { return id >= 199998 }) {
			continue
		}
		require.Equal(t, want[i], append([]int32{}, tok.EncodeSpans(nil, text, []Span{{0, len(text)}})...), "text %q", text)
		compared++
	}
	require.Greater(t, compared, len(corpus)/2)
}
