package fake_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/bench/fake"
	"focus/rollout"
)

func TestReplyFieldByField(t *testing.T) {
	c := serve(t, fake.Config{Model: "m", Script: func(_ *fake.Request, out *fake.Reply) {
		out.Tokens, out.Logprobs, out.Cached = []rollout.TokenID{9, 2}, []float32{-0.5, -0.25}, 3
	}})
	_, raw, header, err := c.post(t.Context(), `{"model":"m","prompt":[5, 6],"max_tokens":8,"logprobs":0,"return_token_ids":true,
		"return_tokens_as_token_ids":true,"request_id":"r\"1"}`)
	require.NoError(t, err)
	assert.Equal(t, "application/json", header.Get("Content-Type"))
	assert.JSONEq(t, `{"id":"cmpl-r\"1","object":"text_completion","created":1700000000,"model":"m",
		"choices":[{"index":0,"text":"","finish_reason":"stop","stop_reason":null,"token_ids":[9,2],"prompt_token_ids":[5,6],
			"logprobs":{"text_offset":[0,10],"token_logprobs":[-0.5,-0.25],"tokens":["token_id:9","token_id:2"],
				"top_logprobs":[{"token_id:9":-0.5},{"token_id:2":-0.25}]},
			"prompt_logprobs":null}],
		"usage":{"prompt_tokens":2,"total_tokens":4,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}`, raw)
	_, raw, _, err = c.post(t.Context(), `{"prompt":"AB"}`)
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"cmpl-fake-1","object":"text_completion","created":1700000000,"model":"m",
		"choices":[{"index":0,"text":"","finish_reason":"stop","stop_reason":null,"token_ids":null,"prompt_token_ids":null,"logprobs":null,"prompt_logprobs":null}],
		"usage":{"prompt_tokens":2,"total_tokens":4,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}`, raw)
}

func TestChecks(t *testing.T) {
	clamp := serve(t, fake.Config{Window: 8, Vocab: 100})
	refuse := serve(t, fake.Config{Window: 8, Vocab: 100, Overflow: fake.Refuse})
	for _, tc := range []struct {
		name, body string
		c          client
		status     int
		words      string
	}{
		{"room is clamped", `{"prompt":[5,6,7],"max_tokens":8,"ignore_eos":true}`, clamp, 200, `"finish_reason":"length"`},
		{"clamped to five", `{"prompt":[5,6,7],"max_tokens":8,"ignore_eos":true}`, clamp, 200, `"completion_tokens":5`},
		{"room is refused", `{"prompt":[5,6,7],"max_tokens":8}`, refuse, 400, `"param":"input_tokens"`},
		{"cap over the window", `{"prompt":[5],"max_tokens":9}`, clamp, 400, `"param":"max_tokens"`},
		{"no cap", `{"prompt":[5],"max_tokens":0}`, clamp, 400, `"param":"max_tokens"`},
		{"prompt fills the window", `{"prompt":[5,5,5,5,5,5,5,5],"max_tokens":1}`, clamp, 400, `got 0`},
		{"prompt over the window", `{"prompt":[5,5,5,5,5,5,5,5,5],"max_tokens":1}`, clamp, 400, `context length is 8 tokens and the prompt has 9 input tokens`},
		{"choices", `{"prompt":[5],"n":2}`, clamp, 400, `"param":"n"`},
		{"empty", `{"prompt":[]}`, clamp, 400, `empty`},
		{"out of vocabulary", `{"prompt":[100],"max_tokens":1}`, clamp, 400, `out of vocabulary`},
		{"stop id", `{"prompt":[5],"max_tokens":1,"stop_token_ids":[100]}`, clamp, 400, `"param":"stop_token_ids"`},
		{"model", `{"model":"x","prompt":[5]}`, clamp, 404, `"param":"model"`},
		{"json", `{"prompt":[5`, clamp, 400, `"param":"body"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, raw, _, err := tc.c.post(t.Context(), tc.body)
			require.NoError(t, err)
			assert.Equal(t, tc.status, status, raw)
			assert.Contains(t, raw, tc.words)
		})
	}
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := pipe(t, fake.Config{Script: fake.Steady(10), Latency: fake.Latency{Fixed: time.Hour, PerToken: time.Minute, PerPromptToken: time.Second}})
		begin := time.Now()
		q := question()
		c.complete(t, q)
		assert.Equal(t, time.Hour+10*time.Minute+4*time.Second, time.Since(begin))
		begin = time.Now()
		q.Stream = true
		_, _, _, err := c.post(t.Context(), q)
		require.NoError(t, err)
		assert.Equal(t, time.Hour+10*time.Minute+4*time.Second, time.Since(begin), "a stream takes as long")
	})
}

func TestJitterFollowsTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := pipe(t, fake.Config{Latency: fake.Latency{Jitter: time.Hour}})
		took := func(seed int64) time.Duration {
			begin := time.Now()
			q := question()
			q.Seed = seed
			c.complete(t, q)
			return time.Since(begin)
		}
		first := took(1)
		assert.Equal(t, first, took(1))
		assert.NotEqual(t, first, took(2))
		assert.Less(t, first, time.Hour)
	})
}

func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 500
		c := pipe(t, fake.Config{Script: fake.Steady(3), Latency: fake.Latency{Fixed: time.Minute}, Record: 7})
		var group sync.WaitGroup
		for i := range n {
			group.Go(func() {
				q := question()
				q.Seed = int64(i)
				if _, _, _, err := c.post(t.Context(), q); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		assert.Equal(t, int64(n), c.Stats().Active)
		group.Wait()
		assert.Equal(t, fake.Stats{Requests: n, Answered: n, Peak: n, PromptIDs: 4 * n, SampledIDs: 3 * n}, c.Stats())
		rec := c.Recorded()
		require.Len(t, rec, 7)
		assert.Equal(t, []rollout.TokenID{5, 6, 7, 8}, rec[6].Prompt)
		assert.True(t, strings.HasPrefix(string(rec[6].Body), `{"prompt":[5,6,7,8]`))
		assert.Equal(t, "application/json", rec[6].Header.Get("Content-Type"))
	})
}

func TestAClientThatLeavesIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := pipe(t, fake.Config{Latency: fake.Latency{Fixed: time.Hour}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, _, _, err := c.post(ctx, question())
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		assert.Equal(t, fake.Stats{Requests: 1, Peak: 1, Gone: 1}, c.Stats())
	})
}

func TestMaxActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := pipe(t, fake.Config{MaxActive: 1, Latency: fake.Latency{Fixed: time.Minute}})
		done := make(chan int)
		go func() {
			status, _, _, _ := c.post(t.Context(), question())
			done <- status
		}()
		synctest.Wait()
		status, _, _, err := c.post(t.Context(), question())
		require.NoError(t, err)
		assert.Equal(t, http.StatusServiceUnavailable, status)
		assert.Equal(t, http.StatusOK, <-done)
		assert.Equal(t, int64(1), c.Stats().Refused)
	})
}

func TestUtilityRoutes(t *testing.T) {
	c := serve(t, fake.Config{Window: 99})
	for _, tc := range []struct{ path, body, want string }{
		{"/v1/models", "", `"max_model_len":99`},
		{"/version", "", `"0.32.0"`},
		{"/stats", "", `"requests":0`},
		{"/abort_requests", "{}", `"aborted"`},
		{"/tokenize", `{"prompt":"AB"}`, `"tokens":[65,66]`},
		{"/detokenize", `{"tokens":[65,66]}`, `{"prompt":"AB"}`},
		{"/tokenize", `{`, `"code":400`},
		{"/elsewhere", "", `Not Found`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.URL+tc.path, strings.NewReader(tc.body))
		require.NoError(t, err)
		resp, err := c.http.Do(req)
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, resp.Write(&b))
		assert.Contains(t, b.String(), tc.want, tc.path)
	}
}

func TestConfigReportsEveryProblem(t *testing.T) {
	_, err := fake.New(fake.Config{Window: 1, Vocab: 1, Overflow: "x", Latency: fake.Latency{Fixed: -1}, Rules: []fake.Rule{{Fault: "nope"}}})
	require.Error(t, err)
	for _, words := range []string{"window", "vocab", "overflow", "eos", "latency", `rule 0: unknown fault "nope"`} {
		assert.Contains(t, err.Error(), words)
	}
}
