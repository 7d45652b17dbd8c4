package serve

import (
	"net/http"

	"focus/rollout"
)

func (s *Server) health(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

func (s *Server) version(w http.ResponseWriter, _ *http.Request) {
	s.write(w, http.StatusOK, map[string]string{"version": s.config.Version})
}

// modelCard is one entry of /v1/models.
type modelCard struct {
	ID          string   `json:"id"`
	Object      string   `json:"object"`
	Created     int64    `json:"created"`
	OwnedBy     string   `json:"owned_by"`
	Root        string   `json:"root"`
	Parent      *string  `json:"parent"`
	MaxModelLen int      `json:"max_model_len"`
	Permission  []string `json:"permission"`
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	card := modelCard{
		ID: s.config.Model, Object: "model", Created: s.started, OwnedBy: "focus",
		Root: s.config.Model, MaxModelLen: s.config.Window, Permission: []string{},
	}
	s.write(w, http.StatusOK, map[string]any{"object": "list", "data": []modelCard{card}})
}

func (s *Server) tokenize(w http.ResponseWriter, r *http.Request) {
	f := s.body(w, r)
	if f == nil {
		return
	}
	if f.has("messages") {
		s.refuse(w, r, badRequest("messages", "this server renders no messages: send a prompt"))
		return
	}
	if !f.has("prompt") {
		s.refuse(w, r, schemaError("prompt", "prompt is missing"))
		return
	}
	text, pieces := f.text("prompt"), f.flag("return_token_strs")
	if f.err != nil {
		s.refuse(w, r, f.err)
		return
	}
	ids, err := s.config.Tokenizer.Encode(text)
	if err != nil {
		s.refuse(w, r, badRequest("prompt", "encode prompt: %s", err))
		return
	}
	out := struct {
		Count       int               `json:"count"`
		MaxModelLen int               `json:"max_model_len"`
		Tokens      []rollout.TokenID `json:"tokens"`
		TokenStrs   []string          `json:"token_strs"`
	}{Count: len(ids), MaxModelLen: s.config.Window, Tokens: append([]rollout.TokenID{}, ids...)}
	if pieces {
		out.TokenStrs = make([]string, len(ids))
		for i, id := range ids {
			out.TokenStrs[i] = s.piece(id)
		}
	}
	s.write(w, http.StatusOK, out)
}

// piece shows an id as its vocabulary entry, or as text when there is no entry
// to show.
func (s *Server) piece(id rollout.TokenID) string {
	if p, ok := s.config.Tokenizer.(Pieces); ok {
		return p.Piece(id)
	}
	return s.config.Tokenizer.Decode([]rollout.TokenID{id})
}

func (s *Server) detokenize(w http.ResponseWriter, r *http.Request) {
	f := s.body(w, r)
	if f == nil {
		return
	}
	ids := f.ids("tokens")
	if !f.has("tokens") {
		f.err = schemaError("tokens", "tokens is missing")
	}
	if f.err != nil {
		s.refuse(w, r, f.err)
		return
	}
	s.write(w, http.StatusOK, map[string]string{"prompt": s.config.Tokenizer.Decode(ids)})
}
