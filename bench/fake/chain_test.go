package fake_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/bench/fake"
	"focus/rollout"
)

// TestSplit: n greedy ids in one request are k and then n-k.
func TestSplit(t *testing.T) {
	c := pipe(t, fake.Config{Script: fake.Chain(1000), Vocab: 500})
	rapid.Check(t, func(rt *rapid.T) {
		prompt := rapid.SliceOfN(rapid.Int32Range(3, 499), 1, 20).Draw(rt, "prompt")
		n := rapid.IntRange(2, 30).Draw(rt, "n")
		k := rapid.IntRange(1, n-1).Draw(rt, "k")
		q := question()
		q.Prompt, q.Temperature, q.MaxTokens, q.IgnoreEOS = prompt, 0, n, true
		whole := c.complete(t, q)
		q.MaxTokens = k
		first := c.complete(t, q)
		q.Prompt = append(append([]rollout.TokenID{}, prompt...), first.Choices[0].TokenIDs...)
		q.MaxTokens, q.Seed = n-k, q.Seed+1
		second := c.complete(t, q)
		require.Equal(rt, whole.Choices[0].TokenIDs, append(first.Choices[0].TokenIDs, second.Choices[0].TokenIDs...))
		require.Equal(rt, whole.logprobs(t), append(first.logprobs(t), second.logprobs(t)...))
	})
}

// TestScore: scoring sampled ids gives what was reported when they were sampled,
// by either way of asking, and for a script's own ids too.
func TestScore(t *testing.T) {
	for name, script := range map[string]fake.Script{
		"chain": nil,
		"say":   fake.Say(func([]rollout.TokenID) []rollout.TokenID { return []rollout.TokenID{11, 12, 2} }),
	} {
		t.Run(name, func(t *testing.T) {
			c := pipe(t, fake.Config{Script: script})
			q := question()
			sampled := c.complete(t, q)
			n := len(q.Prompt)
			q.Prompt = append(q.Prompt, sampled.Choices[0].TokenIDs...)
			none := 0
			q.PromptLogprobs, q.MaxTokens, q.Echo = &none, 0, true
			scored := c.complete(t, q)
			lps := scored.Choices[0].Logprobs.TokenLogprobs
			require.Len(t, lps, len(q.Prompt), "echo covers the prompt only when no ids are asked for")
			require.Nil(t, lps[0])
			for i, want := range sampled.logprobs(t) {
				assert.Equal(t, want, *lps[n+i])
				for _, e := range scored.Choices[0].PromptLogprobs[n+i] {
					assert.Equal(t, want, e.Logprob)
				}
				assert.Less(t, want, float32(0))
			}
			assert.Len(t, scored.Choices[0].TokenIDs, 1, "one id is sampled all the same")
		})
	}
}

func TestRepliesDependOnPromptAndSeedAlone(t *testing.T) {
	a, b := pipe(t, fake.Config{}), serve(t, fake.Config{})
	q := question()
	base := a.complete(t, q)
	b.complete(t, ask{Prompt: []rollout.TokenID{1}, MaxTokens: 1})
	assert.Equal(t, base.Choices, b.complete(t, q).Choices, "another server with the same configuration")
	q.Seed++
	assert.NotEqual(t, base.Choices, b.complete(t, q).Choices, "another seed")
	other := pipe(t, fake.Config{Seed: 1})
	assert.NotEqual(t, base.Choices, other.complete(t, question()).Choices, "another server")
}

func TestStopIDs(t *testing.T) {
	c := pipe(t, fake.Config{Script: fake.Say(func([]rollout.TokenID) []rollout.TokenID { return []rollout.TokenID{9, 10, 2, 11, 12} })})
	for _, tc := range []struct {
		name   string
		change func(*ask)
		want   []rollout.TokenID
		finish string
		reason any
	}{
		{"end id", func(*ask) {}, []rollout.TokenID{9, 10, 2}, "stop", nil},
		{"stop id", func(q *ask) { q.Stop = []rollout.TokenID{10} }, []rollout.TokenID{9, 10}, "stop", 10.},
		{"end id ignored", func(q *ask) { q.IgnoreEOS = true }, []rollout.TokenID{9, 10, 2, 11, 12}, "length", nil},
		{"cap", func(q *ask) { q.MaxTokens = 2 }, []rollout.TokenID{9, 10}, "length", nil},
		{"cap on the end id", func(q *ask) { q.MaxTokens = 3 }, []rollout.TokenID{9, 10, 2}, "stop", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			q := question()
			tc.change(&q)
			got := c.complete(t, q).Choices[0]
			assert.Equal(t, tc.want, got.TokenIDs)
			assert.Equal(t, tc.finish, *got.FinishReason)
			assert.Equal(t, tc.reason, got.StopReason)
		})
	}
}
