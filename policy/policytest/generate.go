package policytest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"focus/policy"
	"focus/rollout"
)

func prepares(t *testing.T, pol policy.Policy) {
	messages, tools := conversation()
	before := fmt.Sprintf("%q %q", messages, tools)
	p := prepare(t, pol)
	require.Equal(t, len(messages), p.Covers, "messages covered")
	require.False(t, p.Exact, "a prompt for a new turn is not the continuation of a reply")
	require.False(t, p.Rewrote, "nothing was there to rewrite")
	require.Equal(t, before, fmt.Sprintf("%q %q", messages, tools), "the arguments after Prepare")
	require.True(t, p.Tokens.Equal(prepare(t, pol).Tokens), "the same conversation prepared twice")
	if _, ok := pol.(policy.ExactTokens); ok {
		require.Positive(t, p.Tokens.Len())
	}
}

func replies(t *testing.T, pol policy.Policy) {
	p := prepare(t, pol)
	for i := range 4 {
		generate(t, pol, p, law(pol, 16, "replies", fmt.Sprint(i)))
	}
	greedy := law(pol, 16)
	greedy.Temperature = 0
	generate(t, pol, p, greedy)
	cut := law(pol, 16, "cut")
	cut.Temperature, cut.TopP, cut.TopK, cut.MinP = 0.7, 0.9, 20, 0.01
	generate(t, pol, p, cut)
}

func capOfOne(t *testing.T, pol policy.Policy) {
	c := generate(t, pol, prepare(t, pol), law(pol, 1))
	require.Len(t, c.Tokens, 1)
}

func stops(t *testing.T, pol policy.Policy) {
	if _, ok := pol.(policy.Reproducible); !ok {
		t.Skip("the policy does not declare reproducible replies, so no id is sure to come again")
	}
	p, sp := prepare(t, pol), law(pol, 8, "stops")
	first := generate(t, pol, p, sp).Tokens[0]
	sp.StopIDs = append(sp.StopIDs, first)
	c := generate(t, pol, p, sp)
	require.Equal(t, rollout.FinishStop, c.Finish)
	require.Equal(t, []rollout.TokenID{first}, c.Tokens, "the stop id ends the reply and is part of it")
}

func refuses(t *testing.T, pol policy.Policy) {
	p := prepare(t, pol)
	for name, change := range map[string]func(*rollout.SamplingParams){
		"no room for an id":    func(sp *rollout.SamplingParams) { sp.MaxTokens = 0 },
		"negative cap":         func(sp *rollout.SamplingParams) { sp.MaxTokens = -1 },
		"negative temperature": func(sp *rollout.SamplingParams) { sp.Temperature = -1 },
		"top-p above one":      func(sp *rollout.SamplingParams) { sp.TopP = 1.5 },
		"top-p of zero":        func(sp *rollout.SamplingParams) { sp.TopP = 0 },
		"negative top-k":       func(sp *rollout.SamplingParams) { sp.TopK = -2 },
		"min-p above one":      func(sp *rollout.SamplingParams) { sp.MinP = 2 },
	} {
		sp := law(pol, 4)
		change(&sp)
		c, err := pol.Generate(t.Context(), p, sp)
		require.Error(t, err, "%s was accepted: %+v gave %+v", name, sp, c)
	}
}

// longestWindow bounds the prompts the suite makes up.
const longestWindow = 1 << 14

func fillsWindow(t *testing.T, pol policy.Policy) {
	w, ok := pol.(policy.Window)
	if _, exact := pol.(policy.ExactTokens); !ok || !exact {
		t.Skip("the policy does not declare a window and exact ids")
	}
	window := w.Window()
	require.Positive(t, window)
	if window > longestWindow {
		t.Skipf("a window of %d is too long to fill in a test", window)
	}
	full := rollout.Tokens{}
	for ids := prepare(t, pol).Tokens.Slice(); full.Len() < window; {
		full = full.Append(ids...)
	}
	one := policy.Prompt{Tokens: full.Truncate(window - 1)}
	c := generate(t, pol, one, law(pol, 8, "window"))
	require.Len(t, c.Tokens, 1, "ids in a window with room for one")

	_, err := pol.Generate(t.Context(), policy.Prompt{Tokens: full.Truncate(window)}, law(pol, 8))
	require.ErrorIs(t, err, policy.ErrContextFull)
}

func cancels(t *testing.T, pol policy.Policy) {
	p := prepare(t, pol)
	ctx, cancel := background(t)
	cancel()
	_, err := pol.Generate(ctx, p, law(pol, 4))
	require.ErrorIs(t, err, context.Canceled, "generate under a cancelled context")

	// Cancelled at some moment of the call: a whole reply or the context's error.
	ctx, cancel = background(t)
	var group errgroup.Group
	group.Go(func() error { cancel(); return nil })
	sp := law(pol, 64, "cancelled")
	c, err := pol.Generate(ctx, p, sp)
	require.NoError(t, group.Wait())
	if err == nil {
		err = checkReply(pol, p, sp, c)
		require.NoError(t, err)
		return
	}
	require.ErrorIs(t, err, context.Canceled)
}

func concurrent(t *testing.T, pol policy.Policy) {
	const n = 16
	p := prepare(t, pol)
	got := make([]rollout.Completion, n)
	var group errgroup.Group
	for i := range n {
		group.Go(func() error {
			sp := law(pol, 8, "concurrent", fmt.Sprint(i/2))
			c, err := pol.Generate(t.Context(), p, sp)
			got[i] = c
			return errors.Join(err, func() error {
				if err != nil {
					return nil
				}
				return checkReply(pol, p, sp, c)
			}())
		})
	}
	require.NoError(t, group.Wait())
	if _, ok := pol.(policy.Reproducible); !ok {
		return
	}
	for i := range n {
		alone := generate(t, pol, p, law(pol, 8, "concurrent", fmt.Sprint(i/2)))
		require.Equal(t, alone.Tokens, got[i].Tokens, "request %d among others and alone", i)
		require.Equal(t, alone.Logprobs, got[i].Logprobs, "request %d among others and alone", i)
	}
}

func reproduces(t *testing.T, pol policy.Policy) {
	if _, ok := pol.(policy.Reproducible); !ok {
		t.Skip("the policy does not declare reproducible replies")
	}
	p, sp := prepare(t, pol), law(pol, 24, "seed")
	a, b := generate(t, pol, p, sp), generate(t, pol, p, sp)
	require.Equal(t, a.Tokens, b.Tokens)
	require.Equal(t, a.Logprobs, b.Logprobs)
}

// splits: n ids in one greedy call are k and then the rest.
func splits(t *testing.T, pol policy.Policy) {
	_, exact := pol.(policy.ExactTokens)
	if _, ok := pol.(policy.Reproducible); !ok || !exact {
		t.Skip("the policy does not declare reproducible replies over exact ids")
	}
	p, sp := prepare(t, pol), law(pol, 9)
	sp.Temperature, sp.StopIDs = 0, nil
	whole := generate(t, pol, p, sp)
	for _, k := range []int{1, len(whole.Tokens) / 2} {
		if k < 1 || k >= len(whole.Tokens) {
			continue
		}
		head, tail := sp, sp
		head.MaxTokens, tail.MaxTokens = k, sp.MaxTokens-k
		a := generate(t, pol, p, head)
		b := generate(t, pol, policy.Prompt{Tokens: p.Tokens.Append(a.Tokens...), Covers: p.Covers, Exact: true}, tail)
		require.Equal(t, whole.Tokens, append(a.Tokens, b.Tokens...), "split at %d", k)
		require.InDeltaSlice(t, asFloat64(whole.Logprobs), asFloat64(append(a.Logprobs, b.Logprobs...)), 1e-2, "split at %d", k)
	}
}

func asFloat64(in []float32) []float64 {
	out := make([]float64, len(in))
	for i, v := range in {
		out[i] = float64(v)
	}
	return out
}
