package value

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"focus/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// at is a state whose prompt is the one id n.
func at(n int) rollout.State {
	turn := rollout.NewTurn(rollout.NewTokens(rollout.TokenID(n)), rollout.Completion{})
	return rollout.State{Task: rollout.Task{ID: rollout.TaskID(fmt.Sprint("t", n))}}.WithTurn(turn)
}

func prompt(s rollout.State) (rollout.Tokens, error) { return s.Last().Context, nil }

// server answers for a transport, without a network.
type server struct {
	answer func(ctx context.Context, states []state) (status int, body string, err error)

	mu    sync.Mutex
	sizes []int
	at    []time.Time
	open  int
	most  int
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	var asked struct{ States []state }
	err := json.NewDecoder(req.Body).Decode(&asked)
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.sizes, s.at = append(s.sizes, len(asked.States)), append(s.at, time.Now())
	s.open++
	s.most = max(s.most, s.open)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.open--
		s.mu.Unlock()
	}()
	status, body, err := s.answer(req.Context(), asked.States)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// tenths scores each state a tenth of its id.
func tenths(_ context.Context, states []state) (int, string, error) {
	var out []float64
	for _, s := range states {
		out = append(out, float64(s.TokenIDs[0])/10)
	}
	b, err := json.Marshal(map[string]any{"values": out})
	return http.StatusOK, string(b), err
}

// after is tenths, with a wait before.
func after(d time.Duration) func(context.Context, []state) (int, string, error) {
	return func(ctx context.Context, states []state) (int, string, error) {
		select {
		case <-time.After(d):
			return tenths(ctx, states)
		case <-ctx.Done():
			return 0, "", ctx.Err()
		}
	}
}

func client(t *testing.T, s *server, change func(*Config)) *Client {
	t.Helper()
	cfg := Defaults().At("http://values/")
	if change != nil {
		change(&cfg)
	}
	require.NoError(t, cfg.Validate())
	c := start(cfg, "", s)
	c.Reads(prompt)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// askAll asks about each id on a goroutine of its own.
func askAll(ctx context.Context, c *Client, ids ...int) []*float64 {
	out := make([]*float64, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() { out[i] = c.Values(ctx, []rollout.State{at(id)})[0] })
	}
	wg.Wait()
	return out
}

func tenthsOf(t *testing.T, got []*float64, ids ...int) {
	t.Helper()
	for i, id := range ids {
		require.NotNil(t, got[i], "state %d", id)
		require.Equal(t, float64(id)/10, *got[i], "state %d", id)
	}
}

func TestAStateWaitsForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: tenths}
		c := client(t, s, func(c *Config) { c.Batch, c.Wait = 4, time.Second })
		began := time.Now()
		tenthsOf(t, askAll(t.Context(), c, 1, 2, 3, 4, 5, 6), 1, 2, 3, 4, 5, 6)
		require.Equal(t, []int{4, 2}, s.sizes, "one was full, the other ripe")
		require.Equal(t, began, s.at[0])
		require.Equal(t, began.Add(time.Second), s.at[1])

		tenthsOf(t, askAll(t.Context(), c, 7), 7)
		require.Equal(t, began.Add(2*time.Second), s.at[2], "alone it waits its time, and no longer")
		require.Empty(t, c.Failures())
	})
}

func TestStatesOfOneRolloutShareARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: tenths}
		c := client(t, s, func(c *Config) { c.Wait = time.Second })
		got := c.Values(t.Context(), []rollout.State{at(3), at(1), at(2)})
		tenthsOf(t, got, 3, 1, 2)
		require.Equal(t, []int{3}, s.sizes)
		require.Empty(t, c.Values(t.Context(), nil))
	})
}

// While every connection is taken, states fill the next request.
func TestConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: after(time.Minute)}
		c := client(t, s, func(c *Config) { c.Batch, c.Wait, c.Connections, c.Timeout = 5, 0, 2, time.Hour })
		var ids []int
		for i := range 40 {
			ids = append(ids, i)
		}
		tenthsOf(t, askAll(t.Context(), c, ids...), ids...)
		require.Equal(t, 2, s.most)
		total := 0
		for _, n := range s.sizes {
			total += n
			require.LessOrEqual(t, n, 5)
		}
		require.LessOrEqual(t, len(s.sizes), 2+8, "but for the first two, requests are full")
		require.Equal(t, 40, total)
	})
}

func TestMissingScores(t *testing.T) {
	reply := func(status int, body string) func(context.Context, []state) (int, string, error) {
		return func(context.Context, []state) (int, string, error) { return status, body, nil }
	}
	for name, c := range map[string]struct {
		answer func(context.Context, []state) (int, string, error)
		want   [3]float64 // 0 is missing
		why    map[string]int
	}{
		"all there":        {reply(200, `{"values": [1, 2.5, -3e0], "model": "v"}`), [3]float64{1, 2.5, -3}, map[string]int{}},
		"tiny":             {reply(200, `{"values": [1, 2, 3e-999]}`), [3]float64{1, 2, 0}, map[string]int{}},
		"null":             {reply(200, `{"values": [1, null, 3]}`), [3]float64{1, 0, 3}, map[string]int{"null": 1}},
		"NaN":              {reply(200, `{"values": [1, NaN, 3]}`), [3]float64{1, 0, 3}, map[string]int{"not_finite": 1}},
		"infinities":       {reply(200, `{"values": [-Infinity, Infinity, 3]}`), [3]float64{0, 0, 3}, map[string]int{"not_finite": 2}},
		"too large":        {reply(200, `{"values": [1, 1e999, 3]}`), [3]float64{1, 0, 3}, map[string]int{"not_finite": 1}},
		"text":             {reply(200, `{"values": [1, "2", {"score": 3}]}`), [3]float64{1, 0, 0}, map[string]int{"bad_reply": 2}},
		"too few":          {reply(200, `{"values": [1, 2]}`), [3]float64{}, map[string]int{"wrong_length": 3}},
		"too many":         {reply(200, `{"values": [1, 2, 3, 4]}`), [3]float64{}, map[string]int{"wrong_length": 3}},
		"no list":          {reply(200, `{"scores": [1, 2, 3]}`), [3]float64{}, map[string]int{"bad_reply": 3}},
		"not JSON":         {reply(200, `<html>`), [3]float64{}, map[string]int{"bad_reply": 3}},
		"nothing":          {reply(200, ``), [3]float64{}, map[string]int{"bad_reply": 3}},
		"refused":          {reply(422, `{"detail": "no"}`), [3]float64{}, map[string]int{"status": 3}},
		"broken server":    {reply(500, `boom`), [3]float64{}, map[string]int{"status": 3}},
		"redirected":       {reply(307, ``), [3]float64{}, map[string]int{"status": 3}},
		"connection reset": {func(context.Context, []state) (int, string, error) { return 0, "", errors.New("reset") }, [3]float64{}, map[string]int{"unreachable": 3}},
		"late":             {after(time.Hour), [3]float64{}, map[string]int{"timeout": 3}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := client(t, &server{answer: c.answer}, nil)
				began := time.Now()
				got := m.Values(t.Context(), []rollout.State{at(1), at(2), at(3)})
				require.Len(t, got, 3)
				missing := 0
				for _, n := range c.why {
					missing += n
				}
				for i, v := range got {
					if v == nil {
						missing--
						require.Zero(t, c.want[i])
						continue
					}
					require.Equal(t, c.want[i], *v)
				}
				require.Zero(t, missing, "a missing score is nil")
				require.Equal(t, c.why, m.Failures())
				if name == "late" {
					require.Equal(t, 30*time.Second+10*time.Millisecond, time.Since(began))
				}
			})
		})
	}
}

// A score that failed does not touch what comes after it.
func TestTheNextRequestIsAsGoodAsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		c := client(t, &server{answer: func(ctx context.Context, states []state) (int, string, error) {
			if n.Add(1) == 1 {
				return 500, "", nil
			}
			return tenths(ctx, states)
		}}, nil)
		require.Nil(t, askAll(t.Context(), c, 1)[0])
		tenthsOf(t, askAll(t.Context(), c, 1), 1)
	})
}

func TestAPromptThatCannotBeRenderedIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: tenths}
		c := client(t, s, nil)
		c.Reads(func(s rollout.State) (rollout.Tokens, error) {
			if s.Task.ID == "t2" {
				return rollout.Tokens{}, errors.New("no template")
			}
			return prompt(s)
		})
		got := c.Values(t.Context(), []rollout.State{at(1), at(2), at(3)})
		require.Nil(t, got[1])
		tenthsOf(t, []*float64{got[0], got[2]}, 1, 3)
		require.Equal(t, []int{2}, s.sizes)
		require.Equal(t, map[string]int{"prompt": 1}, c.Failures())
	})
}

// Who leaves does not take the request from the others in it, and is no failure.
func TestLeavingARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(t, &server{answer: after(20 * time.Second)}, func(c *Config) { c.Wait = time.Second })
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var left, stayed []*float64
		var wg sync.WaitGroup
		wg.Go(func() { left = askAll(ctx, c, 1) })
		wg.Go(func() { stayed = askAll(t.Context(), c, 2) })
		wg.Wait()
		require.Nil(t, left[0])
		tenthsOf(t, stayed, 2)
		require.Empty(t, c.Failures())
	})
}

// Close answers whoever waits: in the open batch, in a request, and before both.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: after(time.Hour)}
		c := client(t, s, func(c *Config) { c.Batch, c.Connections, c.Wait, c.Timeout = 2, 1, time.Minute, 2*time.Hour })
		var got []*float64
		var wg sync.WaitGroup
		wg.Go(func() { got = askAll(t.Context(), c, 1, 2, 3, 4, 5) })
		synctest.Wait()
		require.Equal(t, []int{2}, s.sizes)
		require.NoError(t, c.Close())
		wg.Wait()
		require.Equal(t, make([]*float64, 5), got)
		require.Equal(t, map[string]int{"closed": 5}, c.Failures())
		require.Nil(t, c.Values(t.Context(), []rollout.State{at(1)})[0])
		require.NoError(t, c.Close(), "closing again does nothing")
	})
}

// TestEveryoneGetsTheirOwn: whatever the sizes, waits and failures, a score is of
// the state it was asked for, no request is over its size, and what is missing
// is counted.
func TestEveryoneGetsTheirOwn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		callers := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 12).Draw(rt, "callers")
		batch, slots := rapid.IntRange(1, 7).Draw(rt, "batch"), rapid.IntRange(1, 3).Draw(rt, "connections")
		wait := rapid.SampledFrom([]time.Duration{0, time.Millisecond, time.Second}).Draw(rt, "wait")
		broken := rapid.IntRange(2, 9).Draw(rt, "broken")
		synctest.Test(t, func(t *testing.T) {
			s := &server{answer: func(ctx context.Context, states []state) (int, string, error) {
				if int(states[0].TokenIDs[0])%broken == 0 {
					return 500, "", nil
				}
				return after(time.Duration(states[0].TokenIDs[0])*time.Millisecond)(ctx, states)
			}}
			c := client(t, s, func(c *Config) { c.Batch, c.Connections, c.Wait = batch, slots, wait })
			var wg sync.WaitGroup
			var missing atomic.Int64
			for k, n := range callers {
				wg.Go(func() {
					var states []rollout.State
					for i := range n {
						states = append(states, at(1+100*k+i))
					}
					for i, v := range c.Values(t.Context(), states) {
						if v == nil {
							missing.Add(1)
						} else if want := float64(1+100*k+i) / 10; *v != want {
							t.Errorf("caller %d got %v, want %v", k, *v, want)
						}
					}
				})
			}
			wg.Wait()
			require.Equal(t, int(missing.Load()), c.Failures()["status"])
			require.LessOrEqual(t, s.most, slots)
			for _, size := range s.sizes {
				require.LessOrEqual(t, size, batch)
			}
		})
	})
}

func TestOverHTTP(t *testing.T) {
	t.Setenv("VALUE_KEY", "secret")
	var seen atomic.Value
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		seen.Store(r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type") + " " + string(body))
		_, _ = io.Copy(w, bytes.NewReader([]byte(`{"values": [0.25]}`)))
	}))
	defer srv.Close()
	cfg := Defaults().At(srv.URL + "/values")
	cfg.APIKeyEnv = "VALUE_KEY"
	c, err := New(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	c.Reads(prompt)
	require.NoError(t, c.Try(t.Context(), at(7)))
	require.Equal(t, 0.25, *c.Values(t.Context(), []rollout.State{at(7)})[0])
	require.Equal(t, `POST /values Bearer secret application/json {"states":[{"task_id":"t7","turns":1,"token_ids":[7]}]}`, seen.Load())

	srv.Close()
	err = c.Try(t.Context(), at(7))
	require.ErrorContains(t, err, "url: the value model at "+srv.URL+"/values gives no score (unreachable: ")
	require.NotContains(t, err.Error(), "\n")
}

func TestConfigIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"no address":     {func(c *Config) { c.URL = "" }, "url: missing"},
		"no host":        {func(c *Config) { c.URL = "localhost:9000" }, `url: "localhost:9000" is not an address`},
		"no batch":       {func(c *Config) { c.Batch = 0 }, "batch: 0, must be at least 1"},
		"no connections": {func(c *Config) { c.Connections = 0 }, "connections: 0, must be at least 1"},
		"negative wait":  {func(c *Config) { c.Wait = -1 }, "wait: -1ns is less than 0"},
		"no timeout":     {func(c *Config) { c.Timeout = 0 }, "timeout: 0s, must be above 0"},
		"no key":         {func(c *Config) { c.APIKeyEnv = "NOBODY_SET_THIS_KEY" }, "api_key_env: the environment variable NOBODY_SET_THIS_KEY is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Defaults().At("http://values:9000")
			c.change(&cfg)
			_, err := New(cfg)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"values":[1,null,NaN]}`, `{"values":[`, `[]`, `{"values":["NaN",-Infinity,1e999]}`, `{"values":null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, failed := decode(text, 3)
		if failed == nil && len(got) != 3 {
			t.Fatalf("%d answers of %q", len(got), text)
		}
		for _, a := range got {
			if (a.value == nil) == (a.err == nil) {
				t.Fatalf("value %v, error %v of %q", a.value, a.err, text)
			}
		}
	})
}
