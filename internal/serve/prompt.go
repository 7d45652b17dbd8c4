package serve

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"focus/rollout"
)

// prompts reads the four forms of a prompt: ids, lists of ids, text, texts.
func (s *Server) prompts(f *fields) ([][]rollout.TokenID, *apiError) {
	if !f.has("prompt") {
		return nil, badRequest("prompt", "prompt is missing")
	}
	raw := bytes.TrimSpace(f.raw["prompt"])
	switch raw[0] {
	case '"':
		return s.encodeAll([]json.RawMessage{raw})
	case '[':
	default:
		return nil, schemaError("prompt", "prompt should be ids, lists of ids, a string or strings")
	}
	switch first := bytes.TrimSpace(raw[1:]); first[0] {
	case ']':
		return nil, badRequest("", "prompt is empty")
	case '"':
		var texts []json.RawMessage
		if err := json.Unmarshal(raw, &texts); err != nil {
			return nil, schemaError("prompt", "read prompt: %s", err)
		}
		return s.encodeAll(texts)
	case '[':
		var lists []json.RawMessage
		if err := json.Unmarshal(raw, &lists); err != nil {
			return nil, schemaError("prompt", "read prompt: %s", err)
		}
		return s.idLists(lists)
	}
	return s.idLists([]json.RawMessage{raw})
}

func (s *Server) idLists(lists []json.RawMessage) ([][]rollout.TokenID, *apiError) {
	out := make([][]rollout.TokenID, len(lists))
	for i, raw := range lists {
		ids, bad, ok := looseIDs(raw)
		at := "prompt." + strconv.Itoa(max(bad, 0))
		if !ok {
			return nil, schemaError(at, "prompt should be ids, lists of ids, a string or strings")
		}
		if bad >= 0 {
			return nil, schemaError(at, "id should be between 0 and %d", math.MaxInt32)
		}
		for _, id := range ids {
			if int(id) >= s.config.Vocab {
				return nil, badRequest("", "token id %d is out of vocabulary", id)
			}
		}
		if len(ids) == 0 {
			return nil, badRequest("", "prompt is empty")
		}
		out[i] = ids
	}
	return out, nil
}

func (s *Server) encodeAll(texts []json.RawMessage) ([][]rollout.TokenID, *apiError) {
	if s.config.Tokenizer == nil {
		return nil, badRequest("prompt", "this server has no tokenizer: send the prompt as token ids")
	}
	out := make([][]rollout.TokenID, len(texts))
	for i, raw := range texts {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil || raw[0] != '"' {
			return nil, schemaError("prompt."+strconv.Itoa(i), "prompt should be ids, lists of ids, a string or strings")
		}
		ids, err := s.config.Tokenizer.Encode(text)
		if err != nil {
			return nil, badRequest("prompt", "encode prompt: %s", err)
		}
		if len(ids) == 0 {
			return nil, badRequest("prompt", "prompt is empty")
		}
		out[i] = ids
	}
	return out, nil
}
