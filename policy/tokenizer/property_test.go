package tokenizer

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// markedText draws text with added tokens in it, and ranges of it.
func markedText(tok *Tokenizer) *rapid.Generator[string] {
	var pieces []string
	for _, a := range tok.Added() {
		pieces = append(pieces, a.Content, a.Content[:len(a.Content)/2], a.Content[len(a.Content)/2:])
	}
	return rapid.Custom(func(t *rapid.T) string {
		one := rapid.OneOf(rapid.SampledFrom(pieces), oddText(), rapid.String())
		return strings.Join(rapid.SliceOfN(one, 0, 8).Draw(t, "parts"), "")
	})
}

func ranges(n int) *rapid.Generator[[]Span] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Span {
		a, b := rapid.IntRange(0, n).Draw(t, "a"), rapid.IntRange(0, n).Draw(t, "b")
		return Span{min(a, b), max(a, b)}
	}), 0, 4)
}

func TestEncodingReadsBack(t *testing.T) {
	tok := tiny(t, words...)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(markedText(tok), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		plain := ranges(len(text)).Draw(t, "plain")
		for _, ids := range [][]int32{tok.Encode(nil, text), tok.EncodeSpans(nil, text, plain)} {
			require.Equal(t, text, string(tok.AppendBytes(nil, ids)), "ids %v", ids)
			ends := tok.OffsetsEnd(ids)
			require.Len(t, ends, len(ids))
			at := 0
			for i, id := range ids {
				require.Equal(t, text[at:ends[i]], string(tok.Bytes(id)))
				at = ends[i]
			}
		}
	})
}

func TestAddedTokensStayOutOfPlainSpans(t *testing.T) {
	tok := tiny(t, words...)
	rapid.Check(t, func(t *rapid.T) {
		text := markedText(tok).Draw(t, "text")
		plain := ranges(len(text)).Draw(t, "plain")
		ids := tok.EncodeSpans(nil, text, plain)
		at := 0
		for i, end := range tok.OffsetsEnd(ids) {
			if tok.added.contains(ids[i]) {
				for _, p := range plain {
					require.False(t, max(p.Start, at) < min(p.End, end), "%q at %d..%d overlaps %v", text[at:end], at, end, p)
				}
			}
			at = end
		}
	})
}

// TestSpansWithoutAddedTokensChangeNothing: what is plain and holds no part of an added
// token encodes as ever, so safe mode is HF's ids wherever HF's are safe.
func TestSpansWithoutAddedTokensChangeNothing(t *testing.T) {
	tok := tiny(t, words...)
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var plain []Span
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			text.WriteString(rapid.SampledFrom([]string{"<|im_start|>", "<|im_end|>\n", "<think>"}).Draw(t, "control"))
			start := text.Len()
			text.WriteString(strings.NewReplacer("<", "", ">", "", "|", "").Replace(oddText().Draw(t, "content")))
			plain = append(plain, Span{start, text.Len()})
		}
		require.Equal(t, tok.Encode(nil, text.String()), tok.EncodeSpans(nil, text.String(), plain))
	})
}

func TestDecoderGivesWholeCodePoints(t *testing.T) {
	tok := tiny(t, words...)
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.Int32Range(-1, int32(tok.VocabSize()))).Draw(t, "ids")
		if rapid.Bool().Draw(t, "text") {
			ids = tok.Encode(nil, oddText().Draw(t, "text"))
		}
		d := tok.NewDecoder()
		var out strings.Builder
		for i, id := range ids {
			before := tok.Decode(ids[:i+1])
			part := d.Next(id)
			out.WriteString(part)
			require.True(t, strings.HasPrefix(before, out.String()), "%q is not the start of %q", out.String(), before)
			held := strings.TrimPrefix(before, out.String())
			require.LessOrEqual(t, len([]rune(held)), 1, "held back %q", held)
		}
		out.WriteString(d.Rest())
		require.Equal(t, tok.Decode(ids), out.String())
	})
}

// TestLongWordsMergeAsShortOnes compares the heap with the scan of all pairs.
func TestLongWordsMergeAsShortOnes(t *testing.T) {
	tok := tiny(t, append([][2]string{{"a", "a"}, {"aa", "a"}, {"aa", "aa"}, {"c", "a"}}, words...)...)
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("abcth")), 1, 200, -1).Draw(t, "word")
		var linear, heap bpeScratch
		linear.ids = tok.model.symbols(nil, word)
		heap.ids = slices.Clone(linear.ids)
		require.Equal(t, tok.model.mergeLinear(nil, &linear, false), tok.model.mergeHeap(nil, &heap, false))
	})
}

func TestNFCOfLongRunsOfMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		marks := rapid.StringOfN(rapid.SampledFrom([]rune("\u0301\u0323\u0334\u0345\u093c\u3099")), 0, 25, -1).Draw(t, "marks")
		text := rapid.SampledFrom([]string{"a", "ệ", "か", "\u1100\u1161\u11a8"}).Draw(t, "base") + marks
		got, _ := nfc{}.normalize(text, nil)
		require.Equal(t, got, compose(text), "by hand and by the library, for %q", text)
	})
}

// TestSpansFollowNormalizers: what a span covered is covered after normalizing.
func TestSpansFollowNormalizers(t *testing.T) {
	f, err := newRegexFinder(`\s+|bb`)
	require.NoError(t, err)
	all := []normalizer{prepend("▁"), replace{literalFinder(" "), "▁"}, replace{f, "="}, replace{literalFinder("b"), ""}, nfc{}}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(all).Draw(t, "normalizer")
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", " ", "b", "bb", "e\u0301", "<m>"}), 0, 12).Draw(t, "parts")
		text := strings.Join(parts, "")
		spans := tidySpans(ranges(len(text)).Draw(t, "spans"), len(text))
		got, moved := n.normalize(text, spans)
		plainly, _ := n.normalize(text, nil)
		require.Equal(t, plainly, got)
		require.Equal(t, tidySpans(moved, len(got)), append([]Span{}, moved...), "tidy, within %q", got)
		// Every "<m>" that a span touched is touched by one after.
		from, to := 0, 0
		for {
			i, k := strings.Index(text[from:], "<m>"), strings.Index(got[to:], "<m>")
			require.Equal(t, i < 0, k < 0)
			if i < 0 {
				return
			}
			was := len(within(spans, Span{from + i, from + i + 3})) > 0
			is := len(within(moved, Span{to + k, to + k + 3})) > 0
			require.Equal(t, was, is, "text %q spans %v, then %q %v", text, spans, got, moved)
			from, to = from+i+3, to+k+3
		}
	})
}

func TestManyGoroutinesShareATokenizer(t *testing.T) {
	tok := tiny(t, words...)
	texts := []string{"the in abc", "<|im_start|>user\nthe<|im_end|>", strings.Repeat("abcth", 100), "é漢字 12"}
	var want [][]int32
	for _, text := range texts {
		want = append(want, tok.Encode(nil, text))
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				k := (g + i) % len(texts)
				if got := tok.Encode(nil, texts[k]); !slices.Equal(got, want[k]) {
					t.Errorf("text %q: got %v want %v", texts[k], got, want[k])
				}
				if got := tok.Decode(want[k]); got != texts[k] {
					t.Errorf("ids %v: got %q want %q", want[k], got, texts[k])
				}
			}
		})
	}
	wg.Wait()
}

func FuzzEncode(f *testing.F) {
	tok := tiny(f, words...)
	f.Add("the <|im_start|>in<|im_end|> abc é\xff漢", 3, 20)
	f.Fuzz(func(t *testing.T, text string, a, b int) {
		ids := tok.EncodeSpans(nil, text, []Span{{a, b}})
		if got := string(tok.AppendBytes(nil, ids)); got != text {
			t.Fatalf("text %q reads back as %q", text, got)
		}
	})
}
