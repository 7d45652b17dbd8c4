package vllm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"focus/policy"
	"focus/rollout"
)

// Score is the logprob of each of ids under the present weights, given prefix
// and the ids before it, at temperature 1 without truncation. The server reads
// the whole sequence anew: its prefix cache is not used for this.
func (p *Policy) Score(ctx context.Context, prefix rollout.Tokens, ids []rollout.TokenID) ([]float32, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	whole := prefix.Append(ids...)
	// The server samples one id after the prompt, so there must be room for it.
	if window := p.Window(); window > 0 && whole.Len() >= window {
		return nil, &policy.Error{Kind: policy.KindRefused, Server: p.name, Err: policy.ErrContextFull,
			Detail: fmt.Sprintf("score %d ids in a window of %d", whole.Len(), window)}
	}
	if err := p.enter(ctx); err != nil {
		return nil, err
	}
	defer p.leave()
	g := p.generation(ctx, whole, rollout.DefaultSampling())
	part, err := g.insist(ctx, &order{prompt: whole, law: g.law, score: true, session: g.origin.Session}, checkScore)
	if err != nil {
		return nil, err
	}
	return part.logprobs[prefix.Len():], nil
}

// checkScore reads the logprobs of an echoed prompt. The id that the server
// samples besides has none, and is not looked at.
func checkScore(r *reply, o *order) (piece, error) {
	n := o.prompt.Len()
	switch {
	case r.choices != 1:
		return piece{}, fmt.Errorf("%d choices for one prompt", r.choices)
	case !r.hasLogprobs || !r.hasNames:
		return piece{}, fmt.Errorf("no logprobs by token id for the echoed prompt: the server cannot score")
	case len(r.logprobs) < n || len(r.names) < n:
		return piece{}, fmt.Errorf("%d ids and %d logprobs echoed for a prompt of %d", len(r.names), len(r.logprobs), n)
	case !slices.Equal(r.names[:n], o.prompt.Slice()):
		return piece{}, fmt.Errorf("the scored ids are not the ones sent: %w", policy.ErrEcho)
	}
	scores := slices.Clone(r.logprobs[:n])
	for i, lp := range scores[1:] {
		if !known(lp) {
			return piece{}, fmt.Errorf("logprob of id %d at %d is unknown (%v)", r.names[i+1], i+1, lp)
		}
	}
	scores[0] = float32(math.NaN())
	return piece{logprobs: scores}, nil
}
