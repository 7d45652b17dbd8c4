package serve

import (
	"slices"

	"focus/rollout"
)

// checkSampling refuses laws that cannot be drawn from, and puts the rest in
// the form a backend is promised.
func (s *Server) checkSampling(o *order) *apiError {
	sp := &o.sampling
	switch {
	case o.n < 1:
		return badRequest("n", "n must be at least 1, got %d", o.n)
	case sp.Temperature < 0 || sp.Temperature > 2:
		return badRequest("temperature", "temperature must be in [0, 2], got %g", sp.Temperature)
	case sp.TopP <= 0 || sp.TopP > 1:
		return badRequest("top_p", "top_p must be in (0, 1], got %g", sp.TopP)
	case sp.TopK < -1:
		return badRequest("top_k", "top_k must be -1, 0 or more, got %d", sp.TopK)
	case sp.MinP < 0 || sp.MinP > 1:
		return badRequest("min_p", "min_p must be in [0, 1], got %g", sp.MinP)
	case sp.Temperature == 0 && o.n > 1:
		return badRequest("n", "n must be 1 when sampling is greedy, got %d", o.n)
	case o.minTokens < 0:
		return badRequest("min_tokens", "min_tokens must not be negative, got %d", o.minTokens)
	case o.minTokens > 0 && !s.config.MinTokens:
		return badRequest("min_tokens", "min_tokens is not supported by this server")
	case o.logprobs > s.config.MaxAlternatives:
		return badRequest("logprobs", "logprobs beyond %d alternatives are not available here", s.config.MaxAlternatives)
	case (o.promptLogprobs || o.echo && o.logprobs >= 0) && s.scorer == nil && !o.stream.on:
		return badRequest("prompt_logprobs", "this server cannot score a prompt")
	case o.echo && o.logprobs > 0:
		return badRequest("logprobs", "echo comes with the logprobs of the prompt's own ids only: send logprobs 0")
	case o.echo && o.stream.on:
		return badRequest("echo", "echo with stream is not supported by this server")
	case o.n > s.gate.bound || o.total() > s.gate.bound:
		return badRequest("n", "%d prompts with n %d are more than this server ever takes (%d)", len(o.prompts), o.n, s.gate.bound)
	}
	for _, id := range sp.StopIDs {
		if int(id) >= s.config.Vocab {
			return badRequest("stop_token_ids", "stop token id %d is out of vocabulary", id)
		}
	}
	if sp.TopK == -1 {
		sp.TopK = 0
	}
	switch {
	case sp.Temperature == 0:
		sp.TopP, sp.TopK, sp.MinP = 1, 0, 0
	case sp.Temperature < 0.01:
		sp.Temperature = 0.01
	}
	if !o.ignoreEOS {
		sp.StopIDs = append(slices.Clone(s.config.EOS), sp.StopIDs...)
	}
	sp.StopIDs = slices.Compact(slices.Sorted(slices.Values(sp.StopIDs)))
	return nil
}

// checkRoom compares caps and prompts with the window.
func (s *Server) checkRoom(o *order) *apiError {
	window, wanted := s.config.Window, o.sampling.MaxTokens
	switch {
	case wanted == 0 && o.echo && !o.stream.on:
		o.scoreOnly, o.sampling.MaxTokens = true, 1
	case wanted < 1:
		return badRequest("max_tokens", "max_tokens must be at least 1, got %d", wanted)
	case wanted > window:
		return badRequest("max_tokens", "max_tokens is %d, the context length is %d", wanted, window)
	}
	if o.minTokens > o.sampling.MaxTokens {
		return badRequest("min_tokens", "min_tokens must not exceed max_tokens=%d, got %d", o.sampling.MaxTokens, o.minTokens)
	}
	for _, p := range o.prompts {
		switch {
		case len(p) > window:
			return badRequest("input_tokens", "the context length is %d tokens and the prompt has %d input tokens", window, len(p))
		case len(p) == window:
			return badRequest("max_tokens", "max_tokens must be at least 1, got 0")
		}
	}
	return nil
}

// request is what the backend is asked for choice i of the order.
func (s *Server) request(o *order, i int) Request {
	prompt := o.prompts[i/o.n]
	r := Request{Prompt: prompt, Sampling: o.sampling, MinTokens: o.minTokens, Alternatives: max(o.logprobs, 0)}
	r.Sampling.MaxTokens = min(r.Sampling.MaxTokens, s.config.Window-len(prompt))
	r.MinTokens = min(r.MinTokens, r.Sampling.MaxTokens)
	if o.seeded {
		r.Sampling.Seed += int64(i % o.n)
	} else {
		r.Sampling.Seed = randomSeed()
	}
	return r
}

// stopReason is null for the primary end id and the id for any other.
func (s *Server) stopReason(o *order, rep Reply) *rollout.TokenID {
	if rep.Finish != rollout.FinishStop || len(rep.Tokens) == 0 {
		return nil
	}
	last := rep.Tokens[len(rep.Tokens)-1].ID
	if len(s.config.EOS) > 0 && last == s.config.EOS[0] && !o.ignoreEOS {
		return nil
	}
	return &last
}
