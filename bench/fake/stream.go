package fake

import (
	"net/http"
	"time"

	"focus/rollout"
)

// stream sends the answer in chunks of Config.Chunk ids, each after its share
// of the latency.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, sc *scratch) {
	a := &sc.answer
	whole := a.reply
	finish := a.finish
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	s.wait(r.Context(), s.config.Latency.of(a.req, 0))
	flush := http.NewResponseController(w).Flush
	n := len(whole.Tokens)
	sc.out = sc.out[:0]
	for from := 0; from < n; from += s.config.Chunk {
		to := min(from+s.config.Chunk, n)
		s.wait(r.Context(), time.Duration(to-from)*s.config.Latency.PerToken)
		a.reply.Tokens = whole.Tokens[from:to]
		a.reply.Logprobs = whole.Logprobs[min(from, len(whole.Logprobs)):min(to, len(whole.Logprobs))]
		a.finish = ""
		if to == n && finish != string(rollout.FinishAbort) {
			a.finish = finish
		}
		sc.out = append(a.appendChunk(append(sc.out, "data: "...), from > 0), "\n\n"...)
		if to < n {
			if _, err := w.Write(sc.out); err != nil || flush() != nil {
				return
			}
			sc.out = sc.out[:0]
		}
	}
	a.reply = whole
	if finish == string(rollout.FinishAbort) {
		a.reply.Tokens, a.reply.Logprobs, a.finish = whole.Tokens[:0], whole.Logprobs[:0], finish
		if n > 0 {
			// An abort before the first id is a bare [DONE].
			sc.out = append(a.appendChunk(append(sc.out, "data: "...), true), "\n\n"...)
		}
		a.reply = whole
	}
	s.count(a)
	sc.out = append(sc.out, "data: [DONE]\n\n"...)
	_, _ = w.Write(sc.out) // the client may have left
}

// appendChunk writes one chunk; the prompt comes with the first only.
func (a *answer) appendChunk(b []byte, later bool) []byte {
	b = a.appendHead(b)
	b = append(b, `"choices":[{"index":0,"text":"","finish_reason":`...)
	b = a.appendFinish(b)
	b = append(b, `,"token_ids":`...)
	b = appendIDs(b, a.reply.Tokens, a.noIDs)
	b = append(b, `,"prompt_token_ids":`...)
	if later {
		b = append(b, `null`...)
	} else {
		b = a.appendPrompt(b)
	}
	b = append(b, `,"logprobs":`...)
	b = a.appendLogprobs(b)
	return append(b, `}],"usage":null}`...)
}
