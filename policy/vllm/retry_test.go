package vllm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"focus/policy"
	"focus/policy/policytest"
)

// trip is a transport without a network, for the fake clock.
type trip struct {
	at      []time.Time
	answers []func(*http.Request) (*http.Response, error)
}

func (r *trip) RoundTrip(req *http.Request) (*http.Response, error) {
	defer req.Body.Close()
	r.at = append(r.at, time.Now())
	next := r.answers[min(len(r.at), len(r.answers))-1]
	return next(req)
}

func status(code int, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), ContentLength: 0}
		for i := 0; i+1 < len(header); i += 2 {
			resp.Header.Set(header[i], header[i+1])
		}
		return resp, nil
	}
}

func fails(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func repliesTo(req *http.Request) (*http.Response, error) {
	var a asked
	if err := json.NewDecoder(req.Body).Decode(&a); err != nil {
		return nil, err
	}
	b, err := json.Marshal(says(&a))
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(b))), ContentLength: -1}, nil
}

func hangs(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func refusedDial() error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// offline is a policy over a trip.
func offline(t *testing.T, r *trip, change ...func(*Config)) *Policy {
	cfg := config("http://server:8000")
	cfg.Backoff, cfg.BackoffMax = time.Second, 5*time.Second
	for _, f := range change {
		f(&cfg)
	}
	p, err := New(cfg, policytest.NewChat())
	require.NoError(t, err)
	p.rt = r
	return p
}

func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &trip{answers: []func(*http.Request) (*http.Response, error){
			fails(refusedDial()), status(429), status(503, "Retry-After", "3"), status(500), repliesTo,
		}}
		_, err := offline(t, r).Generate(t.Context(), prompt(1), law(4))
		require.NoError(t, err)
		require.Len(t, r.at, 5)
		for i, want := range [][2]time.Duration{{time.Second / 2, time.Second}, {time.Second, 2 * time.Second}, {3 * time.Second, 3 * time.Second}, {5 * time.Second / 2, 5 * time.Second}} {
			waited := r.at[i+1].Sub(r.at[i])
			require.True(t, waited >= want[0] && waited <= want[1], "wait %d was %s, want %s to %s", i, waited, want[0], want[1])
		}
	})
}

func TestRetryAfterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &trip{answers: []func(*http.Request) (*http.Response, error){status(503, "Retry-After", "3600"), repliesTo}}
		_, err := offline(t, r).Generate(t.Context(), prompt(1), law(4))
		require.NoError(t, err)
		require.Equal(t, 5*time.Second, r.at[1].Sub(r.at[0]))
	})
}

func TestRetriesEnd(t *testing.T) {
	for name, c := range map[string]struct {
		answer   func(*http.Request) (*http.Response, error)
		kind     policy.Kind
		attempts int
		want     string
	}{
		"dead":        {fails(refusedDial()), policy.KindUnreachable, 3, "connection refused"},
		"reset":       {fails(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), policy.KindUnreachable, 3, "connection reset"},
		"overloaded":  {status(429), policy.KindOverloaded, 3, "(after 3 attempts)"},
		"unavailable": {status(503), policy.KindOverloaded, 3, "status 503"},
		"broken":      {status(500), policy.KindServer, 3, "status 500"},
		"refused":     {status(400), policy.KindRefused, 1, "status 400"},
		"redirected":  {status(302), policy.KindRefused, 1, "status 302"},
		"not there":   {status(404), policy.KindRefused, 1, "is it a vLLM server"},
		"hangs":       {hangs, policy.KindTimeout, 1, "no reply within generate_timeout (1m0s)"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &trip{answers: []func(*http.Request) (*http.Response, error){c.answer}}
			p := offline(t, r, func(c *Config) { c.Retries, c.GenerateTimeout = 2, time.Minute })
			_, err := p.Generate(t.Context(), prompt(1), law(4))
			e, ok := errors.AsType[*policy.Error](err)
			require.True(t, ok, "%s: %v", name, err)
			require.Equal(t, c.kind, e.Kind, "%s: %v", name, err)
			require.ErrorContains(t, err, c.want, name)
			require.ErrorContains(t, err, "http://server:8000", name)
			require.Len(t, r.at, c.attempts, name)
		})
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &trip{answers: []func(*http.Request) (*http.Response, error){status(503)}}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := offline(t, r).Generate(ctx, prompt(1), law(4))
		require.Equal(t, context.DeadlineExceeded, err, "the context's own error")
		require.Len(t, r.at, 1)
	})
}

func TestCallersDeadlineIsTheContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &trip{answers: []func(*http.Request) (*http.Response, error){hangs}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := offline(t, r).Generate(ctx, prompt(1), law(4))
		require.Equal(t, context.DeadlineExceeded, err)
	})
}

// A connection that breaks in the middle of a reply is not a reply.
func TestBrokenBody(t *testing.T) {
	s := newServer(t, says)
	calls := 0
	s.complete = func(w http.ResponseWriter, a *asked) {
		if calls++; calls == 2 {
			writeJSON(w, says(a))
			return
		}
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"choices":`)
		panic(http.ErrAbortHandler)
	}
	p := newPolicy(t, config(s.URL))
	_, err := p.Generate(t.Context(), prompt(1), law(4))
	require.NoError(t, err)
	require.EqualValues(t, 1, p.Stats().Retried)
}

func TestContextFull(t *testing.T) {
	for body, full := range map[string]bool{
		`{"error":{"message":"…","type":"BadRequestError","param":"input_tokens","code":400}}`:                                                               true,
		`{"error":{"message":"max_tokens must be at least 1, got 0","param":"max_tokens","code":400}}`:                                                       true,
		`{"error":{"message":"max_tokens is too large","param":"max_tokens","code":400}}`:                                                                    false,
		`{"error":{"message":"Input length (9) exceeds model's maximum context length (8).","param":null}}`:                                                  true,
		`{"object":"error","error":{"message":"This model's maximum context length is 8 tokens. However, you requested 9 tokens","type":"BadRequestError"}}`: true,
		`{"error":{"message":"The decoder prompt (length 9) is longer than the maximum model length of 8.","param":null}}`:                                   true,
		`{"error":{"message":"token id 9 is out of vocabulary","param":null}}`:                                                                               false,
		`{"error":{"message":"context length","param":"body.seed"}}`:                                                                                         false,
		`{"error":"the context length is exceeded"}`:                                                                                                         true,
		`{"detail":"There was an error parsing the body"}`:                                                                                                   false,
		"<html>\nbad\n</html>":                      false,
		strings.Repeat("long and no JSON. ", 10000): false,
	} {
		s := newServer(t, says)
		s.complete = func(w http.ResponseWriter, _ *asked) {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, body)
		}
		_, err := newPolicy(t, config(s.URL)).Generate(t.Context(), prompt(1), law(4))
		require.Equal(t, full, errors.Is(err, policy.ErrContextFull), "%.200s: %v", body, err)
		require.NotContains(t, err.Error(), "\n")
		require.Less(t, len(err.Error()), 500)
		require.Len(t, s.requests(), 1)
	}
}

func TestDelay(t *testing.T) {
	p := offline(t, &trip{})
	for tries, most := range []time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
		for range 50 {
			d := p.delay(tries, 0)
			require.True(t, d >= most/2 && d <= most, "delay %d is %s", tries, d)
		}
	}
	far := p.delay(1_000_000, 0)
	require.True(t, far > 0 && far <= 5*time.Second, "far delay is %s", far)
}
