package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/internal/serve"
	"focus/rollout"
)

func ids(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("9,", n), ",") + "]" }

func TestRefusals(t *testing.T) {
	url := start(t, config(), parrot{text: "hi"})
	for _, tc := range []struct {
		name, body string
		status     int
		kind       string
		param      any
		words      string
	}{
		{"unknown model", `{"model":"other","prompt":[9]}`, 404, "NotFoundError", "model", "other"},
		{"bad json", `{"prompt":[9}`, 400, "Bad Request", "body.13", "JSON decode error"},
		{"no object", `[1]`, 400, "Bad Request", "body", "object"},
		{"null", `null`, 400, "Bad Request", "body", "object"},
		{"no prompt", `{}`, 400, "BadRequestError", "prompt", "missing"},
		{"null prompt", `{"prompt":null}`, 400, "BadRequestError", "prompt", "missing"},
		{"empty list", `{"prompt":[]}`, 400, "BadRequestError", nil, "empty"},
		{"empty inner list", `{"prompt":[[]]}`, 400, "BadRequestError", nil, "empty"},
		{"empty text", `{"prompt":""}`, 400, "BadRequestError", "prompt", "empty"},
		{"a number", `{"prompt":5}`, 400, "Bad Request", "body.prompt", "ids"},
		{"mixed", `{"prompt":[9,"x"]}`, 400, "Bad Request", "body.prompt.1", "ids"},
		{"null id", `{"prompt":[9,null]}`, 400, "Bad Request", "body.prompt.1", "ids"},
		{"fraction", `{"prompt":[9.5]}`, 400, "Bad Request", "body.prompt.0", "ids"},
		{"negative id", `{"prompt":[-1]}`, 400, "Bad Request", "body.prompt.0", "between"},
		{"out of vocabulary", `{"prompt":[9,256]}`, 400, "BadRequestError", nil, "out of vocabulary"},
		{"beyond 32 bits", `{"prompt":[4294967296]}`, 400, "Bad Request", "body.prompt.0", "between"},
		{"prompt fills the window", `{"prompt":` + ids(window) + `}`, 400, "BadRequestError", "max_tokens", "got 0"},
		{"prompt over the window", `{"prompt":` + ids(window+1) + `}`, 400, "BadRequestError", "input_tokens", "context length is 64 tokens and the prompt has 65 input tokens"},
		{"no tokens", `{"prompt":[9],"max_tokens":0}`, 400, "BadRequestError", "max_tokens", "at least 1"},
		{"cap over the window", `{"prompt":[9],"max_tokens":65}`, 400, "BadRequestError", "max_tokens", "context length"},
		{"temperature", `{"prompt":[9],"temperature":2.1}`, 400, "BadRequestError", "temperature", "[0, 2]"},
		{"top_p", `{"prompt":[9],"top_p":0}`, 400, "BadRequestError", "top_p", "(0, 1]"},
		{"top_k", `{"prompt":[9],"top_k":-2}`, 400, "BadRequestError", "top_k", "-1"},
		{"min_p", `{"prompt":[9],"min_p":1.5}`, 400, "BadRequestError", "min_p", "[0, 1]"},
		{"n", `{"prompt":[9],"n":0}`, 400, "BadRequestError", "n", "at least 1"},
		{"greedy n", `{"prompt":[9],"n":2,"temperature":0}`, 400, "BadRequestError", "n", "greedy"},
		{"n beyond the queue", `{"prompt":[9],"n":9223372036854775807}`, 400, "BadRequestError", "n", "more than"},
		{"wrong type", `{"prompt":[9],"seed":"x"}`, 400, "Bad Request", "body.seed", "integer"},
		{"logprobs as text", `{"prompt":[9],"logprobs":"1"}`, 400, "Bad Request", "body.logprobs", "integer"},
		{"logprobs over the bound", `{"prompt":[9],"logprobs":3}`, 400, "BadRequestError", "logprobs", "beyond 2"},
		{"logprobs of all", `{"prompt":[9],"logprobs":-1}`, 400, "BadRequestError", "logprobs", "beyond 2"},
		{"stop id out of vocabulary", `{"prompt":[9],"stop_token_ids":[999]}`, 400, "BadRequestError", "stop_token_ids", "999"},
		{"stop strings", `{"prompt":[9],"stop":["x"]}`, 400, "BadRequestError", "stop", "not supported"},
		{"min_tokens", `{"prompt":[9],"min_tokens":1}`, 400, "BadRequestError", "min_tokens", "not supported"},
		{"penalty", `{"prompt":[9],"repetition_penalty":1.1}`, 400, "BadRequestError", "repetition_penalty", "not supported"},
		{"truncation", `{"prompt":[9],"truncate_prompt_tokens":4}`, 400, "BadRequestError", "truncate_prompt_tokens", "not supported"},
		{"scoring without a scorer", `{"prompt":[9],"prompt_logprobs":0}`, 400, "BadRequestError", "prompt_logprobs", "cannot score"},
		{"echo logprobs without a scorer", `{"prompt":[9],"echo":true,"logprobs":0}`, 400, "BadRequestError", "prompt_logprobs", "cannot score"},
		{"more prompt logprobs", `{"prompt":[9],"prompt_logprobs":1}`, 400, "BadRequestError", "prompt_logprobs", "send 0"},
		{"stream options alone", `{"prompt":[9],"stream_options":{}}`, 400, "BadRequestError", "stream_options", "stream"},
		{"streamed echo", `{"prompt":[9],"stream":true,"echo":true}`, 400, "BadRequestError", "echo", "stream"},
		{"cache salt", `{"prompt":[9],"cache_salt":"a/b"}`, 400, "BadRequestError", "cache_salt", "cache_salt"},
		{"request id of a wrong type", `{"prompt":[9],"request_id":5}`, 400, "Bad Request", "body.request_id", "string"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, raw := post(t, url+"/v1/completions", tc.body)
			assert.Equal(t, tc.status, status, raw)
			var got struct{ Error map[string]any }
			require.NoError(t, json.Unmarshal([]byte(raw), &got), raw)
			assert.Equal(t, tc.kind, got.Error["type"])
			assert.Equal(t, tc.param, got.Error["param"], raw)
			assert.Equal(t, float64(tc.status), got.Error["code"])
			assert.Contains(t, got.Error["message"], tc.words)
		})
	}
}

func TestRefusedBeforeTheBody(t *testing.T) {
	c := config()
	c.MaxBody = 100
	url := start(t, c, parrot{text: "hi"})
	for _, tc := range []struct {
		name, method, path, kind, body string
		status                         int
		want                           string
	}{
		{"path", "GET", "/v2/nothing", "", "", 404, `{"detail":"Not Found"}`},
		{"method", "GET", "/v1/completions", "", "", 405, `{"detail":"Method Not Allowed"}`},
		{"content type", "POST", "/v1/completions", "text/plain", `{"prompt":[9]}`, 400,
			`{"error":{"message":"content type should be application/json","type":"Bad Request","param":"body","code":400}}`},
		{"not text", "POST", "/v1/completions", "application/json", "\x1f\x8b\x08", 400, `{"detail":"There was an error parsing the body"}`},
		{"too large", "POST", "/v1/completions", "application/json", strings.Repeat(" ", 101), 413, `{"detail":"read body: http: request body too large"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req, err := http.NewRequest(tc.method, url+tc.path, strings.NewReader(tc.body))
			require.NoError(t, err)
			req.Header.Set("Content-Type", tc.kind)
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			raw, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, tc.status, resp.StatusCode)
			assert.JSONEq(t, tc.want, string(raw))
		})
	}
}

// backend is a function that is a backend.
type backend func(context.Context, serve.Request) (serve.Reply, error)

func (b backend) Generate(ctx context.Context, r serve.Request) (serve.Reply, error) {
	return b(ctx, r)
}

func TestABackendThatBreaksItsWord(t *testing.T) {
	stop := func(ids ...rollout.TokenID) serve.Reply {
		rep := serve.Reply{Finish: rollout.FinishStop}
		for _, id := range ids {
			rep.Tokens = append(rep.Tokens, serve.Token{ID: id})
		}
		return rep
	}
	for _, tc := range []struct {
		name, words string
		b           backend
	}{
		{"error", "out of memory", func(context.Context, serve.Request) (serve.Reply, error) {
			return serve.Reply{}, errors.New("out of memory")
		}},
		{"panic", "panicked", func(context.Context, serve.Request) (serve.Reply, error) { panic("index") }},
		{"too many ids", "at most 2", func(context.Context, serve.Request) (serve.Reply, error) { return stop(9, 9, 3), nil }},
		{"stop without a stop id", "without a stop id", func(context.Context, serve.Request) (serve.Reply, error) { return stop(9), nil }},
		{"no logprob", "no logprob", func(context.Context, serve.Request) (serve.Reply, error) {
			return serve.Reply{Finish: rollout.FinishLength, Tokens: []serve.Token{{ID: 9, Logprob: nan}}}, nil
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, raw := post(t, start(t, config(), tc.b)+"/v1/completions", `{"prompt":[9],"max_tokens":2}`)
			assert.Equal(t, 500, status)
			assert.Contains(t, raw, tc.words)
			assert.Contains(t, raw, `"type":"InternalServerError"`)
		})
	}
}

func TestAnAbortIsAReply(t *testing.T) {
	b := backend(func(context.Context, serve.Request) (serve.Reply, error) {
		return serve.Reply{Finish: rollout.FinishAbort, Tokens: []serve.Token{{ID: 9, Logprob: -1}}, Cached: -1}, nil
	})
	c := firstChoice(t, complete(t, start(t, config(), b), `{"prompt":[9],"return_token_ids":true}`))
	assert.Equal(t, "abort", c["finish_reason"])
	assert.Equal(t, []any{9.}, c["token_ids"])
}

func TestConfigReportsEveryProblem(t *testing.T) {
	_, err := serve.New(serve.Config{EOS: []rollout.TokenID{1}, MaxSeqs: -1}, parrot{})
	require.Error(t, err)
	for _, words := range []string{"model name", "window", "vocab", "eos id 1", "max seqs"} {
		assert.Contains(t, err.Error(), words)
	}
}
