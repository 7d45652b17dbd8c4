package tokenizer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// configTokens is the added tokens that transformers takes from tokenizer_config.json:
// those of added_tokens_decoder, which may change the flags of a token of tokenizer.json,
// and the special tokens that are named but nowhere listed.
func configTokens(data []byte, listed []AddedToken) ([]AddedToken, error) {
	var config map[string]json.RawMessage
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, err
	}
	tokens, err := decoderTokens(config["added_tokens_decoder"])
	if err != nil {
		return nil, fmt.Errorf("added_tokens_decoder: %w", err)
	}
	known := map[string]bool{"": true}
	for _, a := range slices.Concat(listed, tokens) {
		known[a.Content] = true
	}
	// In the order in which transformers goes through them, which is that of new ids.
	for _, key := range []string{
		"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token",
		"additional_special_tokens", "extra_special_tokens",
	} {
		named, err := namedTokens(config[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		for _, a := range named {
			if !known[a.Content] {
				known[a.Content] = true
				tokens = append(tokens, a)
			}
		}
	}
	return tokens, nil
}

func decoderTokens(raw json.RawMessage) ([]AddedToken, error) {
	if isNull(raw) {
		return nil, nil
	}
	var byID map[string]AddedToken
	if err := json.Unmarshal(raw, &byID); err != nil {
		return nil, err
	}
	var tokens []AddedToken
	for key, a := range byID {
		id, err := strconv.ParseInt(key, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("key %q is not an id", key)
		}
		a.ID = int32(id)
		tokens = append(tokens, a)
	}
	slices.SortFunc(tokens, func(a, b AddedToken) int { return cmp.Compare(a.ID, b.ID) })
	return tokens, nil
}

// namedTokens reads a token, a list of them, or an object of names for them. A token is
// a string, or an object with its flags.
func namedTokens(raw json.RawMessage) ([]AddedToken, error) {
	if isNull(raw) {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []AddedToken{{Content: text, Special: true}}, nil
	}
	var one struct {
		AddedToken
		Content *string `json:"content"`
	}
	if json.Unmarshal(raw, &one) == nil && one.Content != nil {
		one.AddedToken.Content, one.Special = *one.Content, true
		return []AddedToken{one.AddedToken}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('[') && open != json.Delim('{') {
		return nil, fmt.Errorf("%s is not a token", raw)
	}
	var tokens []AddedToken
	for dec.More() {
		if open == json.Delim('{') {
			if _, err := dec.Token(); err != nil {
				return nil, err
			}
		}
		var part json.RawMessage
		if err := dec.Decode(&part); err != nil {
			return nil, err
		}
		more, err := namedTokens(part)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, more...)
	}
	return tokens, nil
}
