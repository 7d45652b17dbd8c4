package fake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"focus/bench/fake"
	"focus/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wire is a completion as a client reads it.
type wire struct {
	ID, Model string
	Choices   []struct {
		FinishReason   *string           `json:"finish_reason"`
		StopReason     any               `json:"stop_reason"`
		TokenIDs       []rollout.TokenID `json:"token_ids"`
		PromptTokenIDs []rollout.TokenID `json:"prompt_token_ids"`
		Logprobs       *struct {
			Tokens        []string
			TokenLogprobs []*float32           `json:"token_logprobs"`
			TopLogprobs   []map[string]float32 `json:"top_logprobs"`
			TextOffset    []int                `json:"text_offset"`
		}
		PromptLogprobs []map[string]struct{ Logprob float32 } `json:"prompt_logprobs"`
	}
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	}
}

func (w wire) logprobs(t *testing.T) []float32 {
	t.Helper()
	require.NotNil(t, w.Choices[0].Logprobs)
	out := make([]float32, len(w.Choices[0].Logprobs.TokenLogprobs))
	for i, p := range w.Choices[0].Logprobs.TokenLogprobs {
		require.NotNil(t, p, "logprob %d is null", i)
		out[i] = *p
	}
	return out
}

// ask is a completions body.
type ask struct {
	Prompt         []rollout.TokenID `json:"prompt"`
	MaxTokens      int               `json:"max_tokens"`
	Temperature    float64           `json:"temperature"`
	Seed           int64             `json:"seed"`
	Logprobs       int               `json:"logprobs"`
	ReturnIDs      bool              `json:"return_token_ids"`
	IDStrings      bool              `json:"return_tokens_as_token_ids"`
	PromptLogprobs *int              `json:"prompt_logprobs,omitempty"`
	Echo           bool              `json:"echo,omitempty"`
	Stop           []rollout.TokenID `json:"stop_token_ids,omitempty"`
	IgnoreEOS      bool              `json:"ignore_eos,omitempty"`
	Stream         bool              `json:"stream,omitempty"`
}

// question is a body that every honest server answers.
func question() ask {
	return ask{Prompt: []rollout.TokenID{5, 6, 7, 8}, MaxTokens: 64, Temperature: 1, Seed: 3, ReturnIDs: true, IDStrings: true}
}

// client posts to one endpoint.
type client struct {
	*fake.Endpoint
	http *http.Client
}

// serve starts a server over loopback; pipe starts one in memory.
func serve(t *testing.T, c fake.Config) client { return connect(t, c, fake.Start) }
func pipe(t *testing.T, c fake.Config) client  { return connect(t, c, fake.StartPipe) }

func connect(t *testing.T, c fake.Config, start func(fake.Config) (*fake.Endpoint, error)) client {
	t.Helper()
	e, err := start(c)
	require.NoError(t, err)
	tr := e.Transport(1000)
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		require.NoError(t, e.Close())
	})
	return client{e, &http.Client{Transport: tr}}
}

// post returns the status, the body and the header; err is what the transport
// or the reading of the body said.
func (c client) post(ctx context.Context, body any) (int, string, http.Header, error) {
	raw, ok := body.(string)
	if !ok {
		enc, err := json.Marshal(body)
		if err != nil {
			return 0, "", nil, err
		}
		raw = string(enc)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/v1/completions", strings.NewReader(raw))
	if err != nil {
		return 0, "", nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, "", nil, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(got), resp.Header, err
}

// complete wants a 200 that decodes.
func (c client) complete(t *testing.T, body any) wire {
	t.Helper()
	status, raw, _, err := c.post(t.Context(), body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, raw)
	return decode(t, raw)
}

func decode(t *testing.T, raw string) wire {
	t.Helper()
	var w wire
	require.NoError(t, json.NewDecoder(bytes.NewReader([]byte(raw))).Decode(&w), raw)
	require.NotEmpty(t, w.Choices, raw)
	return w
}
