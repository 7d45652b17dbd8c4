package vllm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"focus/policy"
	"focus/rollout"
)

// probeTime bounds one question of the probe.
const probeTime = time.Minute

// Probe asks the server what it is and what it can do, and writes the sheet.
// Its error is one line: the address, what was seen, what to do. The server
// must be up; Probe does not wait for it to start.
func (p *Policy) Probe(ctx context.Context) error {
	s := &Sheet{}
	for _, step := range []func(context.Context, *Sheet) error{
		p.probeModels, p.probeNames, p.probeTokenizer, p.probeReply, p.probeStop, p.probeMode, p.probeScore, p.probeAbort,
	} {
		if err := p.step(ctx, s, step); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("vllm server %s: %w", p.cfg.URL, err)
		}
	}
	return nil
}

// step asks one question. What was found so far is in force for the next.
func (p *Policy) step(ctx context.Context, s *Sheet, ask func(context.Context, *Sheet) error) error {
	limited, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	err := ask(limited, s)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return fmt.Errorf("no answer within %s; is the server paused or still loading?", probeTime)
	}
	found := *s
	p.sheet.Store(&found)
	return err
}

// probePrompt is a fixed short conversation.
func (p *Policy) probePrompt() (rollout.Tokens, error) {
	prompt, err := p.Prepare([]rollout.Message{rollout.User("Count: 1 2 3")}, nil)
	return prompt.Tokens, err
}

// ask sends one order of the probe and checks the reply.
func (p *Policy) ask(ctx context.Context, o *order, read reader) (piece, error) {
	o.id = fmt.Sprintf("%s-probe%d", p.nonce, p.calls.Add(1))
	n := p.version.Load()
	out, _, err := p.exchange(ctx, o, n.salt)
	if err != nil {
		return piece{}, bare(err)
	}
	defer out.release()
	var r reply
	if err := r.parse(out.b); err != nil {
		return piece{}, fmt.Errorf("%w; is it a vLLM server?", err)
	}
	return read(&r, o)
}

// bare is an error of a request without the server's name, which the probe says
// itself.
func bare(err error) error {
	e, ok := errors.AsType[*policy.Error](err)
	if !ok {
		return err
	}
	switch {
	case e.Kind == policy.KindUnreachable:
		return fmt.Errorf("no server answers (%w); start it or correct url", e.Err)
	case e.Status != 0:
		return fmt.Errorf("answers %d to a short completion: %s", e.Status, e.Detail)
	}
	return fmt.Errorf("%s: %s", e.Kind, e.Detail)
}

// greedy is a law without chance.
func greedy(stops ...rollout.TokenID) rollout.SamplingParams {
	sp := rollout.DefaultSampling()
	sp.Temperature, sp.Seed, sp.StopIDs = 0, 1, stops
	return sp
}

// probeReply checks a short reply in the form that the first calls of a run
// have: with the ids, the logprobs and the echo.
func (p *Policy) probeReply(ctx context.Context, s *Sheet) error {
	prompt, err := p.probePrompt()
	if err != nil {
		return err
	}
	if prompt.Len() >= s.Window {
		return fmt.Errorf("the window is %d ids and the probe's prompt has %d: too small to work with; check --max-model-len and window", s.Window, prompt.Len())
	}
	_, err = p.ask(ctx, &order{prompt: prompt, law: greedy(), max: min(4, s.Window-prompt.Len()), echo: true}, check)
	return err
}

// probeStop checks that a stop id ends the reply and is in it, and finds out
// whether ids come without the echo.
func (p *Policy) probeStop(ctx context.Context, s *Sheet) error {
	prompt, err := p.probePrompt()
	if err != nil {
		return err
	}
	first, err := p.ask(ctx, &order{prompt: prompt, law: greedy(), max: 1, echo: true}, check)
	if err != nil {
		return err
	}
	named := func(r *reply, o *order) (piece, error) {
		s.NamesIDs = r.hasNames
		if !r.hasIDs && !r.hasNames {
			return piece{}, nil // ids come with the echo only
		}
		return check(r, o)
	}
	if _, err := p.ask(ctx, &order{prompt: prompt, law: greedy(), max: 1}, named); err != nil {
		return err
	}
	// The greedy id comes again, so as a stop id it must end the reply.
	o := &order{prompt: prompt, law: greedy(first.ids...), max: min(4, s.Window-prompt.Len()), echo: true}
	got, err := p.ask(ctx, o, check)
	if err != nil {
		return err
	}
	if slices.Equal(got.ids, first.ids) && got.finish != rollout.FinishStop {
		return fmt.Errorf("stop id %d ended a reply with finish %s: the server ignores stop_token_ids", first.ids[0], got.finish)
	}
	return nil
}

// probeScore finds out whether the server scores.
func (p *Policy) probeScore(ctx context.Context, s *Sheet) error {
	prompt, err := p.probePrompt()
	if err != nil {
		return err
	}
	sp := rollout.DefaultSampling()
	sp.Seed = 1
	_, err = p.ask(ctx, &order{prompt: prompt, law: sp, score: true}, checkScore)
	if errors.Is(err, policy.ErrEcho) {
		return err
	}
	s.Score = err == nil
	return nil
}
