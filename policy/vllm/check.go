package vllm

import (
	"fmt"
	"slices"

	"focus/policy"
	"focus/rollout"
)

// A sampled id's logprob lies in (unknownLogprob, certainty]: vLLM writes -9999
// where it has none, and rounding may leave a certain id a little above zero.
const (
	unknownLogprob = -1000
	certainty      = 1e-6
)

// needIDs is what to do about a server without token ids.
const needIDs = "use vLLM 0.10.2 or newer, which has return_token_ids"

// piece is a reply that was checked.
type piece struct {
	ids      []rollout.TokenID
	logprobs []float32
	finish   rollout.Finish
	matched  rollout.TokenID
	cached   int
}

// check believes a reply or says what is wrong with it. The piece shares
// nothing with the reply.
func check(r *reply, o *order) (piece, error) {
	ids, err := r.sampled()
	if err == nil {
		err = r.counts(o, len(ids))
	}
	if err == nil {
		err = r.echo(o)
	}
	if err == nil {
		err = r.scored(ids)
	}
	if err != nil {
		return piece{}, err
	}
	p := piece{ids: slices.Clone(ids), logprobs: slices.Clone(r.logprobs), cached: r.cached}
	p.finish, p.matched, err = r.ending(o, ids)
	return p, err
}

// sampled is the ids of the reply, from whichever place has them.
func (r *reply) sampled() ([]rollout.TokenID, error) {
	switch {
	case r.choices != 1:
		return nil, fmt.Errorf("%d choices for one prompt", r.choices)
	case r.hasIDs && r.hasNames && !slices.Equal(r.ids, r.names):
		return nil, fmt.Errorf("token_ids has %d ids and logprobs names %d others; was a filter or a proxy put in between?", len(r.ids), len(r.names))
	case r.hasIDs:
		return r.ids, nil
	case r.hasNames:
		return r.names, nil
	}
	return nil, fmt.Errorf("no token ids in the reply: %s", needIDs)
}

// counts compares with usage.
func (r *reply) counts(o *order, n int) error {
	switch {
	case r.promptTokens < 0 || r.completionTokens < 0:
		return fmt.Errorf("no usage in the reply, so its ids cannot be counted")
	case r.completionTokens != n:
		return fmt.Errorf("%d ids in the reply, usage says %d", n, r.completionTokens)
	case r.promptTokens != o.prompt.Len():
		return fmt.Errorf("usage says %d prompt ids, %d were sent: %w", r.promptTokens, o.prompt.Len(), policy.ErrEcho)
	}
	return nil
}

// echo compares the prompt the server says it saw, when it was asked for.
func (r *reply) echo(o *order) error {
	if !o.echo {
		return nil
	}
	if !r.hasPrompt {
		return fmt.Errorf("no prompt_token_ids in the reply: %s", needIDs)
	}
	if len(r.prompt) != o.prompt.Len() {
		return fmt.Errorf("the server saw %d prompt ids, %d were sent: %w", len(r.prompt), o.prompt.Len(), policy.ErrEcho)
	}
	at := 0
	for part := range o.prompt.Chunks() {
		if !slices.Equal(part, r.prompt[at:at+len(part)]) {
			for i, id := range part {
				if r.prompt[at+i] != id {
					return fmt.Errorf("prompt id %d was sent as %d and seen as %d: %w", at+i, id, r.prompt[at+i], policy.ErrEcho)
				}
			}
		}
		at += len(part)
	}
	return nil
}

// scored checks that each id has a logprob that can be one.
func (r *reply) scored(ids []rollout.TokenID) error {
	if !r.hasLogprobs && len(ids) > 0 {
		return fmt.Errorf("no logprobs in the reply: the server must answer `logprobs: 0`")
	}
	if len(r.logprobs) != len(ids) {
		return fmt.Errorf("%d ids and %d logprobs", len(ids), len(r.logprobs))
	}
	for i, lp := range r.logprobs {
		if !known(lp) {
			return fmt.Errorf("logprob of id %d at %d is unknown (%v)", ids[i], i, lp)
		}
	}
	return nil
}

// known is written so that NaN is not.
func known(lp float32) bool { return lp > unknownLogprob && lp <= certainty }

// ending reads the finish and holds it against the cap and the last id.
func (r *reply) ending(o *order, ids []rollout.TokenID) (rollout.Finish, rollout.TokenID, error) {
	n := len(ids)
	if early := slices.IndexFunc(ids[:max(n-1, 0)], func(id rollout.TokenID) bool { return slices.Contains(o.law.StopIDs, id) }); early >= 0 {
		return "", -1, fmt.Errorf("id %d at %d of %d is a stop id and did not stop the reply: the server ignores stop_token_ids", ids[early], early, n)
	}
	if n > o.max {
		return "", -1, fmt.Errorf("%d ids, %d were allowed", n, o.max)
	}
	switch finish := rollout.Finish(r.finish); {
	case finish == rollout.FinishAbort:
		return finish, -1, nil
	case n == 0:
		return "", -1, fmt.Errorf("finish %q without an id", r.finish)
	case finish == rollout.FinishStop && r.stop == stopByText:
		return "", -1, fmt.Errorf("stopped by a stop string and none was sent; does the server set stop strings of its own?")
	case finish == rollout.FinishStop && r.stop == stopByID && r.stopID != ids[n-1]:
		return "", -1, fmt.Errorf("stopped by id %d and the last id is %d: the server cuts the stop id off", r.stopID, ids[n-1])
	case finish == rollout.FinishStop:
		return finish, ids[n-1], nil
	case finish == rollout.FinishLength && n != o.max:
		return "", -1, fmt.Errorf("finish length with %d of %d ids", n, o.max)
	case finish == rollout.FinishLength && slices.Contains(o.law.StopIDs, ids[n-1]):
		return "", -1, fmt.Errorf("finish length on stop id %d", ids[n-1])
	case finish == rollout.FinishLength:
		return finish, -1, nil
	}
	return "", -1, fmt.Errorf("finish %q is not known", r.finish)
}
