package fake_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/bench/fake"
	"focus/rollout"
)

// seen is what a client gets from one faulty request.
type seen struct {
	status int
	raw    string
	header map[string][]string
	err    error
}

// honest is the reply of the same server without the fault.
var expectations = map[fake.Fault]func(t *testing.T, got seen, honest wire){
	fake.ResetBefore: wantReset,
	fake.ResetAfter:  wantReset,
	fake.ResetDuring: func(t *testing.T, got seen, _ wire) {
		require.Error(t, got.err)
		assert.True(t, errors.Is(got.err, syscall.ECONNRESET) || errors.Is(got.err, io.ErrUnexpectedEOF), "%v", got.err)
	},
	fake.CutJSON: func(t *testing.T, got seen, _ wire) {
		require.NoError(t, got.err)
		assert.Equal(t, 200, got.status)
		assert.False(t, json.Valid([]byte(got.raw)))
	},
	fake.Garbage: func(t *testing.T, got seen, _ wire) { assert.Contains(t, got.raw, "<html>") },
	fake.HTTP400: wantStatus(400, "BadRequestError"),
	fake.HTTP401: wantStatus(401, `{"error":"Unauthorized"}`),
	fake.HTTP404: wantStatus(404, "NotFoundError"),
	fake.HTTP429: func(t *testing.T, got seen, w wire) {
		wantStatus(429, "Too Many")(t, got, w)
		assert.Equal(t, []string{"2"}, got.header["Retry-After"])
	},
	fake.HTTP500: wantStatus(500, "InternalServerError"),
	fake.HTTP503: func(t *testing.T, got seen, w wire) {
		wantStatus(503, "Service Unavailable")(t, got, w)
		assert.Equal(t, []string{"2"}, got.header["Retry-After"])
	},
	fake.Streams: func(t *testing.T, got seen, _ wire) {
		assert.True(t, strings.HasPrefix(got.raw, "data: {") && strings.HasSuffix(got.raw, "data: [DONE]\n\n"), got.raw)
	},
	fake.NoTokenIDs: lies(func(t *testing.T, got, honest wire) {
		assert.Nil(t, got.Choices[0].TokenIDs)
		assert.Nil(t, got.Choices[0].PromptTokenIDs)
		assert.Equal(t, honest.Choices[0].Logprobs, got.Choices[0].Logprobs)
	}),
	fake.NoLogprobs:  lies(func(t *testing.T, got, _ wire) { assert.Nil(t, got.Choices[0].Logprobs) }),
	fake.NullLogprob: lies(func(t *testing.T, got, _ wire) { assert.Nil(t, last(got.Choices[0].Logprobs.TokenLogprobs)) }),
	fake.NaNLogprob: func(t *testing.T, got seen, _ wire) {
		assert.Contains(t, got.raw, ",NaN]")
		assert.False(t, json.Valid([]byte(got.raw)))
	},
	fake.UnknownLogprob:  lies(func(t *testing.T, got, _ wire) { assert.Equal(t, float32(-9999), last(got.logprobs(t))) }),
	fake.PositiveLogprob: lies(func(t *testing.T, got, _ wire) { assert.Positive(t, last(got.logprobs(t))) }),
	fake.ShortLogprobs: lies(func(t *testing.T, got, honest wire) {
		assert.Len(t, got.logprobs(t), len(honest.Choices[0].TokenIDs)-1)
		assert.Equal(t, honest.Choices[0].TokenIDs, got.Choices[0].TokenIDs)
	}),
	fake.LongLogprobs: lies(func(t *testing.T, got, honest wire) {
		assert.Len(t, got.logprobs(t), len(honest.Choices[0].TokenIDs)+1)
	}),
	fake.WrongUsage: lies(func(t *testing.T, got, honest wire) {
		assert.Equal(t, honest.Usage.CompletionTokens+1, got.Usage.CompletionTokens)
	}),
	fake.EchoAltered: lies(func(t *testing.T, got, honest wire) {
		assert.Len(t, got.Choices[0].PromptTokenIDs, len(honest.Choices[0].PromptTokenIDs))
		assert.NotEqual(t, honest.Choices[0].PromptTokenIDs, got.Choices[0].PromptTokenIDs)
	}),
	fake.PromptTruncated: lies(func(t *testing.T, got, honest wire) {
		assert.Equal(t, honest.Choices[0].PromptTokenIDs[1:], got.Choices[0].PromptTokenIDs)
		assert.Equal(t, honest.Usage.PromptTokens-1, got.Usage.PromptTokens)
	}),
	fake.IgnoresMaxTokens: lies(func(t *testing.T, got, _ wire) {
		assert.Len(t, got.Choices[0].TokenIDs, question().MaxTokens+1)
		assert.Len(t, got.logprobs(t), question().MaxTokens+1)
	}),
	fake.StrangeID: lies(func(t *testing.T, got, honest wire) {
		assert.Equal(t, rollout.TokenID(1<<31-1), last(got.Choices[0].TokenIDs))
		assert.Len(t, got.Choices[0].TokenIDs, len(honest.Choices[0].TokenIDs))
	}),
	fake.FinishLength: lies(func(t *testing.T, got, _ wire) {
		assert.Equal(t, "length", *got.Choices[0].FinishReason)
		assert.Less(t, len(got.Choices[0].TokenIDs), question().MaxTokens)
	}),
	fake.FinishStop: lies(func(t *testing.T, got, _ wire) {
		assert.Equal(t, "stop", *got.Choices[0].FinishReason)
		assert.NotEqual(t, rollout.TokenID(2), last(got.Choices[0].TokenIDs))
	}),
	fake.NoFinish: lies(func(t *testing.T, got, _ wire) { assert.Nil(t, got.Choices[0].FinishReason) }),
	fake.AbortPartial: lies(func(t *testing.T, got, honest wire) {
		assert.Equal(t, "abort", *got.Choices[0].FinishReason)
		n := len(honest.Choices[0].TokenIDs) / 2
		assert.Equal(t, honest.Choices[0].TokenIDs[:n], got.Choices[0].TokenIDs)
		assert.Equal(t, honest.logprobs(t)[:n], got.logprobs(t))
		assert.Equal(t, n, got.Usage.CompletionTokens)
	}),
	fake.AbortEmpty: lies(func(t *testing.T, got, _ wire) {
		assert.Equal(t, "abort", *got.Choices[0].FinishReason)
		assert.Empty(t, got.Choices[0].TokenIDs)
		assert.Zero(t, got.Usage.CompletionTokens)
	}),
	fake.WrongModel: lies(func(t *testing.T, got, honest wire) { assert.NotEqual(t, honest.Model, got.Model) }),
	fake.Slow:       lies(func(t *testing.T, got, honest wire) { assert.Equal(t, honest.Choices, got.Choices) }),
	// Shown with virtual time below.
	fake.Stall:       nil,
	fake.StallDuring: nil,
}

func last[T any](s []T) T { return s[len(s)-1] }

func wantReset(t *testing.T, got seen, _ wire) {
	require.Error(t, got.err)
	assert.True(t, errors.Is(got.err, syscall.ECONNRESET) || errors.Is(got.err, io.EOF), "%v", got.err)
}

func wantStatus(status int, words string) func(*testing.T, seen, wire) {
	return func(t *testing.T, got seen, _ wire) {
		require.NoError(t, got.err)
		assert.Equal(t, status, got.status)
		assert.Contains(t, got.raw, words)
	}
}

func lies(check func(t *testing.T, got, honest wire)) func(*testing.T, seen, wire) {
	return func(t *testing.T, got seen, honest wire) {
		require.NoError(t, got.err)
		require.Equal(t, 200, got.status, got.raw)
		check(t, decode(t, got.raw), honest)
	}
}

func TestEveryFault(t *testing.T) {
	honest := pipe(t, fake.Config{}).complete(t, question())
	require.Equal(t, "stop", *honest.Choices[0].FinishReason)
	for _, f := range fake.Faults() {
		check, shown := expectations[f]
		require.True(t, shown, "fault %s is not tested", f)
		assert.NotEmpty(t, f.Sentence())
		if check == nil {
			continue
		}
		t.Run(string(f), func(t *testing.T) {
			c := serve(t, fake.Config{Rules: []fake.Rule{{Fault: f, To: 1, RetryAfter: "2"}}})
			var got seen
			got.status, got.raw, got.header, got.err = c.post(t.Context(), question())
			check(t, got, honest)
			assert.Equal(t, map[fake.Fault]int64{f: 1}, c.Stats().Faults)
			// Some faults end the connection without a word: the next request
			// takes another one.
			c.http.CloseIdleConnections()
			again := c.complete(t, question())
			assert.Equal(t, honest.Choices, again.Choices, "the next request is answered as ever")
		})
	}
}

func TestStalls(t *testing.T) {
	for _, f := range []fake.Fault{fake.Stall, fake.StallDuring} {
		t.Run(string(f), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := pipe(t, fake.Config{Rules: []fake.Rule{{Fault: f}}})
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				begin := time.Now()
				status, raw, _, err := c.post(ctx, question())
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.Equal(t, time.Hour, time.Since(begin))
				if f == fake.StallDuring {
					assert.Equal(t, 200, status)
					assert.NotEmpty(t, raw)
				}
				synctest.Wait()
				assert.Equal(t, int64(1), c.Stats().Gone)
			})
		})
	}
}

func TestCloseEndsAStall(t *testing.T) {
	reached := make(chan struct{})
	e, err := fake.Start(fake.Config{Rules: []fake.Rule{{Fault: fake.Stall, Match: func(*fake.Request) bool {
		close(reached)
		return true
	}}}})
	require.NoError(t, err)
	tr := e.Transport(1)
	defer tr.CloseIdleConnections()
	failed := make(chan error)
	go func() {
		c := client{e, nil}
		c.http = newHTTP(tr)
		_, _, _, err := c.post(context.Background(), question())
		failed <- err
	}()
	<-reached
	require.NoError(t, e.Close())
	assert.ErrorIs(t, <-failed, io.EOF)
}

func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := pipe(t, fake.Config{Rules: []fake.Rule{{Fault: fake.Slow, Every: 2, Delay: time.Hour}}})
		for _, want := range []time.Duration{0, time.Hour, 0} {
			begin := time.Now()
			c.complete(t, question())
			assert.Equal(t, want, time.Since(begin))
		}
	})
}
