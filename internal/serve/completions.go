package serve

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"

	"focus/rollout"
)

// completions answers POST /v1/completions.
func (s *Server) completions(w http.ResponseWriter, r *http.Request) {
	f := s.body(w, r)
	if f == nil {
		return
	}
	o, bad := s.read(f)
	if bad != nil {
		s.refuse(w, r, bad)
		return
	}
	if o.id = requestID(r, f); f.err != nil {
		s.refuse(w, r, f.err)
		return
	}
	if !s.gate.enter(o.total()) {
		s.metrics.rejected.WithLabelValues("max_num_queued_reqs").Add(float64(o.total()))
		s.refuse(w, r, overloaded("the queue is full"))
		return
	}
	if o.stream.on {
		s.stream(w, r, o)
		return
	}
	results, err := s.generate(r.Context(), o, nil)
	if err != nil {
		s.refuse(w, r, s.blame(r.Context(), err))
		return
	}
	s.write(w, http.StatusOK, s.assemble(o, results))
}

// blame says what an error of a sequence is to the client.
func (s *Server) blame(ctx context.Context, err error) *apiError {
	if ctx.Err() != nil {
		return overloaded("the request was cancelled")
	}
	s.config.Log.Error("generate", "error", err)
	return internal(err)
}

// requestID is the client's own, the header first, or a random one.
func requestID(r *http.Request, f *fields) string {
	if id := r.Header.Get("X-Request-Id"); id != "" {
		return "cmpl-" + id
	}
	if id := f.text("request_id"); id != "" {
		return "cmpl-" + id
	}
	return "cmpl-" + rand.Text()
}

// result is what became of one sequence.
type result struct {
	reply Reply
	// scores are the prompt's own logprobs, on the first choice of a prompt
	// that wants them.
	scores []float32
}

// generate runs every sequence of o, prompt-major, and waits for all of them;
// the first that fails ends the others. sink, when not nil, is told each token.
func (s *Server) generate(ctx context.Context, o *order, sink func(int, Token)) ([]result, error) {
	results := make([]result, o.total())
	group, ctx := errgroup.WithContext(ctx)
	for i := range results {
		group.Go(func() (err error) {
			defer s.gate.leave()
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("backend panicked: %v", p)
				}
			}()
			results[i], err = s.sequence(ctx, o, i, sink)
			return err
		})
	}
	return results, group.Wait()
}

func (s *Server) sequence(ctx context.Context, o *order, i int, sink func(int, Token)) (result, error) {
	var res result
	start := s.config.Now()
	req := s.request(o, i)
	first := true
	req.OnToken = func(t Token) {
		if first {
			first = false
			s.metrics.firstToken.Observe(s.config.Now().Sub(start).Seconds())
		}
		if sink != nil {
			sink(i, t)
		}
	}
	err := s.gate.run(ctx, func() error {
		s.metrics.queued.Observe(s.config.Now().Sub(start).Seconds())
		var err error
		if i%o.n == 0 && o.scores() {
			if res.scores, err = s.scorer.Score(ctx, rollout.Tokens{}, req.Prompt); err != nil {
				return fmt.Errorf("score prompt: %w", err)
			}
			if len(res.scores) != len(req.Prompt) {
				return fmt.Errorf("score prompt: %d logprobs for %d ids", len(res.scores), len(req.Prompt))
			}
		}
		res.reply, err = s.backend.Generate(ctx, req)
		return err
	})
	if err == nil {
		err = check(req, res.reply)
	}
	if err != nil {
		return res, err
	}
	s.metrics.finished(len(req.Prompt), res.reply, s.config.Now().Sub(start))
	return res, nil
}

// scores reports whether the prompt's own logprobs are part of the reply.
func (o *order) scores() bool {
	return !o.stream.on && (o.promptLogprobs || o.echo && o.logprobs >= 0)
}

// check holds a backend to its word.
func check(req Request, rep Reply) error {
	if len(rep.Tokens) > req.Sampling.MaxTokens {
		return fmt.Errorf("backend sampled %d ids, asked for at most %d", len(rep.Tokens), req.Sampling.MaxTokens)
	}
	for i, t := range rep.Tokens {
		if math.IsNaN(float64(t.Logprob)) {
			return fmt.Errorf("backend gave no logprob for id %d at %d", t.ID, i)
		}
	}
	if rep.Finish != rollout.FinishStop {
		return nil
	}
	if n := len(rep.Tokens); n == 0 || !slices.Contains(req.Sampling.StopIDs, rep.Tokens[n-1].ID) {
		return fmt.Errorf("backend stopped without a stop id")
	}
	return nil
}
