package tokenizer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// configTokens is the added tokens that tokenizer_config.json lists, by ascending id.
func configTokens(data []byte) ([]AddedToken, error) {
	var config struct {
		Added map[string]AddedToken `json:"added_tokens_decoder"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, err
	}
	var tokens []AddedToken
	for key, a := range config.Added {
		id, err := strconv.ParseInt(key, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("added_tokens_decoder: key %q is not an id", key)
		}
		a.ID = int32(id)
		tokens = append(tokens, a)
	}
	slices.SortFunc(tokens, func(a, b AddedToken) int { return cmp.Compare(a.ID, b.ID) })
	return tokens, nil
}
