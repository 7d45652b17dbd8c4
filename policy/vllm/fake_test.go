package vllm

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy/policytest"
	"focus/rollout"
)

// asked is a request as a server reads it.
type asked struct {
	Model        string            `json:"model"`
	Prompt       []rollout.TokenID `json:"prompt"`
	MaxTokens    int               `json:"max_tokens"`
	Temperature  *float64          `json:"temperature"`
	TopP         *float64          `json:"top_p"`
	TopK         *int              `json:"top_k"`
	MinP         *float64          `json:"min_p"`
	Repetition   *float64          `json:"repetition_penalty"`
	Presence     *float64          `json:"presence_penalty"`
	Frequency    *float64          `json:"frequency_penalty"`
	Seed         int64             `json:"seed"`
	StopTokenIDs []rollout.TokenID `json:"stop_token_ids"`
	Logprobs     *int              `json:"logprobs"`
	ReturnIDs    bool              `json:"return_token_ids"`
	AsIDs        bool              `json:"return_tokens_as_token_ids"`
	SkipSpecial  *bool             `json:"skip_special_tokens"`
	AddSpecial   *bool             `json:"add_special_tokens"`
	Stream       bool              `json:"stream"`
	Echo         bool              `json:"echo"`
	CacheSalt    string            `json:"cache_salt"`
	Priority     int               `json:"priority"`
	RequestID    string            `json:"request_id"`

	header http.Header
	raw    map[string]json.RawMessage
}

// answer is a reply to a request, built from ids.
type answer map[string]any

// honest answers like vLLM with the ids given, cut at stop ids and the cap.
func honest(a *asked, ids ...rollout.TokenID) answer {
	finish, stop := "length", any(nil)
	for i, id := range ids[:min(len(ids), max(a.MaxTokens, 1))] {
		if slices.Contains(a.StopTokenIDs, id) {
			ids, finish, stop = ids[:i+1], "stop", id
			break
		}
	}
	if len(ids) > a.MaxTokens {
		ids = ids[:max(a.MaxTokens, 1)]
	}
	shown := ids
	if a.Echo {
		shown = a.Prompt
	}
	tokens, logprobs, tops, offsets := []string{}, []any{}, []any{}, []int{}
	for i, id := range shown {
		tokens, offsets = append(tokens, fmt.Sprintf("token_id:%d", id)), append(offsets, 9*i)
		if a.Echo && i == 0 {
			logprobs, tops = append(logprobs, nil), append(tops, nil)
			continue
		}
		lp := policytest.Logprob(id)
		logprobs, tops = append(logprobs, lp), append(tops, map[string]any{tokens[i]: lp})
	}
	choice := answer{
		"index": 0, "text": "…", "finish_reason": finish, "stop_reason": stop, "token_ids": nil, "prompt_token_ids": nil,
		"logprobs": answer{"text_offset": offsets, "token_logprobs": logprobs, "tokens": tokens, "top_logprobs": tops},
	}
	if a.ReturnIDs {
		choice["token_ids"], choice["prompt_token_ids"] = ids, a.Prompt
	}
	return answer{
		"id": "cmpl-" + a.RequestID, "object": "text_completion", "created": 1, "model": a.Model, "choices": []any{choice},
		"usage": answer{"prompt_tokens": len(a.Prompt), "completion_tokens": len(ids), "total_tokens": len(a.Prompt) + len(ids), "prompt_tokens_details": nil},
	}
}

// aborted is an honest answer that was given up.
func aborted(a *asked, ids ...rollout.TokenID) answer {
	out := honest(a, ids...)
	out.choice()["finish_reason"], out.choice()["stop_reason"] = "abort", nil
	return out
}

func (a answer) choice() answer { return a["choices"].([]any)[0].(answer) }
func (a answer) logprobs() answer {
	return a.choice()["logprobs"].(answer)
}

// server is a fake vLLM whose completions come from a function.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	seen   []*asked
	aborts []string
	// complete answers a completion: an answer, or raw text with a status.
	complete func(w http.ResponseWriter, a *asked)
	models   string
	// routes are others that the server has.
	routes map[string]string
}

const defaultModels = `{"object":"list","data":[{"id":"tiny","object":"model","owned_by":"vllm","max_model_len":200,"permission":[{"id":"x","created":1}]}]}`

// newServer answers each completion with an answer of reply.
func newServer(t testing.TB, reply func(*asked) answer) *server {
	s := &server{models: defaultModels, routes: map[string]string{"/version": `{"version":"0.32.0"}`}}
	s.complete = func(w http.ResponseWriter, a *asked) { writeJSON(w, reply(a)) }
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Write(b)
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch path := r.URL.Path; {
	case path == "/v1/models":
		io.WriteString(w, s.models)
	case path == "/v1/completions":
		a := &asked{header: r.Header}
		if json.Unmarshal(body, a) != nil || json.Unmarshal(body, &a.raw) != nil {
			http.Error(w, "bad JSON", http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		s.seen = append(s.seen, a)
		s.mu.Unlock()
		s.complete(w, a)
	case s.routes[path] != "":
		if strings.Contains(path, "abort") {
			s.mu.Lock()
			s.aborts = append(s.aborts, string(body))
			s.mu.Unlock()
		}
		io.WriteString(w, s.routes[path])
	default:
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"detail":"Not Found"}`)
	}
}

// requests are the completions asked for so far.
func (s *server) requests() []*asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func (s *server) last() *asked {
	r := s.requests()
	return r[len(r)-1]
}

// config is quick to retry and has the server's address.
func config(url string) Config {
	cfg := Defaults()
	cfg.URL, cfg.Tokenizer, cfg.Backoff = url, "testdata", 0
	return cfg
}

// newPolicy is a policy over Bytes, not probed.
func newPolicy(t testing.TB, cfg Config) *Policy {
	p, err := New(cfg, policytest.NewChat())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// probed is a policy of a server that was asked what it is.
func probed(t testing.TB, s *server, change ...func(*Config)) *Policy {
	cfg := config(s.URL)
	for _, f := range change {
		f(&cfg)
	}
	p := newPolicy(t, cfg)
	require.NoError(t, p.Probe(t.Context()))
	return p
}
