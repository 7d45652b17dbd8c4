package serve_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/internal/serve"
	"focus/rollout"
)

var nan = float32(math.NaN())

func TestReplyFieldByField(t *testing.T) {
	url := start(t, config(), parrot{text: "hi"})
	_, raw := post(t, url+"/v1/completions", `{"model":"tiny","prompt":[65,66],"max_tokens":8,"temperature":1,"seed":7,
		"logprobs":0,"return_token_ids":true,"return_tokens_as_token_ids":true,"request_id":"r1"}`)
	assert.JSONEq(t, `{
		"id":"cmpl-r1","object":"text_completion","created":1700000000,"model":"tiny",
		"choices":[{
			"index":0,"text":"hi","finish_reason":"stop","stop_reason":null,
			"token_ids":[104,105,3],"prompt_token_ids":[65,66],
			"logprobs":{
				"tokens":["token_id:104","token_id:105","token_id:3"],
				"token_logprobs":[-0.104,-0.105,-0.003],
				"top_logprobs":[{"token_id:104":-0.104},{"token_id:105":-0.105},{"token_id:3":-0.003}],
				"text_offset":[0,12,24]},
			"prompt_logprobs":null}],
		"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":1}},
		"system_fingerprint":null,"service_tier":null,"kv_transfer_params":null}`, raw)
}

func TestReplyWithoutExtras(t *testing.T) {
	url := start(t, config(), parrot{text: "hi"})
	c := firstChoice(t, complete(t, url, `{"prompt":[65],"max_tokens":2}`))
	for _, key := range []string{"logprobs", "token_ids", "prompt_token_ids", "prompt_logprobs", "stop_reason"} {
		v, there := c[key]
		assert.True(t, there && v == nil, "%s: got %v, want a null that is there", key, v)
	}
	assert.Equal(t, "length", c["finish_reason"])
}

func TestFinish(t *testing.T) {
	for _, tc := range []struct {
		name, body, text, finish string
		reason                   any
		ids                      []any
	}{
		{"primary end id", `{"prompt":[9],"return_token_ids":true}`, "hi", "stop", nil, []any{104., 105., 3.}},
		{"end id listed as a stop id too", `{"prompt":[9],"stop_token_ids":[3],"return_token_ids":true}`, "hi", "stop", nil, []any{104., 105., 3.}},
		{"stop id", `{"prompt":[9],"stop_token_ids":[105],"return_token_ids":true}`, "h", "stop", 105., []any{104., 105.}},
		{"stop id, text kept", `{"prompt":[9],"stop_token_ids":[105],"return_token_ids":true,"include_stop_str_in_output":true}`, "hi", "stop", 105., []any{104., 105.}},
		{"cap", `{"prompt":[9],"max_tokens":1,"return_token_ids":true}`, "h", "length", nil, []any{104.}},
		{"cap on the end id", `{"prompt":[9],"max_tokens":3,"return_token_ids":true}`, "hi", "stop", nil, []any{104., 105., 3.}},
		{"end ids ignored", `{"prompt":[9],"max_tokens":4,"ignore_eos":true,"return_token_ids":true}`, "hiz", "length", nil, []any{104., 105., 3., 122.}},
		{"end ids ignored, special text shown", `{"prompt":[9],"max_tokens":4,"ignore_eos":true,"skip_special_tokens":false,"return_token_ids":true}`, "hi<s>z", "length", nil, []any{104., 105., 3., 122.}},
		{"end id as a stop id while ignored", `{"prompt":[9],"ignore_eos":true,"stop_token_ids":[3],"return_token_ids":true}`, "hi", "stop", 3., []any{104., 105., 3.}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := firstChoice(t, complete(t, start(t, config(), parrot{text: "hi"}), tc.body))
			assert.Equal(t, tc.finish, c["finish_reason"])
			assert.Equal(t, tc.reason, c["stop_reason"])
			assert.Equal(t, tc.ids, c["token_ids"])
			assert.Equal(t, tc.text, c["text"])
		})
	}
}

func TestWhatTheBackendIsAsked(t *testing.T) {
	plain := rollout.SamplingParams{Temperature: 1, TopP: 1, MaxTokens: 16, Seed: 5, StopIDs: []rollout.TokenID{3, 4}}
	with := func(change func(*rollout.SamplingParams)) rollout.SamplingParams {
		sp := plain
		change(&sp)
		return sp
	}
	for _, tc := range []struct {
		name, body string
		want       rollout.SamplingParams
	}{
		{"defaults", `{"prompt":[9],"seed":5}`, plain},
		{"nulls are defaults", `{"prompt":[9],"seed":5,"max_tokens":null,"temperature":null,"top_p":null,"model":null}`, plain},
		{"numbers as strings", `{"prompt":[9],"seed":"5","max_tokens":"16","temperature":"1.0"}`, plain},
		{"every field", `{"prompt":[9],"seed":5,"max_tokens":4,"temperature":0.5,"top_p":0.9,"top_k":7,"min_p":0.1,"stop_token_ids":[104,3]}`,
			with(func(sp *rollout.SamplingParams) {
				sp.MaxTokens, sp.Temperature, sp.TopP, sp.TopK, sp.MinP = 4, 0.5, 0.9, 7, 0.1
				sp.StopIDs = []rollout.TokenID{3, 4, 104}
			})},
		{"top_k -1 is off", `{"prompt":[9],"seed":5,"top_k":-1}`, plain},
		{"a small temperature is raised", `{"prompt":[9],"seed":5,"temperature":1e-6}`, with(func(sp *rollout.SamplingParams) { sp.Temperature = 0.01 })},
		{"greedy truncates nothing", `{"prompt":[9],"seed":5,"temperature":0,"top_p":0.5,"top_k":3,"min_p":0.2}`, with(func(sp *rollout.SamplingParams) { sp.Temperature = 0 })},
		{"a negative seed is a seed", `{"prompt":[9],"seed":-2}`, with(func(sp *rollout.SamplingParams) { sp.Seed = -2 })},
		{"the cap is clamped to the room", `{"prompt":[9,9,9,9],"seed":5,"max_tokens":64}`, with(func(sp *rollout.SamplingParams) { sp.MaxTokens = 60 })},
		{"end ids ignored", `{"prompt":[9],"seed":5,"ignore_eos":true}`, with(func(sp *rollout.SamplingParams) { sp.StopIDs = nil })},
		{"neutral forms of what is refused", `{"prompt":[9],"seed":5,"stop":[],"presence_penalty":0,"frequency_penalty":0.0,"repetition_penalty":1,
			"logit_bias":{},"best_of":1,"use_beam_search":false,"response_format":{"type":"text"}}`, plain},
		{"no bearing", `{"prompt":[9],"seed":5,"priority":3,"cache_salt":"v7","session_id":"s","user":"u","add_special_tokens":false,"made_up":1}`, plain},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got serve.Request
			url := start(t, config(), parrot{text: "hi", seen: func(r serve.Request) { got = r }})
			complete(t, url, tc.body)
			if len(tc.want.StopIDs) == 0 {
				assert.Empty(t, got.Sampling.StopIDs)
				got.Sampling.StopIDs = nil
			}
			assert.Equal(t, tc.want, got.Sampling)
		})
	}
}

func TestRandomSeeds(t *testing.T) {
	var got []int64
	url := start(t, config(), parrot{seen: func(r serve.Request) { got = append(got, r.Sampling.Seed) }})
	complete(t, url, `{"prompt":[9]}`)
	complete(t, url, `{"prompt":[9],"seed":-1}`)
	assert.NotEqual(t, got[0], got[1])
	assert.True(t, got[0] >= 0 && got[1] >= 0, "seeds %v should not be negative", got)
}

func TestPromptsAndChoicesAreNumberedPromptMajor(t *testing.T) {
	var mu sync.Mutex
	seeds := map[rollout.TokenID][]int64{}
	url := start(t, config(), parrot{text: "x", seen: func(r serve.Request) {
		mu.Lock()
		defer mu.Unlock()
		seeds[r.Prompt[0]] = append(seeds[r.Prompt[0]], r.Sampling.Seed)
	}})
	reply := complete(t, url, `{"prompt":[[65],[66,66]],"n":3,"seed":7,"max_tokens":1,"return_token_ids":true}`)
	choices := reply["choices"].([]any)
	require.Len(t, choices, 6)
	for i, c := range choices {
		assert.Equal(t, float64(i), c.(map[string]any)["index"])
		want := []any{65.}
		if i >= 3 {
			want = []any{66., 66.}
		}
		assert.Equal(t, want, c.(map[string]any)["prompt_token_ids"], "choice %d", i)
	}
	for first, got := range seeds {
		assert.ElementsMatch(t, []int64{7, 8, 9}, got, "seeds of prompt %d", first)
	}
	u := reply["usage"].(map[string]any)
	assert.Equal(t, 3., u["prompt_tokens"])
	assert.Equal(t, 6., u["completion_tokens"])
}

func TestPromptForms(t *testing.T) {
	for _, tc := range []struct {
		name, prompt string
		want         []rollout.TokenID
	}{
		{"ids", `[65,66]`, []rollout.TokenID{65, 66}},
		{"integral floats and booleans", `[65.0, true, "66"]`, []rollout.TokenID{65, 1, 66}},
		{"text", `"AB"`, []rollout.TokenID{65, 66}},
		{"texts", `["AB"]`, []rollout.TokenID{65, 66}},
		{"lists of ids", ` [ [65,66] ]`, []rollout.TokenID{65, 66}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got serve.Request
			url := start(t, config(), parrot{seen: func(r serve.Request) { got = r }})
			complete(t, url, `{"prompt":`+tc.prompt+`}`)
			assert.Equal(t, tc.want, got.Prompt)
		})
	}
}

func TestAlternatives(t *testing.T) {
	url := start(t, config(), parrot{text: "h"})
	c := firstChoice(t, complete(t, url, `{"prompt":[65],"max_tokens":1,"logprobs":2}`))
	assert.Equal(t, map[string]any{
		"tokens": []any{"h"}, "token_logprobs": []any{-0.104}, "text_offset": []any{0.},
		"top_logprobs": []any{map[string]any{"h": -0.104, "i": -1.104}},
	}, c["logprobs"])
}

func TestScoring(t *testing.T) {
	url := start(t, config(), scoring{parrot{text: "hi"}})
	t.Run("prompt_logprobs", func(t *testing.T) {
		c := firstChoice(t, complete(t, url, `{"prompt":[65,66],"prompt_logprobs":0}`))
		assert.Equal(t, []any{nil, map[string]any{"66": map[string]any{"logprob": -0.066, "rank": nil, "decoded_token": "B"}}}, c["prompt_logprobs"])
	})
	t.Run("echo covers prompt and reply", func(t *testing.T) {
		c := firstChoice(t, complete(t, url, `{"prompt":[65,66],"max_tokens":1,"echo":true,"logprobs":0}`))
		assert.Equal(t, "ABh", c["text"])
		l := c["logprobs"].(map[string]any)
		assert.Equal(t, []any{nil, -0.066, -0.104}, l["token_logprobs"])
		assert.Equal(t, []any{0., 1., 2.}, l["text_offset"])
		assert.Nil(t, l["top_logprobs"].([]any)[0])
	})
	t.Run("echo with ids leaves the text alone", func(t *testing.T) {
		c := firstChoice(t, complete(t, url, `{"prompt":[65,66],"max_tokens":1,"echo":true,"return_token_ids":true}`))
		assert.Equal(t, "h", c["text"])
		assert.Equal(t, []any{104.}, c["token_ids"])
	})
	t.Run("max_tokens 0 samples one id without a logprob", func(t *testing.T) {
		reply := complete(t, url, `{"prompt":[65,66],"max_tokens":0,"echo":true,"logprobs":0,"return_token_ids":true}`)
		c := firstChoice(t, reply)
		assert.Equal(t, []any{nil, -0.066}, c["logprobs"].(map[string]any)["token_logprobs"])
		assert.Equal(t, []any{104.}, c["token_ids"])
		assert.Equal(t, 1., reply["usage"].(map[string]any)["completion_tokens"])
	})
}

func TestWithoutTokenizer(t *testing.T) {
	c := config()
	c.Tokenizer = nil
	url := start(t, c, parrot{text: "hi"})
	got := firstChoice(t, complete(t, url, `{"prompt":[65],"logprobs":0,"max_tokens":1}`))
	assert.Equal(t, "", got["text"])
	assert.Equal(t, []any{"token_id:104"}, got["logprobs"].(map[string]any)["tokens"])
	status, _ := post(t, url+"/tokenize", `{"prompt":"a"}`)
	assert.Equal(t, 404, status)
	status, raw := post(t, url+"/v1/completions", `{"prompt":"a"}`)
	assert.Equal(t, 400, status, raw)
}

func TestMinTokensReachesABackendThatHonoursThem(t *testing.T) {
	c := config()
	c.MinTokens = true
	var got serve.Request
	complete(t, start(t, c, parrot{seen: func(r serve.Request) { got = r }}), `{"prompt":[65],"min_tokens":5}`)
	assert.Equal(t, 5, got.MinTokens)
}
