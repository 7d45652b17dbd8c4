package tokenizer

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sourceCode is about two megabytes of Go from the toolchain that runs the benchmark.
func sourceCode(b *testing.B) string {
	b.Helper()
	var text strings.Builder
	for _, dir := range []string{"net/http", "go/types", "encoding/json"} {
		files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
		require.NoError(b, err)
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(b, err)
			text.Write(data)
		}
	}
	if text.Len() < 1<<20 {
		b.Skip("no Go sources beside the toolchain")
	}
	return text.String()
}

// chat is the corpus of the goldens as one conversation after another.
func chat(b *testing.B) string {
	b.Helper()
	var text strings.Builder
	for i, s := range gunzipJSON[[]string](b, filepath.Join(goldens(b), "corpus.json.gz")) {
		text.WriteString([]string{"<|im_start|>user\n", "<|im_start|>assistant\n"}[i%2])
		text.WriteString(s)
		text.WriteString("<|im_end|>\n")
	}
	return text.String()
}

func BenchmarkEncode(b *testing.B) {
	inputs := []struct{ name, text string }{
		{"code", sourceCode(b)},
		{"chat", chat(b)},
		{"1MB-of-a", strings.Repeat("a", 1<<20)},
		{"1MB-of-spaces", strings.Repeat(" ", 1<<20)},
	}
	for _, name := range goldenNames {
		tok := goldenTokenizer(b, name)
		for _, in := range inputs {
			b.Run(name+"/"+in.name, func(b *testing.B) {
				b.SetBytes(int64(len(in.text)))
				var ids []int32
				for b.Loop() {
					ids = tok.Encode(ids[:0], in.text)
				}
			})
		}
	}
}

// BenchmarkEncodeCold includes filling the cache of words.
func BenchmarkEncodeCold(b *testing.B) {
	text := sourceCode(b)
	for _, name := range goldenNames {
		tok := goldenTokenizer(b, name).withAdded(nil)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var ids []int32
			for b.Loop() {
				tok.model.cache = newWordCache()
				ids = tok.Encode(ids[:0], text)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	tok := goldenTokenizer(b, "qwen3")
	text := sourceCode(b)
	ids := tok.Encode(nil, text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tok.Decode(ids)
	}
}

func BenchmarkParse(b *testing.B) {
	for _, name := range goldenNames {
		data := gunzip(b, filepath.Join(goldens(b), name+".tokenizer.json.gz"))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				_, err := Parse(bytes.Clone(data))
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkLoadCache(b *testing.B) {
	for _, name := range goldenNames {
		var form bytes.Buffer
		require.NoError(b, goldenTokenizer(b, name).Save(&form))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(form.Len()))
			for b.Loop() {
				_, err := LoadCache(bytes.NewReader(form.Bytes()))
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkEncodeByTable is a pattern without a scanner of its own, as the embedded
// model's.
func BenchmarkEncodeByTable(b *testing.B) {
	tok := tiny(b, words...)
	code := sourceCode(b)
	for name, text := range map[string]string{"2kB": code[:2048], "1MB": code[:1<<20]} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var ids []int32
			for b.Loop() {
				ids = tok.Encode(ids[:0], text)
			}
		})
	}
}
