package fake

import (
	"net/http"

	"focus/rollout"
)

// reply writes the completion, bent by rule when there is one.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, sc *scratch, rule *Rule) {
	req, a := &sc.req, &sc.answer
	a.reply = Reply{
		Tokens: make([]rollout.TokenID, 0, min(req.MaxTokens, 64)), Logprobs: make([]float32, 0, min(req.MaxTokens, 64)),
		start: law{h: scramble(s.config.Seed + 1), vocab: uint64(s.config.Vocab), eos: s.config.EOS},
	}
	s.config.Script(req, &a.reply)
	a.reply.settle(req)
	a.honest(s.config.Model, req)
	var fault Fault
	if rule != nil {
		fault = rule.Fault
		a.bend(fault)
	}
	if req.Stream || fault == Streams {
		s.stream(w, r, sc)
		return
	}
	s.wait(r.Context(), s.config.Latency.of(req, len(a.reply.Tokens)))
	sc.out = a.append(sc.out[:0])
	switch fault {
	case ResetDuring:
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(sc.out[:len(sc.out)/2])
		_ = http.NewResponseController(w).Flush()
		reset(w)
		return
	case StallDuring:
		_, _ = w.Write(sc.out[:len(sc.out)/2])
		_ = http.NewResponseController(w).Flush()
		s.stall(r.Context())
	case CutJSON:
		sc.out = sc.out[:len(sc.out)/2]
	}
	s.count(a)
	send(w, http.StatusOK, sc.out)
}

// count is called before the last byte leaves: who has read a reply finds it
// counted.
func (s *Server) count(a *answer) {
	s.counters.answered.Add(1)
	s.counters.prompt.Add(int64(len(a.req.Prompt)))
	s.counters.sampled.Add(int64(len(a.reply.Tokens)))
}
