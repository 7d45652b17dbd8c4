package vllm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy/policytest"
	"focus/rollout"
)

// peaked answers with alternatives whose logprobs are spread, raw or not.
func peaked(mode rollout.LogprobMode) func(*asked) answer {
	return func(a *asked) answer {
		out := says(a)
		if a.Logprobs != nil && *a.Logprobs > 0 {
			scale := 1.0
			if mode == rollout.LogprobsProcessed && *a.Temperature > 0 {
				scale = 1 / *a.Temperature
			}
			out.logprobs()["top_logprobs"] = []any{map[string]any{
				"token_id:111": -0.25 * scale, "token_id:5": -2 * scale, "token_id:6": -3 * scale, "token_id:7": -9999.0,
			}}
		}
		return out
	}
}

func TestProbeSheet(t *testing.T) {
	s := newServer(t, peaked(rollout.LogprobsRaw))
	tokens, err := json.Marshal(map[string]any{"tokens": policytest.Encode(tokenizerText)})
	require.NoError(t, err)
	s.routes["/tokenize"] = string(tokens)
	s.routes["/inference/v1/abort_requests"] = " "
	s.routes["/weight_info"] = `{"weight_version":"default"}`
	p := probed(t, s)
	got := p.Sheet()
	require.NotNil(t, got.abort)
	got.abort = nil
	require.Equal(t, Sheet{
		Model: "tiny", Window: 200, Server: "0.32.0", Weights: "default", NamesIDs: true, Mode: rollout.LogprobsRaw,
		Score: true, TokenizerChecked: true, Abort: "/inference/v1/abort_requests",
	}, got)
	caps := p.Describe().Capabilities
	require.Equal(t, true, caps["echo"])
	require.Equal(t, "raw", caps["logprob_mode_measured"])
	require.Equal(t, 200, caps["window"])
	_, err = json.Marshal(p.Describe())
	require.NoError(t, err)
}

// What only some servers have is not needed.
func TestProbeBareServer(t *testing.T) {
	s := newServer(t, func(a *asked) answer {
		out := says(a)
		if a.Echo {
			out.choice()["logprobs"] = nil
		}
		return out
	})
	s.routes = nil
	p := probed(t, s)
	require.Equal(t, Sheet{Model: "tiny", Window: 200, NamesIDs: true}, p.Sheet())
	require.EqualValues(t, "tiny", p.Version())
}

func TestProbeProcessed(t *testing.T) {
	s := newServer(t, peaked(rollout.LogprobsProcessed))
	p := probed(t, s, func(c *Config) { c.LogprobMode = rollout.LogprobsProcessed })
	require.Equal(t, rollout.LogprobsProcessed, p.Sheet().Mode)
	require.Equal(t, "processed", p.Describe().LogprobMode)
}

func TestTellMode(t *testing.T) {
	warm := map[string]float64{"a": -1, "b": -2, "c": -4}
	for name, c := range map[string]struct {
		warm, cool map[string]float64
		want       rollout.LogprobMode
	}{
		"raw":           {warm, map[string]float64{"a": -1.001, "c": -4.02}, rollout.LogprobsRaw},
		"processed":     {warm, map[string]float64{"a": -0.3, "c": -6.3}, rollout.LogprobsProcessed},
		"flat":          {map[string]float64{"a": -2, "b": -2.01}, map[string]float64{"a": -2, "b": -2.02}, ""},
		"one in common": {warm, map[string]float64{"a": -1, "x": -2}, ""},
		"neither":       {warm, map[string]float64{"a": -1, "c": -5.5}, ""},
		"nothing":       {nil, nil, ""},
	} {
		require.Equal(t, c.want, tellMode(c.warm, c.cool), name)
	}
}

// Each server is wrong in one way, and one line says which and what to do.
func TestProbeRefuses(t *testing.T) {
	two := `{"data":[{"id":"a","max_model_len":200},{"id":"b","max_model_len":200}]}`
	for name, c := range map[string]struct {
		models string
		reply  func(*asked) answer
		config func(*Config)
		routes map[string]string
		want   string
	}{
		"another kind of server": {models: "<html>welcome</html>", want: "answers 200 to /v1/models and lists no models: not a vLLM server"},
		"empty list":             {models: `{"object":"list","data":[]}`, want: "lists no models"},
		"no window":              {models: `{"data":[{"id":"tiny"}]}`, want: `does not say the window of "tiny"`},
		"wrong model":            {models: two, config: func(c *Config) { c.Model = "x" }, want: `does not serve model "x", it serves: a, b`},
		"which model":            {models: two, want: "serves several models, set model to one of: a, b"},
		"window too wide":        {config: func(c *Config) { c.Window = 300 }, want: `window is 300 and the server has 200 for "tiny"`},
		"window too small":       {models: `{"data":[{"id":"tiny","max_model_len":9}]}`, want: "the window is 9 ids and the probe's prompt has"},
		"no ids": {reply: func(a *asked) answer {
			out := says(a)
			out.choice()["token_ids"], out.choice()["prompt_token_ids"] = nil, nil
			out.logprobs()["tokens"] = []string{"ok", "", ""}
			return out
		}, want: "no token ids in the reply: use vLLM 0.10.2 or newer"},
		"no echo": {reply: func(a *asked) answer {
			out := says(a)
			out.choice()["prompt_token_ids"] = nil
			return out
		}, want: "no prompt_token_ids in the reply: use vLLM"},
		"no logprobs": {reply: func(a *asked) answer {
			out := says(a)
			out.choice()["logprobs"] = nil
			return out
		}, want: "no logprobs in the reply: the server must answer"},
		"cuts stop ids": {reply: func(a *asked) answer {
			if len(a.StopTokenIDs) == 0 {
				return says(a)
			}
			out := honest(&asked{Prompt: a.Prompt, MaxTokens: 0, ReturnIDs: a.ReturnIDs})
			out.choice()["finish_reason"] = "stop"
			return out
		}, want: `finish "stop" without an id`},
		"ignores stop ids": {reply: func(a *asked) answer {
			a.StopTokenIDs = nil
			return says(a)
		}, want: "the server ignores stop_token_ids"},
		"another prompt": {reply: func(a *asked) answer {
			out := says(a)
			if a.ReturnIDs {
				out.choice()["prompt_token_ids"] = append([]rollout.TokenID{1}, a.Prompt[1:]...)
			}
			return out
		}, want: "server works on another prompt"},
		"other logprobs": {reply: peaked(rollout.LogprobsProcessed), want: "logprob_mode is raw and the server's logprobs are processed; set logprob_mode: processed"},
		"another tokenizer": {routes: map[string]string{"/tokenize": `{"tokens":[1,2,3]}`},
			want: "its tokenizer gives other ids (3 for a test text) than tokenizer testdata"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.reply == nil {
				c.reply = says
			}
			s := newServer(t, c.reply)
			if c.models != "" {
				s.models = c.models
			}
			for path, body := range c.routes {
				s.routes[path] = body
			}
			cfg := config(s.URL)
			if c.config != nil {
				c.config(&cfg)
			}
			err := newPolicy(t, cfg).Probe(t.Context())
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "vllm server "+s.URL+": ")
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestProbeDeadServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	err := newPolicy(t, config(url)).Probe(t.Context())
	require.ErrorContains(t, err, fmt.Sprintf("vllm server %s: answers 404 to /v1/models and lists no models: not a vLLM server", url))
	s.Close()
	err = newPolicy(t, config(url)).Probe(t.Context())
	require.EqualError(t, err, fmt.Sprintf("vllm server %s: no server answers (connection refused); start it or correct url", url))
}

func TestProbeRefusedCompletion(t *testing.T) {
	s := newServer(t, says)
	s.complete = func(w http.ResponseWriter, _ *asked) {
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, `{"error":{"message":"EngineCore encountered an issue","code":500}}`)
	}
	err := newPolicy(t, config(s.URL)).Probe(t.Context())
	require.ErrorContains(t, err, "answers 500 to a short completion: EngineCore encountered an issue")

	s.complete = func(w http.ResponseWriter, _ *asked) { io.WriteString(w, "hello") }
	err = newPolicy(t, config(s.URL)).Probe(t.Context())
	require.ErrorContains(t, err, "is it a vLLM server?")
}

func TestProbeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newServer(t, says)
	require.Equal(t, context.Canceled, newPolicy(t, config(s.URL)).Probe(ctx))
}

// A whole path in front of the API is kept.
func TestProbeBehindAPrefix(t *testing.T) {
	s := newServer(t, says)
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/engine/") {
			http.NotFound(w, r)
			return
		}
		http.StripPrefix("/engine", inner).ServeHTTP(w, r)
	})
	p := newPolicy(t, config(s.URL+"/engine/v1/"))
	require.NoError(t, p.Probe(t.Context()))
	require.Equal(t, "0.32.0", p.Sheet().Server)
}
