package serve_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"focus/internal/serve"
)

// FuzzCompletions: no body breaks the server, and none reaches a backend that
// could not draw from it.
func FuzzCompletions(f *testing.F) {
	for _, body := range []string{
		`{"prompt":[65,66],"n":2,"logprobs":1,"echo":true,"max_tokens":0}`,
		`{"prompt":[[65],[66]],"stream":true,"stream_options":{"include_usage":true}}`,
		`{"prompt":["a","b"],"stop_token_ids":[3.0,"4"],"ignore_eos":"yes","seed":1e18}`,
		`{"prompt":"ab","temperature":"0.5","top_k":-1,"prompt_logprobs":0}`,
		`{"prompt":[ ]}`, `{"prompt":[[65],6]}`, `{`, ``, `null`, `{"logprobs": "x"}`,
	} {
		f.Add([]byte(body))
	}
	check := func(t *testing.T) parrot {
		return parrot{text: "hi", seen: func(r serve.Request) {
			sp := r.Sampling
			if sp.MaxTokens < 1 || len(r.Prompt) == 0 || len(r.Prompt)+sp.MaxTokens > window ||
				sp.Temperature < 0 || sp.TopP <= 0 || sp.TopP > 1 || sp.TopK < 0 {
				t.Errorf("backend was asked for %+v", r)
			}
		}}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		h, err := serve.New(config(), scoring{check(t)})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/v1/completions", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code == http.StatusInternalServerError {
			t.Fatalf("%q: got %d %s", body, w.Code, w.Body)
		}
	})
}
