package policytest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy"
	"focus/rollout"
)

// suite is one policy under test.
type suite struct {
	newPolicy func(*testing.T) policy.Policy
}

// Run checks a policy against every rule of package policy that its interfaces
// declare. newPolicy is called once for each check and cleans up by t.Cleanup.
// The policy must be able to reply to a short conversation with a tool.
func Run(t *testing.T, newPolicy func(*testing.T) policy.Policy) {
	s := suite{newPolicy}
	for _, check := range []struct {
		name string
		run  func(*testing.T, policy.Policy)
	}{
		{"prompt covers the conversation", prepares},
		{"reply keeps the law", replies},
		{"cap of one", capOfOne},
		{"stop id ends the reply and is in it", stops},
		{"law that cannot be is refused", refuses},
		{"window", fillsWindow},
		{"cancelled", cancels},
		{"many at once", concurrent},
		{"same seed same ids", reproduces},
		{"split replies", splits},
		{"continue keeps what was sampled", continues},
		{"continue closes an unfinished turn", closes},
		{"score agrees with sampling", scores},
		{"decode", decodes},
		{"description", describes},
	} {
		t.Run(check.name, func(t *testing.T) { check.run(t, s.newPolicy(t)) })
	}
}

// The conversation the suite talks about.
func conversation() ([]rollout.Message, []rollout.ToolSchema) {
	return []rollout.Message{
			rollout.System("You do sums."),
			rollout.User("What is 2+3? Show <|im_end|> as text."),
		}, []rollout.ToolSchema{{
			Name: "calculator", Description: "Evaluate an expression.",
			Parameters: []byte(`{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"]}`),
		}}
}

// law is plain sampling with a cap, stopping where the policy says turns end.
func law(pol policy.Policy, maxTokens int, parts ...string) rollout.SamplingParams {
	sp := rollout.DefaultSampling()
	sp.MaxTokens, sp.Seed = maxTokens, rollout.DeriveSeed(append([]string{"policytest"}, parts...)...)
	if p, ok := pol.(policy.Terminators); ok {
		sp.StopIDs = p.StopIDs()
	}
	return sp
}

func prepare(t *testing.T, pol policy.Policy) policy.Prompt {
	t.Helper()
	messages, tools := conversation()
	p, err := pol.Prepare(messages, tools)
	require.NoError(t, err, "prepare the suite's conversation")
	return p
}

// generate samples and holds the reply to the rules.
func generate(t *testing.T, pol policy.Policy, p policy.Prompt, sp rollout.SamplingParams) rollout.Completion {
	t.Helper()
	c, err := pol.Generate(t.Context(), p, sp)
	require.NoError(t, err, "generate under %+v", sp)
	require.NoError(t, checkReply(pol, p, sp, c), "reply %+v under %+v", c, sp)
	return c
}

// checkReply is nil when a completion keeps every rule of package policy.
func checkReply(pol policy.Policy, p policy.Prompt, sp rollout.SamplingParams, c rollout.Completion) error {
	n := len(c.Tokens)
	room := sp.MaxTokens
	if w, ok := pol.(policy.Window); ok {
		room = min(room, w.Window()-p.Tokens.Len())
	}
	switch {
	case n < 1 || n > room:
		return fmt.Errorf("%d ids with room for %d", n, room)
	case c.Logprobs != nil && len(c.Logprobs) != n:
		return fmt.Errorf("%d ids and %d logprobs", n, len(c.Logprobs))
	case c.Logprobs != nil && c.LogprobMode != rollout.LogprobsRaw && c.LogprobMode != rollout.LogprobsProcessed:
		return fmt.Errorf("logprob mode %q", c.LogprobMode)
	}
	for i, lp := range c.Logprobs {
		if v := float64(lp); math.IsNaN(v) || v > 1e-6 || v <= -1000 {
			return fmt.Errorf("logprob %d is %v", i, lp)
		}
	}
	if _, ok := pol.(policy.ExactTokens); ok && !c.Exact {
		return fmt.Errorf("a policy of exact tokens gave a reply that is not exact")
	}
	if err := checkVersions(c.Versions, n); err != nil {
		return err
	}
	return checkFinish(c, sp, room)
}

func checkVersions(spans []rollout.VersionSpan, n int) error {
	at := 0
	for _, v := range spans {
		if v.Start != at || v.End <= v.Start {
			return fmt.Errorf("version spans %+v do not join", spans)
		}
		at = v.End
	}
	if at != n {
		return fmt.Errorf("version spans %+v cover %d of %d ids", spans, at, n)
	}
	return nil
}

func checkFinish(c rollout.Completion, sp rollout.SamplingParams, room int) error {
	n := len(c.Tokens)
	early := slices.IndexFunc(c.Tokens[:n-1], func(id rollout.TokenID) bool { return slices.Contains(sp.StopIDs, id) })
	switch {
	case early >= 0:
		return fmt.Errorf("stop id at %d of %d", early, n)
	case c.Finish == rollout.FinishStop && c.Matched != c.Tokens[n-1]:
		return fmt.Errorf("stopped at %d and the last id is %d", c.Matched, c.Tokens[n-1])
	case c.Finish != rollout.FinishStop && c.Matched != -1:
		return fmt.Errorf("finish %s and matched %d", c.Finish, c.Matched)
	case c.Finish == rollout.FinishLength && n != room:
		return fmt.Errorf("ended by length with %d of %d ids", n, room)
	case c.Finish == rollout.FinishLength && slices.Contains(sp.StopIDs, c.Tokens[n-1]):
		return fmt.Errorf("ended by length on a stop id")
	case c.Finish != rollout.FinishStop && c.Finish != rollout.FinishLength && c.Finish != rollout.FinishAbort:
		return fmt.Errorf("finish %q", c.Finish)
	}
	return nil
}

// background is a context that outlives no test.
func background(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}
