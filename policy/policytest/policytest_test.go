package policytest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy"
	"focus/rollout"
)

// repeatable is a script whose ids depend on the prompt's length and the
// position alone, so that it may declare reproducible replies.
type repeatable struct{ *Scripted }

func (repeatable) Reproducible() {}

func drawn(_ context.Context, c Call) ([]rollout.TokenID, error) {
	ids := make([]rollout.TokenID, c.Sampling.MaxTokens)
	for i := range ids {
		at := c.Prompt.Tokens.Len() + i
		ids[i] = rollout.TokenID('a' + (at*at+7*at)%26)
		if at%97 == 96 {
			ids[i] = IMEnd
		}
	}
	return ids, nil
}

func TestScriptedConforms(t *testing.T) {
	t.Run("said", func(t *testing.T) {
		Run(t, func(*testing.T) policy.Policy { return NewScripted(Say("The answer is 5.")) })
	})
	t.Run("drawn", func(t *testing.T) {
		Run(t, func(*testing.T) policy.Policy { return repeatable{NewScriptedWindow(drawn, 512)} })
	})
}

// A policy that breaks a rule must not pass: each reply here breaks one.
func TestCheckReplyRefuses(t *testing.T) {
	pol := NewScripted(Say("x"))
	p := policy.Prompt{Tokens: rollout.NewTokens(1, 2, 3)}
	sp := rollout.DefaultSampling()
	sp.MaxTokens, sp.StopIDs = 3, []rollout.TokenID{9}
	good := func() rollout.Completion {
		return rollout.Completion{
			Tokens: []rollout.TokenID{5, 9}, Logprobs: []float32{-1, -2}, LogprobMode: rollout.LogprobsRaw,
			Finish: rollout.FinishStop, Matched: 9, Exact: true, Versions: []rollout.VersionSpan{{Version: "v", End: 2}},
		}
	}
	require.NoError(t, checkReply(pol, p, sp, good()))
	for name, change := range map[string]func(*rollout.Completion){
		"no ids":               func(c *rollout.Completion) { c.Tokens, c.Logprobs, c.Versions = nil, nil, nil },
		"too many ids":         func(c *rollout.Completion) { c.Tokens = []rollout.TokenID{1, 2, 3, 4} },
		"a logprob short":      func(c *rollout.Completion) { c.Logprobs = c.Logprobs[:1] },
		"unknown logprob":      func(c *rollout.Completion) { c.Logprobs[1] = -9999 },
		"positive logprob":     func(c *rollout.Completion) { c.Logprobs[0] = 0.1 },
		"mode not said":        func(c *rollout.Completion) { c.LogprobMode = "" },
		"not exact":            func(c *rollout.Completion) { c.Exact = false },
		"version missing":      func(c *rollout.Completion) { c.Versions = nil },
		"version short":        func(c *rollout.Completion) { c.Versions[0].End = 1 },
		"stop id inside":       func(c *rollout.Completion) { c.Tokens = []rollout.TokenID{9, 9} },
		"matched another":      func(c *rollout.Completion) { c.Matched = 5 },
		"length before cap":    func(c *rollout.Completion) { c.Finish, c.Matched = rollout.FinishLength, -1 },
		"length and matched":   func(c *rollout.Completion) { c.Finish = rollout.FinishAbort },
		"finish from nowhere":  func(c *rollout.Completion) { c.Finish, c.Matched = "tired", -1 },
		"stop id without stop": func(c *rollout.Completion) { c.Finish, c.Matched = rollout.FinishLength, -1; c.Tokens[0] = 5 },
	} {
		c := good()
		change(&c)
		require.Error(t, checkReply(pol, p, sp, c), name)
	}
}

func TestSayInOrder(t *testing.T) {
	pol := NewScripted(Say("one", "two"))
	sp := law(pol, 8)
	for _, want := range []string{"one<|im_end|>", "two<|im_end|>", "two<|im_end|>"} {
		text, _ := pol.Decode(generate(t, pol, prepare(t, pol), sp).Tokens)
		require.Equal(t, want, text)
	}
	require.EqualValues(t, 3, pol.Calls())
}

func BenchmarkScripted(b *testing.B) {
	pol := NewScripted(Say("ok"))
	p, err := pol.Prepare(conversation())
	require.NoError(b, err)
	sp := law(pol, 8)
	for b.Loop() {
		if _, err := pol.Generate(b.Context(), p, sp); err != nil {
			b.Fatal(err)
		}
	}
}
