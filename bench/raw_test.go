package bench_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/bench"
	"focus/bench/fake"
	"focus/rollout"
)

func start(t *testing.T, c fake.Config) *fake.Endpoint {
	t.Helper()
	srv, err := fake.Start(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, srv.Close()) })
	return srv
}

func raw(t *testing.T, c bench.RawConfig) *bench.Raw {
	t.Helper()
	r, err := bench.NewRaw(c)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

func bodies(n, ids int) [][]byte {
	sp := rollout.DefaultSampling()
	sp.MaxTokens, sp.StopIDs, sp.Seed = 64, []rollout.TokenID{2}, 1
	return bench.Bodies(bench.Prompts(n, ids, 7), "fake", sp)
}

func TestRawDoesWhatItSays(t *testing.T) {
	const width, turns = 8, 50
	// The first replies wait until all workers are there.
	var together sync.WaitGroup
	together.Add(width)
	srv := start(t, fake.Config{Record: turns, Script: func(r *fake.Request, out *fake.Reply) {
		if r.Number < width {
			together.Done()
			together.Wait()
		}
		fake.Steady(3)(r, out)
	}})
	sent := bodies(turns, 128)
	r := raw(t, bench.RawConfig{URL: srv.URL, Bodies: sent, Concurrency: width})
	require.NoError(t, r.Turns(t.Context(), turns))
	stats := srv.Stats()
	assert.Equal(t, int64(turns), stats.Answered)
	assert.Equal(t, int64(width), stats.Peak)
	assert.Equal(t, int64(128*turns), stats.PromptIDs)
	assert.ElementsMatch(t, sent, bench.Replay(srv.Recorded()), "every body is sent once, as it is")
	assert.Equal(t, "raw", r.Name())
}

func TestBodiesAreUnderstood(t *testing.T) {
	srv := start(t, fake.Config{Record: 2})
	prompts := bench.Prompts(2, 8192, 3)
	sp := rollout.SamplingParams{Temperature: 0.5, TopP: 0.9, TopK: 7, MinP: 0.1, MaxTokens: 9, Seed: 5, StopIDs: []rollout.TokenID{2, 3}}
	r := raw(t, bench.RawConfig{URL: srv.URL, Bodies: bench.Bodies(prompts, "fake", sp), Concurrency: 1})
	require.NoError(t, r.Turns(t.Context(), 2))
	for i, got := range srv.Recorded() {
		assert.Equal(t, prompts[i], got.Prompt)
		assert.Equal(t, []any{9, 0.5, 0.9, int64(7), 0.1, int64(5 + i), []rollout.TokenID{2, 3}, int64(0), true, true},
			[]any{got.Wanted, got.Temperature, got.TopP, got.TopK, got.MinP, got.Seed, got.StopIDs, got.Logprobs, got.ReturnIDs, got.IDStrings})
	}
	assert.NotEqual(t, prompts[0], prompts[1])
	assert.Equal(t, prompts, bench.Prompts(2, 8192, 3))
}

func TestRawEndsWithTheFirstError(t *testing.T) {
	for f, words := range map[fake.Fault]string{fake.HTTP503: "status 503", fake.ResetAfter: "raw turn", fake.ResetDuring: "read reply"} {
		srv := start(t, fake.Config{Rules: []fake.Rule{{Fault: f, From: 5}}})
		r := raw(t, bench.RawConfig{URL: srv.URL, Bodies: bodies(1, 4), Concurrency: 2})
		assert.ErrorContains(t, r.Turns(t.Context(), 100), words, "fault %s", f)
		assert.Less(t, srv.Stats().Requests, int64(100))
	}
	srv := start(t, fake.Config{})
	r := raw(t, bench.RawConfig{URL: srv.URL, Bodies: bodies(1, 4)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, r.Turns(ctx, 10), context.Canceled)
}

func TestRawConfigIsChecked(t *testing.T) {
	_, err := bench.NewRaw(bench.RawConfig{Bodies: bodies(1, 1)})
	assert.ErrorContains(t, err, "no host")
	_, err = bench.NewRaw(bench.RawConfig{URL: "http://h"})
	assert.ErrorContains(t, err, "no bodies")
}

func TestProcess(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(serverFlag, "1")
	srv, err := bench.StartProcess(t.Context(), self, "-reply", "steady:3")
	require.NoError(t, err)
	r := raw(t, bench.RawConfig{URL: srv.URL, Bodies: bodies(3, 16), Concurrency: 2})
	require.NoError(t, r.Turns(t.Context(), 5))
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	resp, err := (&http.Client{Transport: tr}).Get(srv.URL + "/stats")
	require.NoError(t, err)
	var page strings.Builder
	require.NoError(t, resp.Write(&page))
	require.NoError(t, resp.Body.Close())
	assert.Contains(t, page.String(), `"answered":5`)
	r.Close()
	require.NoError(t, srv.Stop())

	_, err = bench.StartProcess(t.Context(), self, "-reply", "none")
	assert.ErrorContains(t, err, "start server")
	_, err = bench.StartProcess(t.Context(), "no-such-program")
	assert.ErrorContains(t, err, "no-such-program")
}
