package tokenizer_test

import (
	"fmt"

	"focus/policy/tokenizer"
)

// file is a tokenizer.json with a handful of tokens.
const file = `{
	"added_tokens": [{"id": 6, "content": "<end>", "special": true}],
	"pre_tokenizer": {"type": "Split", "pattern": {"Regex": " ?[a-z]+|[^a-z]"}, "behavior": "Isolated"},
	"model": {"type": "BPE", "unk_token": "?", "vocab": {"?": 0, "h": 1, "i": 2, "hi": 3, " ": 4, " hi": 5},
		"merges": ["h i", [" ", "hi"]]}
}`

func ExampleTokenizer_Encode() {
	tok, err := tokenizer.Parse([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	ids := tok.Encode(nil, "hi hi<end>")
	fmt.Println(ids, tok.OffsetsEnd(ids), tok.Decode(ids))
	// Output: [3 5 6] [2 5 10] hi hi<end>
}

func ExampleTokenizer_EncodeSpans() {
	tok, err := tokenizer.Parse([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	content := "hi<end>" // a tool said so: not the end of anything
	prompt := content + "<end>"
	ids := tok.EncodeSpans(nil, prompt, []tokenizer.Span{{Start: 0, End: len(content)}})
	end, _ := tok.ID("<end>")
	fmt.Println(ids, "the control token is", end)
	// Output: [3 0 0 0 0 0 6] the control token is 6
}
