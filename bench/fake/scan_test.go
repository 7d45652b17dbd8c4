package fake

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"focus/rollout"
)

func parsed(body string) (Request, error) {
	var r Request
	r.reset()
	r.Body = []byte(body)
	err := r.parse()
	return r, err
}

func TestParse(t *testing.T) {
	r, err := parsed(` { "extra" : {"a":[1,{"b":"]}\""}]} , "model":"mé\"x", "prompt" : [ 1 , 22,333 ],"max_tokens":7,
		"temperature":0.5,"top_p":0.9,"min_p":0.1,"top_k":-1,"seed":9007199254740993,"logprobs":0,"prompt_logprobs":1,
		"stop_token_ids":[2],"ignore_eos":true,"echo":true,"return_token_ids":true,"return_tokens_as_token_ids":true,
		"stream":false,"request_id":"r","session_id":"s","cache_salt":"c","user":null,"n":1} `)
	assert.NoError(t, err)
	assert.Equal(t, []rollout.TokenID{1, 22, 333}, r.Prompt)
	assert.Equal(t, `[ 1 , 22,333 ]`, string(r.raw))
	assert.Equal(t, `mé"x`, r.Model)
	assert.Equal(t, []any{7, 0.5, 0.9, 0.1, int64(-1), int64(9007199254740993), int64(0), int64(1)},
		[]any{r.Wanted, r.Temperature, r.TopP, r.MinP, r.TopK, r.Seed, r.Logprobs, r.PromptLogprobs})
	assert.Equal(t, []rollout.TokenID{2}, r.StopIDs)
	assert.True(t, r.IgnoreEOS && r.Echo && r.ReturnIDs && r.IDStrings && !r.Stream)
	assert.Equal(t, []string{"r", "s", "c"}, []string{r.RequestID, r.SessionID, r.CacheSalt})
}

func TestParseDefaults(t *testing.T) {
	for _, body := range []string{`{"prompt":"A"}`, `{"prompt":"A","max_tokens":null,"seed":null,"logprobs":null,"temperature":null}`} {
		r, err := parsed(body)
		assert.NoError(t, err)
		assert.Equal(t, []rollout.TokenID{65}, r.Prompt)
		assert.Equal(t, []any{16, int64(-1), int64(-1), 1.0}, []any{r.Wanted, r.Seed, r.Logprobs, r.Temperature})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, body := range []string{
		``, `[`, `{`, `{"prompt":[1,]}`, `{"prompt":[1`, `{"prompt":[-1]}`, `{"prompt":[1.5]}`, `{"prompt":[01]}`,
		`{"prompt":[2147483648]}`, `{"prompt":[99999999999999999999]}`, `{"prompt":[[1]]}`, `{"prompt":[1]} x`,
		`{"prompt":[1]`, `{"prompt" [1]}`, `{"model":5}`, `{"model":"a`, `{"model":"\q"}`, `{"seed":"5"}`, `{"stream":1}`, `{"x":[}`, `{"x":}`,
	} {
		_, err := parsed(body)
		assert.ErrorIs(t, err, errScan, "body %s", body)
	}
}

// FuzzScan: what the scanner reads is what encoding/json reads. It may accept
// more, in fields it skips.
func FuzzScan(f *testing.F) {
	for _, body := range []string{
		`{"prompt":[1,2,3],"max_tokens":4}`, `{"a":{"b":[1,"]"]},"prompt":[ 10 ,20 ]}`, `{"prompt":[]}`,
		`{"prompt":[2147483647],"model":"\u00e9","prompt":[1]}`, `{"seed":1e3,"prompt":[0]}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := parsed(string(body))
		names := map[string]json.RawMessage{}
		if err != nil || json.Unmarshal(body, &names) != nil || len(names["prompt"]) == 0 || names["prompt"][0] != '[' {
			return
		}
		var want []rollout.TokenID
		if err := json.Unmarshal(names["prompt"], &want); err != nil || !slices.Equal(got.Prompt, want) {
			t.Fatalf("body %q: got prompt %v, want %v (%v)", body, got.Prompt, want, err)
		}
	})
}
