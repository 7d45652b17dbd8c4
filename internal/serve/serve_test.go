package serve_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"focus/internal/serve"
	"focus/rollout"
)

const (
	window = 64
	vocab  = 256
	eos    = rollout.TokenID(3)
)

// letters is a tokenizer whose ids are bytes; ids below 8 are special.
type letters struct{}

func (letters) Encode(text string) ([]rollout.TokenID, error) {
	ids := make([]rollout.TokenID, len(text))
	for i := range len(text) {
		ids[i] = rollout.TokenID(text[i])
	}
	return ids, nil
}

func (letters) Decode(ids []rollout.TokenID) string {
	var b []byte
	for _, id := range ids {
		switch {
		case id < 8:
			b = append(b, "<s>"...)
		case id < vocab:
			b = append(b, byte(id))
		}
	}
	return string(b)
}

func (letters) Special(id rollout.TokenID) bool { return id < 8 }

// parrot says text and then the end id, as far as it may. The logprob of an id
// is -id/1000. It does what a model does with stop ids and caps.
type parrot struct {
	text string
	// seen is told every request.
	seen func(serve.Request)
	// silent parrots do not call OnToken.
	silent bool
}

func (p parrot) Generate(_ context.Context, r serve.Request) (serve.Reply, error) {
	if p.seen != nil {
		p.seen(r)
	}
	rep := serve.Reply{Finish: rollout.FinishLength, Cached: 1}
	ids, _ := letters{}.Encode(p.text + string(rune(eos)) + strings.Repeat("z", window))
	for _, id := range ids[:r.Sampling.MaxTokens] {
		t := serve.Token{ID: id, Logprob: logprob(id)}
		for k := range r.Alternatives {
			t.Top = append(t.Top, serve.Alternative{ID: id + rollout.TokenID(k), Logprob: logprob(id) - float32(k)})
		}
		rep.Tokens = append(rep.Tokens, t)
		if !p.silent {
			r.OnToken(t)
		}
		for _, stop := range r.Sampling.StopIDs {
			if id == stop {
				rep.Finish = rollout.FinishStop
				return rep, nil
			}
		}
	}
	return rep, nil
}

func logprob(id rollout.TokenID) float32 { return -float32(id) / 1000 }

// scoring is a parrot that can score a prompt.
type scoring struct{ parrot }

func (scoring) Score(_ context.Context, prefix rollout.Tokens, ids []rollout.TokenID) ([]float32, error) {
	out := make([]float32, len(ids))
	for i, id := range ids {
		out[i] = logprob(id)
	}
	if prefix.Len() == 0 {
		out[0] = nan
	}
	return out, nil
}

func config() serve.Config {
	return serve.Config{
		Model: "tiny", Window: window, Vocab: vocab, EOS: []rollout.TokenID{eos, 4}, Tokenizer: letters{},
		MaxAlternatives: 2, Now: func() time.Time { return time.Unix(1700000000, 0) },
	}
}

// start serves b with c on a loopback port.
func start(t *testing.T, c serve.Config, b serve.Backend) string {
	t.Helper()
	h, err := serve.New(c, b)
	require.NoError(t, err)
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// post sends body and returns the status and the reply.
func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw)
}

// complete posts to /v1/completions and decodes a 200.
func complete(t *testing.T, url, body string) map[string]any {
	t.Helper()
	status, raw := post(t, url+"/v1/completions", body)
	require.Equal(t, http.StatusOK, status, raw)
	var out map[string]any
	require.NoError(t, json.Unmarshal([]byte(raw), &out))
	return out
}

// firstChoice is choices[0] of a reply.
func firstChoice(t *testing.T, reply map[string]any) map[string]any {
	t.Helper()
	choices, ok := reply["choices"].([]any)
	require.True(t, ok && len(choices) > 0, "reply has no choices: %v", reply)
	return choices[0].(map[string]any)
}
