package vllm

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

func TestAppendIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.OneOf(
			rapid.Int32Range(0, 12), rapid.Int32Range(90, 1100), rapid.Int32Range(9_990, 1_000_100), rapid.Int32(),
			rapid.SampledFrom([]int32{0, 9, 10, 99, 100, 999, 1000, 999_999, 1_000_000, math.MaxInt32}),
		)).Draw(t, "ids")
		start := rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "before")
		var want []byte
		want = append(want, start...)
		for _, id := range ids {
			want = append(strconv.AppendInt(want, int64(id), 10), ',')
		}
		require.Equal(t, string(want), string(appendIDs(start[:len(start):len(start)], ids)), "%v", ids)
	})
}

// Every field that shapes the law is in the body, and nothing that could change
// the prompt is.
func TestBody(t *testing.T) {
	sp := rollout.SamplingParams{Temperature: 0.7, TopP: 0.95, TopK: 20, MinP: 0.05, Seed: 1<<62 + 1, StopIDs: []rollout.TokenID{258, 256}}
	o := &order{prompt: rollout.NewTokens(1, 20).Append(151643), law: sp, max: 77, id: "x-a1"}
	body := newWire("a \"model\"", -3).append(nil, o, "v1")
	require.JSONEq(t, `{
		"model": "a \"model\"", "prompt": [1, 20, 151643], "max_tokens": 77,
		"temperature": 0.7, "top_p": 0.95, "top_k": 20, "min_p": 0.05,
		"repetition_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0,
		"seed": 4611686018427387905, "stop_token_ids": [258, 256], "logprobs": 0,
		"return_token_ids": false, "return_tokens_as_token_ids": true,
		"skip_special_tokens": false, "spaces_between_special_tokens": false, "add_special_tokens": false, "stream": false,
		"priority": -3, "cache_salt": "v1", "request_id": "x-a1"
	}`, string(body))

	o = &order{prompt: rollout.NewTokens(5), law: rollout.DefaultSampling(), echo: true, score: true, top: 5, id: "y"}
	var got map[string]any
	require.NoError(t, json.Unmarshal(newWire("m", 0).append(nil, o, ""), &got))
	require.Equal(t, true, got["return_token_ids"])
	require.Equal(t, true, got["echo"])
	require.EqualValues(t, 5, got["logprobs"])
	require.Equal(t, []any{}, got["stop_token_ids"])
	require.NotContains(t, got, "cache_salt")
	require.NotContains(t, got, "priority")

	// An empty prompt is the server's to refuse; the body stays JSON.
	require.True(t, json.Valid(newWire("m", 0).append(nil, &order{law: rollout.DefaultSampling()}, "")))
}

func TestSalt(t *testing.T) {
	require.Equal(t, "step-12", saltOf("step-12"))
	seen := map[string]rollout.PolicyVersion{}
	for _, v := range []rollout.PolicyVersion{"a/b", "a@b", `a\b`, "a b", "a_b", "é", "\x00", rollout.PolicyVersion(make([]byte, 500))} {
		salt := saltOf(v)
		require.LessOrEqual(t, len(salt), maxSalt)
		require.NotContains(t, salt, "/")
		require.NotContains(t, salt, "@")
		require.NotContains(t, salt, `\`)
		require.NotContains(t, seen, salt, "%q and %q", seen[salt], v)
		seen[salt] = v
	}
}
