package serve

import (
	"fmt"
	"net/http"
	"unicode/utf8"

	"focus/rollout"
)

// event is one step of a stream: some ids of choice i, and how it ended.
type event struct {
	i      int
	tokens []Token
	end    *Reply
}

// stream answers with server-sent events. The status is sent before anything
// is sampled, so a failure after that is an event.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, o *order) {
	var failed error
	box := newMailbox()
	go func() {
		defer box.close()
		failed = s.tell(r, o, box)
	}()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	st := &streamer{server: s, order: o, w: w, choices: make([]choiceStream, o.total())}
	for ev := range box.all() {
		st.send(ev)
	}
	if failed != nil {
		st.data(s.blame(r.Context(), failed))
	} else if o.stream.usage {
		out := s.envelope(o)
		out.Usage = st.usage()
		st.data(out)
	}
	st.raw([]byte("[DONE]"))
}

// tell runs the sequences and puts what they say into box. One id of each is
// held back, so that the event that ends a choice carries an id.
func (s *Server) tell(r *http.Request, o *order, box *mailbox) error {
	sent := make([]int, o.total())
	held := make([][]Token, o.total())
	results, err := s.generate(r.Context(), o, func(i int, t Token) {
		if held[i] != nil {
			sent[i]++
			box.put(event{i: i, tokens: held[i]})
		}
		held[i] = []Token{t}
	})
	if err != nil {
		return err
	}
	for i, res := range results {
		if sent[i] > len(res.reply.Tokens) {
			return fmt.Errorf("backend told %d ids of a reply of %d", sent[i]+1, len(res.reply.Tokens))
		}
		box.put(event{i: i, tokens: res.reply.Tokens[sent[i]:], end: &res.reply})
	}
	return nil
}

// streamer writes the events of one request.
type streamer struct {
	server  *Server
	order   *order
	w       http.ResponseWriter
	choices []choiceStream
	gone    bool
}

// choiceStream is how far a choice has been told.
type choiceStream struct {
	count int
	// offset is the text offset of the next token in logprobs.
	offset int
	// pending are ids whose text is not complete yet.
	pending []rollout.TokenID
}

func (st *streamer) send(ev event) {
	s, o, cs := st.server, st.order, &st.choices[ev.i]
	c := s.choice(o, ev.i, ev.tokens)
	if cs.count > 0 || !o.returnIDs {
		c.PromptTokenIDs = nil
	}
	shown := ev.tokens
	if ev.end != nil {
		c.FinishReason, c.StopReason = &ev.end.Finish, s.stopReason(o, *ev.end)
		if ev.end.Finish == rollout.FinishStop && !o.keepStopText {
			shown = shown[:max(len(shown)-1, 0)]
		}
	}
	for _, t := range shown {
		cs.pending = append(cs.pending, t.ID)
	}
	c.Text = s.text(cs.pending, o)
	if ev.end == nil && !utf8.ValidString(c.Text) {
		c.Text = ""
	} else {
		cs.pending = cs.pending[:0]
	}
	if o.logprobs >= 0 {
		c.Logprobs = s.logprobs(o, ev.tokens, cs.offset)
		for _, name := range c.Logprobs.Tokens {
			cs.offset += utf8.RuneCountInString(name)
		}
	}
	cs.count += len(ev.tokens)
	out := s.envelope(o)
	out.Choices = append(out.Choices, c)
	if o.stream.continuous {
		out.Usage = st.usage()
	}
	st.data(out)
}

// usage counts what has been told so far.
func (st *streamer) usage() *usage {
	u := &usage{}
	for _, p := range st.order.prompts {
		u.PromptTokens += len(p)
	}
	for _, cs := range st.choices {
		u.CompletionTokens += cs.count
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return u
}

func (st *streamer) data(v any) {
	body, err := marshal(v)
	if err != nil {
		st.server.config.Log.Error("encode chunk", "error", err)
		return
	}
	st.raw(body)
}

// raw writes one event. After the first error the client is gone: the request's
// context ends the sequences, and what they still say is dropped.
func (st *streamer) raw(body []byte) {
	if st.gone {
		return
	}
	_, err := st.w.Write(append(append([]byte("data: "), body...), "\n\n"...))
	if err == nil {
		err = http.NewResponseController(st.w).Flush()
	}
	st.gone = err != nil
}
