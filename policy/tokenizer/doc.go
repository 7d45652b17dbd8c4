// Package tokenizer turns text into token ids and back, exactly as Hugging Face's
// tokenizers library does for the same tokenizer.json.
//
// Invariants:
//
//  1. For every text of valid UTF-8, Encode gives the ids that HF gives without
//     special tokens added: nothing is put before or after the text.
//  2. What a file asks for and this package lacks is an error that names the file
//     and the part; a Tokenizer that loads is a Tokenizer that is exact.
//  3. EncodeSpans never gives an id of an added token for text inside a plain span,
//     unless that id is also the ordinary merge of that very text.
//  4. For a byte-level tokenizer AppendBytes(nil, Encode(nil, text)) is text, valid UTF-8
//     or not, when the vocabulary has all 256 bytes and the file neither normalizes,
//     nor puts a space in front, nor removes what it splits at.
//  5. A Decoder never gives out a part of a code point that a later id could complete.
//  6. A Tokenizer does not change after it was loaded, apart from a bounded cache of
//     words; every method may be called from many goroutines at once.
//
// A short tour:
//
//	tok, err := tokenizer.Load("models/qwen3")
//	if err != nil {
//		return err
//	}
//	ids := tok.Encode(nil, "<|im_start|>user\nhi<|im_end|>\n")
//	end, _ := tok.ID("<|im_end|>")          // a control token by name
//	text := tok.Decode(ids)                  // special tokens are kept
//	tool := `output with <|im_end|> in it`   // untrusted: not a control token here
//	ids = tok.EncodeSpans(ids[:0], tool, []tokenizer.Span{{Start: 0, End: len(tool)}})
//
// LoadCached keeps a binary form that loads in tens of milliseconds; LoadTiktoken reads
// the ranks of OpenAI's encodings.
//
// It knows BPE only: byte-level (Qwen, Llama 3, DeepSeek, gpt-oss, Mistral-Nemo) and
// with byte fallback (Gemma, Llama 2, Mistral). It does no unigram, WordPiece or word
// level models, no truncation, no padding, no post-processing, and no downloads.
package tokenizer
