package fake

import (
	"encoding/json"
	"io"
	"net/http"

	"focus/rollout"
)

// utility answers the routes that are not hot.
func (s *Server) utility(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/models":
		s.json(w, map[string]any{"object": "list", "data": []any{map[string]any{
			"id": s.config.Model, "object": "model", "created": 1700000000, "owned_by": "vllm",
			"root": s.config.Model, "parent": nil, "max_model_len": s.config.Window, "permission": []any{},
		}}})
	case "/version":
		s.json(w, map[string]string{"version": "0.32.0"})
	case "/stats":
		s.json(w, s.Stats())
	case "/abort_requests", "/inference/v1/abort_requests":
		s.counters.aborts.Add(1)
		s.json(w, map[string]any{"status": "aborted", "aborted": 1})
	case "/tokenize":
		var in struct{ Prompt string }
		if !s.decode(w, r, &in) {
			return
		}
		ids := s.config.Encode(in.Prompt)
		s.json(w, map[string]any{"count": len(ids), "max_model_len": s.config.Window, "tokens": ids, "token_strs": nil})
	case "/detokenize":
		var in struct{ Tokens []rollout.TokenID }
		if !s.decode(w, r, &in) {
			return
		}
		var text []byte
		for _, id := range in.Tokens {
			if id >= 0 && id < 256 {
				text = append(text, byte(id))
			}
		}
		s.json(w, map[string]string{"prompt": string(text)})
	default:
		send(w, http.StatusNotFound, []byte(`{"detail":"Not Found"}`))
	}
}

func (s *Server) decode(w http.ResponseWriter, r *http.Request, v any) bool {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	if err != nil {
		s.refuse(w, http.StatusBadRequest, "Bad Request", "body", err.Error())
	}
	return err == nil
}

func (s *Server) json(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, "InternalServerError", "", err.Error())
		return
	}
	send(w, http.StatusOK, body)
}
