package vllm

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

// The shape of a reply of vLLM 0.32.0, keys without a value included.
const vllmReply = `{"id":"cmpl-x","object":"text_completion","created":1764500000,"model":"tiny","choices":[{"index":0,
"text":" a \"quoted\\\" ]} text\u00e9","logprobs":{"text_offset":[0,10],"token_logprobs":[-0.25,-1.4999999e-05],
"tokens":["token_id:17","token_id:151645"],"top_logprobs":[{"token_id:17":-0.25},{"token_id:151645":-1.5e-05}]},
"finish_reason":"stop","stop_reason":151645,"token_ids":[17, 151645],"prompt_logprobs":null,"prompt_token_ids":[1,2,3],
"routed_experts":null}],"service_tier":null,"system_fingerprint":null,"usage":{"prompt_tokens":3,"total_tokens":5,
"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":2}},"kv_transfer_params":null}`

func TestParseReply(t *testing.T) {
	var r reply
	require.NoError(t, r.parse([]byte(vllmReply)))
	require.Equal(t, reply{
		choices: 1, ids: []rollout.TokenID{17, 151645}, prompt: []rollout.TokenID{1, 2, 3}, names: []rollout.TokenID{17, 151645},
		hasIDs: true, hasPrompt: true, hasNames: true, logprobs: []float32{-0.25, -1.4999999e-05}, hasLogprobs: true,
		finish: "stop", stop: stopByID, stopID: 151645, promptTokens: 3, completionTokens: 2, cached: 2,
	}, r)

	// Nothing of it is left in the next reply.
	require.NoError(t, r.parse([]byte(`{"choices":[{"finish_reason":null,"stop_reason":"###","token_ids":null,"logprobs":null}],"usage":null}`)))
	require.Equal(t, 1, r.choices)
	require.False(t, r.hasIDs || r.hasPrompt || r.hasNames || r.hasLogprobs)
	require.Equal(t, stopByText, r.stop)
	require.Equal(t, [3]int{-1, -1, -1}, [3]int{r.promptTokens, r.completionTokens, r.cached})

	require.NoError(t, r.parse([]byte(` {"choices":[{"logprobs":{"tokens":["token_id:1","the"],"token_logprobs":[null,NaN,-Infinity,Infinity,-9999.0,1e400]}}]} `)))
	require.False(t, r.hasNames, "a token by its text")
	for i, want := range []float64{math.NaN(), math.NaN(), math.Inf(-1), math.Inf(1), -9999, math.Inf(1)} {
		got := float64(r.logprobs[i])
		require.True(t, got == want || math.IsNaN(got) && math.IsNaN(want), "logprob %d is %v, want %v", i, got, want)
	}
}

func TestParseReplyRefuses(t *testing.T) {
	for _, body := range []string{
		``, `null`, `[]`, `"x"`, `{`, `{"choices":`, `{"choices":{}}`, `{"choices":[1]}`, `{"choices":[{"token_ids":[1,]}]}`,
		`{"choices":[{"token_ids":[-1]}]}`, `{"choices":[{"token_ids":[1.5]}]}`, `{"choices":[{"token_ids":[1e3]}]}`,
		`{"choices":[{"token_ids":[2147483648]}]}`, `{"choices":[{"token_ids":["1"]}]}`, `{"choices":[{"token_ids":[1 2]}]}`,
		`{"choices":[{"token_ids":[99999999999999999999]}]}`, `{"choices":[{"token_ids":[,1]}]}`,
		`{"choices":[{"logprobs":{"token_logprobs":["x"]}}]}`, `{"choices":[{"logprobs":{"token_logprobs":[-]}}]}`,
		`{"choices":[{"finish_reason":7}]}`, `{"choices":[{"stop_reason":true}]}`, `{"usage":{"prompt_tokens":"3"}}`,
		`{"choices":[]} x`, `{"a":[1,2}`, `{"a":"x`, `{"a" 1}`, `{"a":}`, "<html>",
	} {
		var r reply
		require.Error(t, r.parse([]byte(body)), "%s gave %+v", body, r)
	}
}

// wireReply is the same fields by encoding/json.
type wireReply struct {
	Choices []struct {
		TokenIDs       []rollout.TokenID `json:"token_ids"`
		PromptTokenIDs []rollout.TokenID `json:"prompt_token_ids"`
		Finish         string            `json:"finish_reason"`
		Logprobs       struct {
			Tokens   []string   `json:"tokens"`
			Logprobs []*float32 `json:"token_logprobs"`
		} `json:"logprobs"`
		Text string         `json:"text"`
		More map[string]any `json:"more"`
	} `json:"choices"`
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
}

// What is written by encoding/json, compact or not, is read as it was.
func TestParseReplyProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.Int32Range(0, math.MaxInt32)
		ids, prompt := rapid.SliceOf(id).Draw(t, "ids"), rapid.SliceOf(id).Draw(t, "prompt")
		var logprobs []float32
		tokens := []string{}
		for _, id := range ids {
			logprobs = append(logprobs, rapid.Float32().Draw(t, "logprob"))
			tokens = append(tokens, fmt.Sprintf("token_id:%d", id))
		}
		body := map[string]any{
			"usage": map[string]any{"prompt_tokens": len(prompt), "completion_tokens": len(ids)},
			"choices": []any{map[string]any{
				"token_ids": ids, "prompt_token_ids": prompt, "finish_reason": "length", "text": rapid.String().Draw(t, "text"),
				"logprobs": map[string]any{"tokens": tokens, "token_logprobs": logprobs, "text_offset": ids},
				"more":     rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())).Draw(t, "more"),
			}},
		}
		b, err := json.Marshal(body)
		if rapid.Bool().Draw(t, "indented") {
			b, err = json.MarshalIndent(body, "", " ")
		}
		require.NoError(t, err)
		var r reply
		require.NoError(t, r.parse(b), "%s", b)
		require.Equal(t, len(ids), len(r.ids))
		for i := range ids {
			require.Equal(t, ids[i], r.ids[i], "%s", b)
			require.Equal(t, ids[i], r.names[i], "%s", b)
			require.Equal(t, logprobs[i], r.logprobs[i], "%s", b)
		}
		require.Equal(t, len(prompt), len(r.prompt))
		for i := range prompt {
			require.Equal(t, prompt[i], r.prompt[i], "%s", b)
		}
		require.Equal(t, [2]int{len(prompt), len(ids)}, [2]int{r.promptTokens, r.completionTokens})
	})
}

// FuzzParseReply: no input breaks the scanner, and what encoding/json reads as a
// reply in our sense the scanner reads alike.
func FuzzParseReply(f *testing.F) {
	f.Add([]byte(vllmReply))
	f.Add([]byte(`{"choices":[{"token_ids":[ 1 , 2],"text":"\\"}],"usage":{}}`))
	f.Add([]byte(`{"choices":[{"logprobs":{"tokens":["token_id:5"],"token_logprobs":[null]}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var r reply
		err := r.parse(body)
		if err == nil && len(r.prompt)+len(r.ids)+len(r.names)+len(r.logprobs) > len(body) {
			t.Fatalf("more items than bytes in %q: %+v", body, r)
		}
		var w wireReply
		if json.Unmarshal(body, &w) != nil || len(w.Choices) != 1 || err != nil || !json.Valid(body) {
			return
		}
		// Keys given twice or in another case mean different things to the two.
		again, _ := json.Marshal(w)
		var s reply
		if s.parse(again) != nil {
			t.Fatalf("refused what encoding/json wrote: %s", again)
		}
		if len(s.ids) != len(w.Choices[0].TokenIDs) || len(s.prompt) != len(w.Choices[0].PromptTokenIDs) {
			t.Fatalf("%s read as %+v", again, s)
		}
		for i, id := range s.ids {
			if w.Choices[0].TokenIDs[i] != id {
				t.Fatalf("%s read as %+v", again, s)
			}
		}
		for i, lp := range s.logprobs {
			if p := w.Choices[0].Logprobs.Logprobs[i]; p != nil && *p != lp {
				t.Fatalf("%s read as %+v", again, s)
			}
		}
	})
}
