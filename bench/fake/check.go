package fake

import (
	"fmt"
	"net/http"
)

// refusal is a reply with a status.
type refusal struct {
	status               int
	kind, param, message string
}

// check refuses what vLLM refuses, and sets the cap to what the window allows.
func (s *Server) check(r *Request) *refusal {
	bad := func(param, format string, args ...any) *refusal {
		return &refusal{status: http.StatusBadRequest, kind: "BadRequestError", param: param, message: fmt.Sprintf(format, args...)}
	}
	window, n := s.config.Window, len(r.Prompt)
	switch {
	case r.Model != "" && r.Model != s.config.Model:
		return &refusal{status: http.StatusNotFound, kind: "NotFoundError", param: "model",
			message: fmt.Sprintf("The model `%s` does not exist.", r.Model)}
	case r.choices != 1:
		return bad("n", "this server gives one choice per request, got n=%d", r.choices)
	case n == 0:
		return bad("", "prompt is empty")
	case r.Wanted < 1 && !(r.Echo && r.Wanted == 0):
		return bad("max_tokens", "max_tokens must be at least 1, got %d", r.Wanted)
	case r.Wanted > window:
		return bad("max_tokens", "max_tokens is %d, the context length is %d", r.Wanted, window)
	case n > window:
		return bad("input_tokens", "the context length is %d tokens and the prompt has %d input tokens", window, n)
	case n == window:
		return bad("max_tokens", "max_tokens must be at least 1, got 0")
	case n+r.Wanted > window && s.config.Overflow == Refuse:
		return bad("input_tokens", "the context length is %d tokens; %d of the prompt and %d of the reply were asked for", window, n, r.Wanted)
	}
	for _, id := range r.Prompt {
		if int(id) >= s.config.Vocab {
			return bad("", "token id %d is out of vocabulary", id)
		}
	}
	for _, id := range r.StopIDs {
		if int(id) >= s.config.Vocab {
			return bad("stop_token_ids", "stop token id %d is out of vocabulary", id)
		}
	}
	r.MaxTokens = min(max(r.Wanted, 1), window-n)
	return nil
}

// refuse answers with a status in vLLM's shape.
func (s *Server) refuse(w http.ResponseWriter, status int, kind, param, message string) {
	s.counters.refused.Add(1)
	send(w, status, appendError(nil, status, kind, param, message))
}

func appendError(b []byte, status int, kind, param, message string) []byte {
	b = appendString(append(b, `{"error":{"message":`...), message)
	b = appendString(append(b, `,"type":`...), kind)
	b = append(b, `,"param":`...)
	if param == "" {
		b = append(b, `null`...)
	} else {
		b = appendString(b, param)
	}
	return fmt.Appendf(b, `,"code":%d}}`, status)
}
