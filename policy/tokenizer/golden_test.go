package tokenizer

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldens is the folder of real tokenizer files with the ids that HF gives.
func goldens(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("FOCUS_GOLDENS")
	if dir == "" {
		root, err := os.Getwd()
		require.NoError(t, err)
		for {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			require.NotEqual(t, filepath.Dir(root), root, "no go.mod above the test")
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared", "goldens")
	}
	dir = filepath.Join(dir, "tokenizer")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no goldens: set FOCUS_GOLDENS (%v)", err)
	}
	return dir
}

func gunzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	return data
}

func gunzipJSON[T any](t testing.TB, path string) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal(gunzip(t, path), &v))
	return v
}

var goldenNames = []string{"qwen3", "llama3_1", "gptoss", "mistral_nemo", "gemma3"}

// goldenTokenizer parses a golden file, once for all tests: it takes a second with -race.
func goldenTokenizer(t testing.TB, name string) *Tokenizer {
	t.Helper()
	dir := goldens(t)
	parsed.Lock()
	defer parsed.Unlock()
	if parsed.byName[name] == nil {
		tok, err := Parse(gunzip(t, filepath.Join(dir, name+".tokenizer.json.gz")))
		require.NoError(t, err)
		parsed.byName[name] = tok
	}
	return parsed.byName[name]
}

var parsed = struct {
	sync.Mutex
	byName map[string]*Tokenizer
}{byName: map[string]*Tokenizer{}}

// TestGoldenIDs compares every string of the corpus with HF's ids, and reads them back.
func TestGoldenIDs(t *testing.T) {
	dir := goldens(t)
	corpus := gunzipJSON[[]string](t, filepath.Join(dir, "corpus.json.gz"))
	for _, name := range goldenNames {
		t.Run(name, func(t *testing.T) {
			want := gunzipJSON[[][]int32](t, filepath.Join(dir, name+".ids.json.gz"))
			require.Len(t, want, len(corpus))
			tok := goldenTokenizer(t, name)
			different := 0
			for i, text := range corpus {
				got := tok.Encode(nil, text)
				if slices.Equal(got, want[i]) {
					continue
				}
				if different++; different <= 5 {
					t.Errorf("string %d %q:\n got %v\nwant %v", i, text, got, want[i])
				}
			}
			require.Zero(t, different, "strings that differ of %d", len(corpus))
		})
	}
}

// TestGoldenAddedTokensInPlainText: tool output that holds every added token gives no
// control id, and text without any gives HF's ids.
func TestGoldenAddedTokensInPlainText(t *testing.T) {
	corpus := gunzipJSON[[]string](t, filepath.Join(goldens(t), "corpus.json.gz"))
	for _, name := range goldenNames {
		t.Run(name, func(t *testing.T) {
			tok := goldenTokenizer(t, name)
			control := func(id int32) bool {
				return tok.added.contains(id) && (int(id) >= len(tok.model.control) || tok.model.control[id])
			}
			for _, a := range tok.Added() {
				for _, text := range []string{a.Content, "a" + a.Content + "b", " " + a.Content + "\n"} {
					ids := tok.EncodeSpans(nil, text, []Span{{0, len(text)}})
					require.False(t, slices.ContainsFunc(ids, control), "text %q gives %v", text, ids)
				}
			}
			for _, text := range corpus {
				exact := tok.Encode(nil, text)
				if safe := tok.EncodeSpans(nil, text, []Span{{0, len(text)}}); !slices.ContainsFunc(exact, control) {
					require.Equal(t, exact, safe, "text %q", text)
				}
			}
		})
	}
}

// TestGoldenCache: the cached form gives the same ids.
func TestGoldenCache(t *testing.T) {
	corpus := gunzipJSON[[]string](t, filepath.Join(goldens(t), "corpus.json.gz"))
	for _, name := range []string{"qwen3", "gemma3"} {
		tok := goldenTokenizer(t, name)
		var form bytes.Buffer
		require.NoError(t, tok.Save(&form))
		again, err := LoadCache(&form)
		require.NoError(t, err)
		for _, text := range corpus {
			require.Equal(t, tok.Encode(nil, text), again.Encode(nil, text), "%s: text %q", name, text)
		}
	}
}
