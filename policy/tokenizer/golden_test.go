package tokenizer

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
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

func goldenTokenizer(t testing.TB, name string) *Tokenizer {
	t.Helper()
	tok, err := Parse(gunzip(t, filepath.Join(goldens(t), name+".tokenizer.json.gz")))
	require.NoError(t, err)
	return tok
}

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
