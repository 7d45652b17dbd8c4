package policytest

import (
	"encoding/json"
	"fmt"
	"testing/fstest"

	"focus/rollout"
)

// Folder is a model's folder whose tokenizer.json is [Bytes] and whose
// generation_config.json has [EndOfText] as end of sequence. Other files can be
// added to it.
func Folder() fstest.MapFS {
	vocab := make(map[string]int, 256)
	spare := rune(256)
	for b := range 256 {
		r := rune(b)
		// HF's byte-level alphabet: a printable byte is itself, the others are
		// numbered from 256 on.
		if b <= ' ' || b == 0xAD || b > '~' && b < 0xA1 {
			r, spare = spare, spare+1
		}
		vocab[string(r)] = b
	}
	type token struct {
		ID         rollout.TokenID `json:"id"`
		Content    string          `json:"content"`
		SingleWord bool            `json:"single_word"`
		LStrip     bool            `json:"lstrip"`
		RStrip     bool            `json:"rstrip"`
		Normalized bool            `json:"normalized"`
		Special    bool            `json:"special"`
	}
	tokens := make([]token, len(added))
	for i, content := range added {
		tokens[i] = token{ID: rollout.TokenID(256 + i), Content: content, Special: true}
	}
	byteLevel := map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false}
	file, err := json.Marshal(map[string]any{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": tokens, "normalizer": nil,
		"pre_tokenizer": byteLevel, "post_processor": nil, "decoder": byteLevel,
		"model": map[string]any{
			"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil, "end_of_word_suffix": nil,
			"fuse_unk": false, "byte_fallback": false, "ignore_merges": false, "vocab": vocab, "merges": []string{},
		},
	})
	if err != nil {
		panic(err) // plain maps and strings
	}
	return fstest.MapFS{
		"tokenizer.json":         {Data: file},
		"generation_config.json": {Data: fmt.Appendf(nil, `{"eos_token_id": %d}`, EndOfText)},
	}
}
