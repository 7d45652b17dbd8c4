package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/internal/serve"
)

// streamed posts body and returns the data of every event; the last must be
// [DONE].
func streamed(t *testing.T, url, body string) []map[string]any {
	t.Helper()
	resp, err := http.Post(url+"/v1/completions", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "text/event-stream; charset=utf-8", resp.Header.Get("Content-Type"))
	var out []map[string]any
	done := false
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			require.Empty(t, lines.Text())
			continue
		}
		require.False(t, done, "event after [DONE]: %s", data)
		if done = data == "[DONE]"; done {
			continue
		}
		var ev map[string]any
		require.NoError(t, json.Unmarshal([]byte(data), &ev), data)
		out = append(out, ev)
	}
	require.True(t, done, "stream should end with [DONE]")
	return out
}

// gathered joins the chunks of choice i.
func gathered(t *testing.T, events []map[string]any, i int) (text string, ids, logprobs, offsets, prompt []any, finish []any) {
	t.Helper()
	for _, ev := range events {
		for _, c := range ev["choices"].([]any) {
			c := c.(map[string]any)
			if c["index"] != float64(i) {
				continue
			}
			text += c["text"].(string)
			ids = append(ids, c["token_ids"].([]any)...)
			if p, ok := c["prompt_token_ids"].([]any); ok {
				prompt = append(prompt, p...)
			}
			l := c["logprobs"].(map[string]any)
			logprobs = append(logprobs, l["token_logprobs"].([]any)...)
			offsets = append(offsets, l["text_offset"].([]any)...)
			if c["finish_reason"] != nil {
				finish = append(finish, c["finish_reason"])
				assert.NotEmpty(t, c["token_ids"], "the chunk that ends a choice should carry an id")
			}
		}
	}
	return text, ids, logprobs, offsets, prompt, finish
}

func TestStreamSaysWhatTheReplySays(t *testing.T) {
	for name, p := range map[string]parrot{"told as sampled": {text: "hé!"}, "told at the end": {text: "hé!", silent: true}} {
		t.Run(name, func(t *testing.T) {
			url := start(t, config(), p)
			body := `{"prompt":[65],"logprobs":0,"return_token_ids":true,"n":2`
			whole := complete(t, url, body+`}`)
			events := streamed(t, url, body+`,"stream":true,"stream_options":{"include_usage":true}}`)
			last := events[len(events)-1]
			assert.Empty(t, last["choices"])
			assert.Equal(t, 2., float64(len(whole["choices"].([]any))))
			assert.Equal(t, whole["usage"].(map[string]any)["completion_tokens"], last["usage"].(map[string]any)["completion_tokens"])
			for i, want := range whole["choices"].([]any) {
				want := want.(map[string]any)
				text, ids, lps, offsets, prompt, finish := gathered(t, events[:len(events)-1], i)
				assert.Equal(t, want["text"], text)
				assert.Equal(t, want["token_ids"], ids)
				assert.Equal(t, want["prompt_token_ids"], prompt, "the prompt comes once")
				assert.Equal(t, want["logprobs"].(map[string]any)["token_logprobs"], lps)
				assert.Equal(t, want["logprobs"].(map[string]any)["text_offset"], offsets)
				assert.Equal(t, []any{"stop"}, finish)
			}
		})
	}
}

func TestStreamThatFails(t *testing.T) {
	url := start(t, config(), backend(func(_ context.Context, r serve.Request) (serve.Reply, error) {
		r.OnToken(serve.Token{ID: 9})
		r.OnToken(serve.Token{ID: 10})
		return serve.Reply{}, errors.New("out of memory")
	}))
	events := streamed(t, url, `{"prompt":[65],"stream":true,"return_token_ids":true,"stream_options":{"continuous_usage_stats":true}}`)
	require.Len(t, events, 2)
	assert.Equal(t, []any{9.}, firstChoice(t, events[0])["token_ids"])
	assert.Equal(t, 1., events[0]["usage"].(map[string]any)["completion_tokens"])
	assert.Equal(t, 500., events[1]["error"].(map[string]any)["code"])
}

func TestStreamOfABackendThatTellsTooMuch(t *testing.T) {
	url := start(t, config(), backend(func(_ context.Context, r serve.Request) (serve.Reply, error) {
		for range 3 {
			r.OnToken(serve.Token{ID: 9})
		}
		return serve.Reply{Finish: "length", Tokens: []serve.Token{{ID: 9}}}, nil
	}))
	events := streamed(t, url, `{"prompt":[65],"stream":true}`)
	assert.Equal(t, 500., events[len(events)-1]["error"].(map[string]any)["code"])
}
