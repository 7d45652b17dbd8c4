package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

func parseVocab(raw json.RawMessage) ([]entry, error) {
	if isNull(raw) {
		return nil, errors.New("missing")
	}
	r := jsonReader{text: string(raw)}
	if err := r.enter('{', "an object of tokens and ids"); err != nil {
		return nil, err
	}
	var entries []entry
	for !r.end() {
		token, err := r.string()
		if err != nil {
			return nil, err
		}
		id, err := r.id()
		if err != nil {
			return nil, fmt.Errorf("token %q: %w", token, err)
		}
		entries = append(entries, entry{token, id})
	}
	return entries, nil
}

// parseMerges reads merges of either form, "left right" or ["left", "right"].
func parseMerges(raw json.RawMessage, entries []entry) ([]merge, error) {
	ids := make(map[string]int32, len(entries))
	for _, e := range entries {
		ids[e.spelling] = e.id
	}
	r := jsonReader{text: string(raw)}
	if err := r.enter('[', "a list"); err != nil {
		return nil, err
	}
	var merges []merge
	var joined []byte
	for !r.end() {
		left, right, err := r.pair()
		if err != nil {
			return nil, fmt.Errorf("number %d: %w", len(merges), err)
		}
		if strings.HasPrefix(left, "#version") && right == "" {
			continue
		}
		joined = append(append(joined[:0], left...), right...)
		m := merge{}
		var okLeft, okRight, okID bool
		m.left, okLeft = ids[left]
		m.right, okRight = ids[right]
		m.id, okID = ids[string(joined)]
		if !okLeft || !okRight || !okID {
			return nil, fmt.Errorf("number %d: %q and %q: not all of them and their join are in vocab", len(merges), left, right)
		}
		merges = append(merges, m)
	}
	return merges, nil
}

// pair is the next merge. A line that starts with "#version" is left with nothing at
// its right: HF skips it.
func (r *jsonReader) pair() (left, right string, err error) {
	if r.next() != '[' {
		line, err := r.string()
		if err != nil {
			return "", "", err
		}
		if strings.HasPrefix(line, "#version") {
			return line, "", nil
		}
		left, right, ok := strings.Cut(line, " ")
		if !ok || strings.Contains(right, " ") {
			return "", "", fmt.Errorf("%q is not two tokens", line)
		}
		return left, right, nil
	}
	r.at++
	if left, err = r.string(); err != nil {
		return "", "", err
	}
	if right, err = r.string(); err != nil {
		return "", "", err
	}
	if !r.end() {
		return "", "", errors.New("not two tokens")
	}
	return left, right, nil
}
