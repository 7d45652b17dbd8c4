package tokenizer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// small is a tokenizer.json of letters, with parts replaced.
func small(replace ...string) string {
	return strings.NewReplacer(replace...).Replace(`{"version": "1.0",
		"added_tokens": [{"id": 4, "content": "<m>", "special": true}],
		"normalizer": null, "pre_tokenizer": null, "decoder": null,
		"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "\u00e9\ud83d\ude42": 3}, "merges": ["a b"]}}`)
}

func TestParse(t *testing.T) {
	tok, err := Parse([]byte(small()))
	require.NoError(t, err)
	require.Equal(t, []int32{2, 4, 0}, tok.Encode(nil, "ab<m>a"))
	require.Equal(t, 5, tok.VocabSize())
	require.Len(t, tok.Hash(), 64)
	require.Equal(t, []AddedToken{{ID: 4, Content: "<m>", Special: true}}, tok.Added())
	require.Equal(t, "é🙂", string(tok.Bytes(3)))
	require.Nil(t, tok.Bytes(99))
	for token, want := range map[string]int32{"ab": 2, "<m>": 4, "é🙂": 3} {
		id, ok := tok.ID(token)
		require.True(t, ok, token)
		require.Equal(t, want, id, token)
	}
	_, ok := tok.ID("nothing")
	require.False(t, ok)
}

// TestParseNamesWhatIsWrong: the error has the file and the part.
func TestParseNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name, file, want string
		unsupported      bool
	}{
		{"not JSON", `{`, "unexpected end", false},
		{"empty object", `{}`, "model: no type and no merges", false},
		{"no vocab", small(`"vocab"`, `"vocabulary"`), "model: vocab: missing", false},
		{"no merges", small(`"merges"`, `"merged"`), "model: no merges", false},
		{"another model", small(`"BPE"`, `"Unigram"`), `model: type "Unigram"`, true},
		{"dropout", small(`"BPE",`, `"BPE", "dropout": 0.1,`), "model: dropout 0.1", true},
		{"prefix", small(`"BPE",`, `"BPE", "continuing_subword_prefix": "##",`), "continuing_subword_prefix", true},
		{"suffix", small(`"BPE",`, `"BPE", "end_of_word_suffix": "</w>",`), "end_of_word_suffix", true},
		{"unknown token not there", small(`"BPE",`, `"BPE", "unk_token": "<unk>",`), `model: unk_token "<unk>"`, false},
		{"vocab is a list", small(`{"a": 0, "b": 1, "ab": 2, "\u00e9\ud83d\ude42": 3}`, `[]`), "model: vocab: not an object", false},
		{"id is a string", small(`"a": 0`, `"a": "0"`), `model: vocab: token "a"`, false},
		{"id is negative", small(`"a": 0`, `"a": -1`), `model: vocab: token "a"`, false},
		{"id is a fraction", small(`"a": 0`, `"a": 0.5`), `model: vocab: token "a"`, false},
		{"id is far away", small(`"a": 0`, `"a": 2000000000`), "highest id", false},
		{"half a surrogate", small(`\ud83d`, `x`), "surrogate", false},
		{"merges is an object", small(`["a b"]`, `{"a": "b"}`), "model: merges: not a list", false},
		{"merge of three", small(`"a b"`, `"a b c"`), "model: merges: number 0", false},
		{"merge of three in a list", small(`"a b"`, `["a", "b", "c"]`), "model: merges: number 0", false},
		{"merge of one", small(`"a b"`, `"ab"`), "model: merges: number 0", false},
		{"merge of numbers", small(`"a b"`, `[1, 2]`), "model: merges: number 0", false},
		{"merge of strangers", small(`"a b"`, `"a x"`), `"x"`, false},
		{"merge to a stranger", small(`"a b"`, `"b a"`), `number 0: "b" and "a"`, false},
		{"normalizer", small(`"normalizer": null`, `"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}]}`), `normalizer: number 0: type "NFKC"`, true},
		{"empty replace", small(`"normalizer": null`, `"normalizer": {"type": "Replace", "pattern": {"String": ""}, "content": ""}`), "normalizer: Replace", false},
		{"pre-tokenizer", small(`"pre_tokenizer": null`, `"pre_tokenizer": {"type": "UnicodeScripts"}`), `pre_tokenizer: type "UnicodeScripts"`, true},
		{"behavior", small(`"pre_tokenizer": null`, `"pre_tokenizer": {"type": "Split", "pattern": {"String": "a"}, "behavior": "Kept"}`), `behavior "Kept"`, true},
		{"pattern", small(`"pre_tokenizer": null`, `"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a)\\1"}, "behavior": "Isolated"}`), `pre_tokenizer: Split: pattern`, true},
		{"no pattern", small(`"pre_tokenizer": null`, `"pre_tokenizer": {"type": "Split", "pattern": {}, "behavior": "Isolated"}`), `pre_tokenizer: Split: pattern`, true},
		{"metaspace", small(`"pre_tokenizer": null`, `"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "last"}`), "prepend_scheme", true},
		{"decoder", small(`"decoder": null`, `"decoder": {"type": "WordPiece"}`), `decoder: type "WordPiece"`, true},
		{"strip", small(`"decoder": null`, `"decoder": {"type": "Strip", "content": "_", "start": 1, "stop": 0}`), "decoder: Strip", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.file))
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "tokenizer.json")
			if c.unsupported {
				require.ErrorIs(t, err, ErrUnsupported)
			}
		})
	}
}

func TestLoadTakesTokensFromTheConfiguration(t *testing.T) {
	for _, c := range []struct {
		name, config, text string
		want               []int32
	}{
		{"none", ``, "a <m>b", []int32{0, 4, 1}},
		{"nothing in it", `{}`, "a<m>", []int32{0, 4}},
		{"other flags", `{"added_tokens_decoder": {"4": {"content": "<m>", "single_word": true}}}`, "a<m>b <m>", []int32{2, 4}},
		{"more tokens, by id", `{"added_tokens_decoder": {"9": {"content": "<o>"}, "7": {"content": "<n>"}}}`, "<n><o>", []int32{5, 6}},
		{"named ones", `{"pad_token": "<p>", "eos_token": {"content": "<e>", "lstrip": true}, "bos_token": "<m>", "unk_token": null}`, "<m><p>a <e>", []int32{4, 6, 0, 5}},
		{"a list and an object of them", `{"additional_special_tokens": ["<x>"], "extra_special_tokens": {"z": "<y>", "a": "<z>"}}`, "<x><y><z>", []int32{5, 6, 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := fstest.MapFS{"tokenizer.json": {Data: []byte(small())}}
			if c.config != "" {
				fsys["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(c.config)}
			}
			tok, err := LoadFS(fsys)
			require.NoError(t, err)
			require.Equal(t, c.want, tok.Encode(nil, c.text), "%+v", tok.Added())
		})
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	_, err := Load(dir)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, dir)
	require.ErrorContains(t, err, "tokenizer.json")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(small()), 0o600))
	for config, want := range map[string]string{
		`{`: "unexpected end",
		`{"added_tokens_decoder": {"x": {"content": "<x>"}}}`: `key "x" is not an id`,
		`{"added_tokens_decoder": []}`:                        "added_tokens_decoder",
		`{"eos_token": 5}`:                                    "eos_token: 5 is not a token",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "tokenizer_config.json"), []byte(config), 0o600))
		_, err := Load(dir)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "tokenizer_config.json")
	}
}

func TestCacheHoldsTheTokenizer(t *testing.T) {
	for _, tok := range []*Tokenizer{tiny(t, words...), must(Parse([]byte(small())))(t)} {
		var form bytes.Buffer
		require.NoError(t, tok.Save(&form))
		again, err := LoadCache(bytes.NewReader(form.Bytes()))
		require.NoError(t, err)
		require.Equal(t, tok.Hash(), again.Hash())
		require.Equal(t, tok.Added(), again.Added())
		for _, text := range []string{"the in abc<m>", "ab é🙂 <|im_end|>"} {
			require.Equal(t, tok.Encode(nil, text), again.Encode(nil, text))
		}
		var second bytes.Buffer
		require.NoError(t, again.Save(&second))
		require.Equal(t, form.Bytes(), second.Bytes())
	}
}

func must(tok *Tokenizer, err error) func(testing.TB) *Tokenizer {
	return func(t testing.TB) *Tokenizer {
		require.NoError(t, err)
		return tok
	}
}

func TestCacheKnowsDamage(t *testing.T) {
	var form bytes.Buffer
	require.NoError(t, must(Parse([]byte(small())))(t).Save(&form))
	whole := form.Bytes()
	for n := range len(whole) {
		_, err := LoadCache(bytes.NewReader(whole[:n]))
		require.ErrorIs(t, err, ErrCorrupt, "cut to %d bytes", n)
	}
	for i := range len(whole) {
		b := bytes.Clone(whole)
		b[i] ^= 0x10
		_, err := LoadCache(bytes.NewReader(b))
		require.ErrorIs(t, err, ErrCorrupt, "byte %d flipped", i)
	}
	for name, b := range map[string][]byte{
		"another version": append([]byte("focus tokenizer\x02"), whole[16:len(whole)-4]...),
		"something after": append(bytes.Clone(whole[:len(whole)-4]), 0),
		"a huge count":    append(bytes.Clone(whole[:16+64]), 0xFF, 0xFF, 0xFF, 0xFF, 0x07),
	} {
		b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
		_, err := LoadCache(bytes.NewReader(b))
		require.ErrorIs(t, err, ErrCorrupt, name)
	}
}

func TestLoadCachedLeavesAndMendsTheCache(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(small()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokenizer_config.json"), []byte(`{"eos_token": "<e>"}`), 0o600))
	var path string
	for _, state := range []string{"no cache", "a cache", "a damaged cache"} {
		if state == "a damaged cache" {
			require.NoError(t, os.WriteFile(path, []byte("nonsense"), 0o600))
		}
		tok, err := LoadCached(dir, cache)
		require.NoError(t, err, state)
		require.Equal(t, []int32{2, 5}, tok.Encode(nil, "ab<e>"), state)
		files, err := os.ReadDir(cache)
		require.NoError(t, err)
		require.Len(t, files, 1, state)
		path = filepath.Join(cache, files[0].Name())
		require.Contains(t, path, tok.Hash())
		_, err = readCache(path, tok.Hash())
		require.NoError(t, err, state)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small()), "ab<m>")
	f.Add([]byte(small(`["a b"]`, `[["a","b"]]`, `"pre_tokenizer": null`, `"pre_tokenizer": {"type": "ByteLevel"}`)), "ab é")
	f.Add([]byte(small(`"normalizer": null`, `"normalizer": {"type": "NFC"}`, `"decoder": null`, `"decoder": {"type": "Metaspace", "replacement": "a"}`)), "e\u0301")
	f.Add([]byte(small(`"pre_tokenizer": null`, `"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a+"}, "behavior": "MergedWithNext"}`)), "aab")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		tok, err := Parse(data)
		if err != nil {
			return
		}
		ids := tok.Encode(nil, text)
		for _, id := range ids {
			if id < 0 || int(id) >= tok.VocabSize() {
				t.Fatalf("text %q: id %d of %d", text, id, tok.VocabSize())
			}
		}
		tok.Decode(ids)
		var form bytes.Buffer
		if err := tok.Save(&form); err != nil {
			t.Fatal(err)
		}
		again, err := LoadCache(&form)
		if err != nil {
			t.Fatalf("saved form does not load: %v", err)
		}
		if a, b := ids, again.Encode(nil, text); !bytes.Equal(idBytes(a), idBytes(b)) {
			t.Fatalf("text %q: %v, from the cache %v", text, a, b)
		}
	})
}

func idBytes(ids []int32) []byte {
	b, _ := json.Marshal(append([]int32{}, ids...))
	return b
}

func FuzzLoadCache(f *testing.F) {
	var form bytes.Buffer
	require.NoError(f, must(Parse([]byte(small())))(f).Save(&form))
	f.Add(form.String()[:form.Len()-4])
	f.Fuzz(func(t *testing.T, data string) {
		tok, err := decodeCache(data) // what comes behind the checksum
		if err != nil {
			return
		}
		tok.Decode(tok.Encode(nil, "ab<m>é"))
	})
}
