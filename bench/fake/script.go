package fake

import (
	"slices"

	"focus/rollout"
)

// Reply is what a server says to one request.
type Reply struct {
	Tokens []rollout.TokenID
	// Logprobs has one entry per id; empty means that the server makes them up
	// such that a later score of the same ids agrees.
	Logprobs []float32
	// Finish, when empty, follows from the ids: they are cut after the first
	// stop id or at the cap, whichever comes first. A script that sets it is
	// believed as it is.
	Finish rollout.Finish
	// Cached is how many ids of the prompt were in the prefix cache; 0 leaves
	// it out.
	Cached int

	start law
}

// after is the fake model once it has seen the prompt.
func (rep *Reply) after(prompt []rollout.TokenID) law {
	l := rep.start
	for _, id := range prompt {
		l.see(id)
	}
	return l
}

// Script writes the reply to r into out: it appends to the slices there, which
// are empty and have room, or puts its own in their place. It must be safe for
// concurrent use and depend on r alone, and it may not keep r or out.
type Script func(r *Request, out *Reply)

// Chain is the reply of invariant 2, with mean ids on average.
func Chain(mean int) Script {
	return func(r *Request, out *Reply) {
		var noise uint64
		if r.Temperature > 0 {
			noise = uint64(r.Seed)<<1 | 1
		}
		l := out.after(r.Prompt)
		for range r.MaxTokens {
			id := l.next(noise, uint64(max(mean, 1)))
			out.Tokens = append(out.Tokens, id)
			out.Logprobs = append(out.Logprobs, l.logprob(id))
			if r.stops(id) {
				return
			}
			l.see(id)
		}
	}
}

// Steady always says the same n ids, of which the last is the server's end id.
// It looks at nothing, which is what a benchmark wants.
func Steady(n int) Script {
	return func(r *Request, out *Reply) {
		for i := range n - 1 {
			id := rollout.TokenID(100 + i%1000)
			if id == r.eos {
				id--
			}
			out.Tokens = append(out.Tokens, id)
			out.Logprobs = append(out.Logprobs, -0.5)
		}
		out.Tokens = append(out.Tokens, r.eos)
		out.Logprobs = append(out.Logprobs, -0.25)
	}
}

// Say replies with the ids that f returns for a prompt.
func Say(f func(prompt []rollout.TokenID) []rollout.TokenID) Script {
	return func(r *Request, out *Reply) { out.Tokens = append(out.Tokens, f(r.Prompt)...) }
}

// settle completes a reply: cut it as a server would, and score what has no
// logprobs.
func (rep *Reply) settle(r *Request) {
	if rep.Finish == "" {
		rep.Finish = rollout.FinishLength
		if i := slices.IndexFunc(rep.Tokens, r.stops); i >= 0 && i < r.MaxTokens {
			rep.Finish = rollout.FinishStop
			rep.cut(i + 1)
		}
		rep.cut(r.MaxTokens)
	}
	if len(rep.Logprobs) > 0 {
		return
	}
	l := rep.after(r.Prompt)
	for _, id := range rep.Tokens {
		rep.Logprobs = append(rep.Logprobs, l.logprob(id))
		l.see(id)
	}
}

func (rep *Reply) cut(n int) {
	rep.Tokens = rep.Tokens[:min(n, len(rep.Tokens))]
	rep.Logprobs = rep.Logprobs[:min(n, len(rep.Logprobs))]
}
