package vllm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

func prompt(ids ...rollout.TokenID) policy.Prompt {
	return policy.Prompt{Tokens: rollout.NewTokens(ids...), Covers: 1}
}

func law(maxTokens int) rollout.SamplingParams {
	sp := rollout.DefaultSampling()
	sp.MaxTokens, sp.Seed, sp.StopIDs = maxTokens, 42, []rollout.TokenID{policytest.IMEnd}
	return sp
}

// says answers with "ok" and the terminator.
func says(a *asked) answer { return ended(a, 'o', 'k', policytest.IMEnd) }

// ended is honest with the model's own end of sequence, whatever was asked.
func ended(a *asked, ids ...rollout.TokenID) answer {
	own := *a
	own.StopTokenIDs = append(slices.Clone(a.StopTokenIDs), policytest.IMEnd)
	return honest(&own, ids...)
}

// repeatable: the ids of the fake depend on the prompt's length and the
// position alone.
type repeatable struct{ *Policy }

func (repeatable) Reproducible() {}

func drawn(a *asked) answer {
	ids := make([]rollout.TokenID, max(a.MaxTokens, 1))
	for i := range ids {
		at := len(a.Prompt) + i
		ids[i] = rollout.TokenID('a' + (at*at+7*at)%26)
		if at%97 == 96 {
			ids[i] = policytest.IMEnd
		}
	}
	return ended(a, ids...)
}

func TestConformance(t *testing.T) {
	s := newServer(t, drawn)
	s.models = strings.Replace(s.models, "200", "700", 1)
	policytest.Run(t, func(t *testing.T) policy.Policy {
		return repeatable{probed(t, s, func(c *Config) { c.EchoFirst, c.EchoEvery = 1, 2 })}
	})
}

func TestGenerate(t *testing.T) {
	s := newServer(t, says)
	p := probed(t, s, func(c *Config) { c.Version = "step-3"; c.Priority = 7 })
	ctx := policy.WithOrigin(t.Context(), policy.Origin{Request: "rollout-1", Session: "rollout"})
	c, err := p.Generate(ctx, prompt(1, 2, 3), law(9))
	require.NoError(t, err)
	require.Positive(t, c.Latency)
	c.Latency = 0
	require.Equal(t, rollout.Completion{
		Tokens:   []rollout.TokenID{'o', 'k', policytest.IMEnd},
		Logprobs: []float32{policytest.Logprob('o'), policytest.Logprob('k'), policytest.Logprob(policytest.IMEnd)},
		Finish:   rollout.FinishStop, Matched: policytest.IMEnd, LogprobMode: rollout.LogprobsRaw, Exact: true,
		Versions: []rollout.VersionSpan{{Version: "step-3", Start: 0, End: 3}}, CachedTokens: -1, Server: s.URL,
	}, c)

	a := s.last()
	require.Equal(t, []rollout.TokenID{1, 2, 3}, a.Prompt)
	require.Equal(t, "tiny", a.Model)
	require.EqualValues(t, 42, a.Seed)
	require.Equal(t, 9, a.MaxTokens)
	require.Equal(t, "step-3", a.CacheSalt)
	require.Equal(t, 7, a.Priority)
	require.Equal(t, "rollout", a.header.Get("X-Session-Id"))
	require.Equal(t, a.RequestID, a.header.Get("X-Request-Id"))
	require.Regexp(t, `^rollout-1-[a-z0-9]{8}-[0-9a-z]+-a1$`, a.RequestID)
	for _, field := range []string{"truncate_prompt_tokens", "stop", "max_completion_tokens", "n"} {
		require.NotContains(t, a.raw, field)
	}
	require.Empty(t, a.header.Get("Idempotency-Key"), "net/http would send such a request again by itself")

	d := p.Describe()
	require.Equal(t, "tiny", d.Model)
	require.Equal(t, 200, d.Window)
}

func TestRequestIDsAreUnique(t *testing.T) {
	var n atomic.Int64
	s := newServer(t, says)
	s.complete = func(w http.ResponseWriter, a *asked) {
		if n.Add(1)%2 == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		writeJSON(w, says(a))
	}
	p := newPolicy(t, config(s.URL))
	seen := map[string]bool{}
	for range 5 {
		_, err := p.Generate(policy.WithOrigin(t.Context(), policy.Origin{Request: "same"}), prompt(1), law(4))
		require.NoError(t, err)
	}
	for _, a := range s.requests() {
		require.False(t, seen[a.RequestID], a.RequestID)
		seen[a.RequestID] = true
	}
	require.Len(t, seen, 10)
}

func TestWindowClamp(t *testing.T) {
	s := newServer(t, drawn)
	p := probed(t, s)
	long := make([]rollout.TokenID, 195)
	c, err := p.Generate(t.Context(), prompt(long...), law(50))
	require.NoError(t, err)
	require.Len(t, c.Tokens, 5)
	require.Equal(t, rollout.FinishLength, c.Finish)
	require.Equal(t, 5, s.last().MaxTokens, "never more than the room")

	before := len(s.requests())
	_, err = p.Generate(t.Context(), prompt(make([]rollout.TokenID, 200)...), law(50))
	require.ErrorIs(t, err, policy.ErrContextFull)
	require.Len(t, s.requests(), before, "nothing is sent when nothing fits")
}

func TestUnusableLaw(t *testing.T) {
	p := newPolicy(t, config("http://127.0.0.1:1"))
	for _, temperature := range []float64{0.001, 2.5, -1} {
		sp := law(4)
		sp.Temperature = temperature
		_, err := p.Generate(t.Context(), prompt(1), sp)
		e, ok := errors.AsType[*policy.Error](err)
		require.True(t, ok, "temperature %v: %v", temperature, err)
		require.Equal(t, policy.KindRefused, e.Kind)
		require.ErrorContains(t, err, "temperature")
	}
}

// Each reply has one fault, and the error says what was seen.
func TestBadReplies(t *testing.T) {
	set := func(key string, v any) func(answer) { return func(a answer) { a.choice()[key] = v } }
	logprob := func(key string, v any) func(answer) { return func(a answer) { a.logprobs()[key] = v } }
	usage := func(key string, v any) func(answer) { return func(a answer) { a["usage"].(answer)[key] = v } }
	for name, c := range map[string]struct {
		change func(answer)
		want   string
		is     error
	}{
		"no ids":                  {func(a answer) { set("token_ids", nil)(a); logprob("tokens", []string{"o", "k", "x"})(a) }, "no token ids in the reply: use vLLM 0.10.2", nil},
		"no logprobs":             {set("logprobs", nil), "no logprobs in the reply", nil},
		"a logprob short":         {logprob("token_logprobs", []any{-1, -2}), "3 ids and 2 logprobs", nil},
		"a logprob more":          {logprob("token_logprobs", []any{-1, -2, -3, -4}), "3 ids and 4 logprobs", nil},
		"null logprob":            {logprob("token_logprobs", []any{-1, nil, -3}), "logprob of id 107 at 1 is unknown", nil},
		"vLLM's unknown":          {logprob("token_logprobs", []any{-1, -2, -9999.0}), "at 2 is unknown (-9999)", nil},
		"lowest float":            {logprob("token_logprobs", []any{-3.4e38, -2, -1}), "at 0 is unknown", nil},
		"positive":                {logprob("token_logprobs", []any{0.5, -2, -1}), "at 0 is unknown", nil},
		"ids differ":              {logprob("tokens", []string{"token_id:1", "token_id:2", "token_id:3"}), "others", nil},
		"two choices":             {func(a answer) { a["choices"] = append(a["choices"].([]any), a.choice()) }, "2 choices", nil},
		"no choice":               {func(a answer) { a["choices"] = []any{} }, "0 choices", nil},
		"usage of the reply":      {usage("completion_tokens", 4), "3 ids in the reply, usage says 4", nil},
		"usage of the prompt":     {usage("prompt_tokens", 4), "usage says 4 prompt ids, 3 were sent", policy.ErrEcho},
		"no usage":                {func(a answer) { a["usage"] = nil }, "no usage", nil},
		"no echo":                 {set("prompt_token_ids", nil), "no prompt_token_ids", nil},
		"another prompt":          {set("prompt_token_ids", []int{1, 9, 3}), "prompt id 1 was sent as 2 and seen as 9", policy.ErrEcho},
		"longer prompt":           {set("prompt_token_ids", []int{0, 1, 2, 3}), "the server saw 4 prompt ids, 3 were sent", policy.ErrEcho},
		"stop string":             {set("stop_reason", "###"), "stop string", nil},
		"stop id cut":             {set("stop_reason", 7), "stopped by id 7 and the last id is 258", nil},
		"length too early":        {func(a answer) { set("finish_reason", "length")(a) }, "finish length with 3 of 9", nil},
		"no finish":               {set("finish_reason", nil), `finish "" is not known`, nil},
		"finish from nowhere":     {set("finish_reason", "tool_calls"), `finish "tool_calls" is not known`, nil},
		"stop id did not stop":    {func(a answer) { longer(a, 'o', policytest.IMEnd, 'k') }, "the server ignores stop_token_ids", nil},
		"more than allowed":       {func(a answer) { longer(a, make([]rollout.TokenID, 10)...) }, "10 ids, 9 were allowed", nil},
		"nothing at all":          {func(a answer) { longer(a) }, `finish "stop" without an id`, nil},
		"length on a stop id":     {func(a answer) { longer(a, 1, 2, 3, 4, 5, 6, 7, 8, 258); set("finish_reason", "length")(a) }, "finish length on stop id 258", nil},
		"usage is not there at 0": {usage("completion_tokens", nil), "no usage", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(a *asked) answer {
				out := says(a)
				c.change(out)
				return out
			})
			p := newPolicy(t, config(s.URL))
			got, err := p.Generate(t.Context(), prompt(1, 2, 3), law(9))
			e, ok := errors.AsType[*policy.Error](err)
			require.True(t, ok, "%v, %+v", err, got)
			require.Equal(t, policy.KindBadReply, e.Kind, "%v", err)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, s.URL)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
			require.Len(t, s.requests(), 1, "a reply that came is not asked for again")
			require.EqualValues(t, 1, p.Stats().BadReplies)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// longer replaces the ids of an answer, consistently.
func longer(a answer, ids ...rollout.TokenID) {
	prompt := a.choice()["prompt_token_ids"].([]rollout.TokenID)
	fresh := honest(&asked{Prompt: prompt, MaxTokens: len(ids), ReturnIDs: true}, ids...)
	if len(ids) == 0 {
		fresh = honest(&asked{Prompt: prompt, MaxTokens: 0, ReturnIDs: true})
	}
	fresh.choice()["finish_reason"] = "stop"
	for k, v := range fresh {
		a[k] = v
	}
}

func TestNotAReply(t *testing.T) {
	for _, body := range []string{"<html>hello</html>", `{"choices":[{"token_ids":[1,2`, `{"object":"error"}`, ""} {
		s := newServer(t, says)
		s.complete = func(w http.ResponseWriter, _ *asked) { io.WriteString(w, body) }
		_, err := newPolicy(t, config(s.URL)).Generate(t.Context(), prompt(1), law(4))
		e, ok := errors.AsType[*policy.Error](err)
		require.True(t, ok, "%q: %v", body, err)
		require.Equal(t, policy.KindBadReply, e.Kind, "%q: %v", body, err)
	}
}

func TestEchoSample(t *testing.T) {
	s := newServer(t, says)
	p := probed(t, s, func(c *Config) { c.EchoFirst, c.EchoEvery = 2, 3 })
	before := len(s.requests())
	for range 9 {
		_, err := p.Generate(t.Context(), prompt(1), law(4))
		require.NoError(t, err)
	}
	var echo []bool
	for _, a := range s.requests()[before:] {
		echo = append(echo, a.ReturnIDs)
	}
	require.Equal(t, []bool{true, true, false, false, true, false, false, true, false}, echo)
	require.EqualValues(t, 4, p.Stats().Echoed)
}

// A server that names tokens by their text has ids with the echo only.
func TestEchoAlwaysWhenNeeded(t *testing.T) {
	s := newServer(t, func(a *asked) answer {
		out := says(a)
		names := out.logprobs()["tokens"].([]string)
		for i := range names {
			names[i] = "text"
		}
		return out
	})
	p := probed(t, s, func(c *Config) { c.EchoFirst, c.EchoEvery = 0, 0 })
	_, err := p.Generate(t.Context(), prompt(1), law(4))
	require.NoError(t, err)
	require.True(t, s.last().ReturnIDs)
}

func TestVersionAndSalt(t *testing.T) {
	s := newServer(t, says)
	s.routes["/weight_info"] = `{"weight_version":"w1"}`
	p := probed(t, s)
	require.EqualValues(t, "w1", p.Version())
	c, err := p.Generate(t.Context(), prompt(1), law(4))
	require.NoError(t, err)
	require.EqualValues(t, "w1", c.Versions[0].Version)
	require.Equal(t, "w1", s.last().CacheSalt)

	p.SetVersion("run/step 2")
	_, err = p.Generate(t.Context(), prompt(1), law(4))
	require.NoError(t, err)
	require.Equal(t, saltOf("run/step 2"), s.last().CacheSalt)

	p = probed(t, s, func(c *Config) { c.CacheSalt = false; c.Version = "mine" })
	_, err = p.Generate(t.Context(), prompt(1), law(4))
	require.NoError(t, err)
	require.Empty(t, s.last().CacheSalt)
	require.EqualValues(t, "mine", p.Version())
}

func TestAPIKey(t *testing.T) {
	t.Setenv("FOCUS_TEST_KEY", "sesame")
	s := newServer(t, says)
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sesame" {
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"error":"Unauthorized"}`)
			return
		}
		inner.ServeHTTP(w, r)
	})
	p := probed(t, s, func(c *Config) { c.APIKeyEnv = "FOCUS_TEST_KEY" })
	_, err := p.Generate(t.Context(), prompt(1), law(4))
	require.NoError(t, err)

	p = newPolicy(t, config(s.URL))
	require.ErrorContains(t, p.Probe(t.Context()), "answers 401 to /v1/models: set api_key_env")
	_, err = p.Generate(t.Context(), prompt(1), law(4))
	require.ErrorContains(t, err, "status 401): Unauthorized; set api_key_env")
}

// An aborted reply goes on from its own ids, under the version of each part.
func TestAbortContinues(t *testing.T) {
	s := newServer(t, nil)
	cfg := config(s.URL)
	cfg.Version = "v1"
	p := newPolicy(t, cfg)
	calls := 0
	s.complete = func(w http.ResponseWriter, a *asked) {
		switch calls++; calls {
		case 1:
			writeJSON(w, aborted(a, 'a', 'b'))
		case 2: // down while it takes new weights
			p.SetVersion("v2")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3: // given up while it was queued
			writeJSON(w, aborted(a))
		case 4:
			writeJSON(w, honest(a, 'c', policytest.IMEnd))
		}
	}
	c, err := p.Generate(t.Context(), prompt(1, 2, 3), law(9))
	require.NoError(t, err)
	require.Equal(t, []rollout.TokenID{'a', 'b', 'c', policytest.IMEnd}, c.Tokens)
	require.Len(t, c.Logprobs, 4)
	require.Equal(t, []rollout.VersionSpan{{Version: "v1", Start: 0, End: 2}, {Version: "v2", Start: 2, End: 4}}, c.Versions)
	require.Equal(t, rollout.FinishStop, c.Finish)
	require.Equal(t, policytest.IMEnd, c.Matched)

	r := s.requests()
	require.Len(t, r, 4)
	require.Equal(t, []rollout.TokenID{1, 2, 3, 'a', 'b'}, r[3].Prompt)
	require.Equal(t, []int{9, 7, 7, 7}, []int{r[0].MaxTokens, r[1].MaxTokens, r[2].MaxTokens, r[3].MaxTokens}, "the rest of the budget")
	require.NotEqual(t, r[0].Seed, r[1].Seed, "a part must not replay the noise of the one before")
	require.Equal(t, r[1].Seed, r[3].Seed, "a retry draws the same noise")
	st := p.Stats()
	require.Equal(t, [3]int64{1, 1, 2}, [3]int64{st.Continued, st.EmptyAborts, st.Retried})
}

func TestAbortAtTheCap(t *testing.T) {
	s := newServer(t, func(a *asked) answer { return aborted(a, 'a', 'b') })
	c, err := newPolicy(t, config(s.URL)).Generate(t.Context(), prompt(1), law(2))
	require.NoError(t, err)
	require.Equal(t, rollout.FinishLength, c.Finish)
	require.Len(t, s.requests(), 1)
}

func TestAbortedForGood(t *testing.T) {
	s := newServer(t, func(a *asked) answer { return aborted(a) })
	cfg := config(s.URL)
	cfg.Retries = 2
	_, err := newPolicy(t, cfg).Generate(t.Context(), prompt(1), law(2))
	e, ok := errors.AsType[*policy.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, policy.KindAborted, e.Kind)
	require.ErrorContains(t, err, "aborted before its first id (after 3 attempts)")
}

// Attempts that may still run are aborted on the server by the engine's id.
func TestAbortOnCancel(t *testing.T) {
	s := newServer(t, says)
	s.routes["/abort_requests"] = `{"status":"aborted","aborted":1}`
	p := probed(t, s)
	require.Equal(t, "/abort_requests", p.Sheet().Abort)
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	s.complete = func(w http.ResponseWriter, _ *asked) {
		cancel()
		<-release
	}
	_, err := p.Generate(ctx, prompt(1), law(4))
	require.ErrorIs(t, err, context.Canceled)
	close(release)
	require.NoError(t, p.Close())
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Len(t, s.aborts, 2, "the probe's and one for the attempt")
	require.Equal(t, `{"request_ids":["cmpl-`+s.seen[len(s.seen)-1].RequestID+`-0"]}`, s.aborts[1])
}

func TestSlots(t *testing.T) {
	var open, most atomic.Int64
	s := newServer(t, nil)
	s.complete = func(w http.ResponseWriter, a *asked) {
		n := open.Add(1)
		defer open.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		writeJSON(w, says(a))
	}
	cfg := config(s.URL)
	cfg.Connections = 3
	p := newPolicy(t, cfg)
	errs := make(chan error, 40)
	for range cap(errs) {
		go func() {
			_, err := p.Generate(t.Context(), prompt(1), law(4))
			errs <- err
		}()
	}
	for range cap(errs) {
		require.NoError(t, <-errs)
	}
	require.LessOrEqual(t, most.Load(), int64(3))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Generate(ctx, prompt(1), law(4))
	require.Equal(t, context.Canceled, err)
}

func TestScore(t *testing.T) {
	s := newServer(t, says)
	p := probed(t, s)
	require.True(t, p.Sheet().Score)
	got, err := p.Score(t.Context(), rollout.NewTokens(1, 2), []rollout.TokenID{3, 4})
	require.NoError(t, err)
	require.Equal(t, []float32{policytest.Logprob(3), policytest.Logprob(4)}, got)
	a := s.last()
	require.True(t, a.Echo)
	require.Zero(t, a.MaxTokens)
	require.False(t, a.ReturnIDs)
	require.Equal(t, 1.0, *a.Temperature)

	got, err = p.Score(t.Context(), rollout.Tokens{}, nil)
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = p.Score(t.Context(), rollout.Tokens{}, make([]rollout.TokenID, 200))
	require.ErrorIs(t, err, policy.ErrContextFull, "the server samples one id besides")
}

func TestScoreRefusesBadReplies(t *testing.T) {
	for name, c := range map[string]struct {
		change func(answer)
		want   string
	}{
		"not echoed":     {func(a answer) { a.choice()["logprobs"] = nil }, "cannot score"},
		"unknown":        {func(a answer) { a.logprobs()["token_logprobs"] = []any{nil, nil, -1} }, "logprob of id 2 at 1 is unknown"},
		"other ids":      {func(a answer) { a.logprobs()["tokens"] = []string{"token_id:1", "token_id:2", "token_id:9"} }, "not the ones sent"},
		"the reply only": {func(a answer) { a.logprobs()["tokens"] = []string{"token_id:1"} }, "echoed for a prompt of 3"},
		"no choice":      {func(a answer) { a["choices"] = []any{} }, "0 choices"},
	} {
		s := newServer(t, func(a *asked) answer {
			out := honest(a, 'x')
			c.change(out)
			return out
		})
		_, err := newPolicy(t, config(s.URL)).Score(t.Context(), rollout.NewTokens(1), []rollout.TokenID{2, 3})
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestPromptPiecesAreJoined(t *testing.T) {
	s := newServer(t, says)
	p := newPolicy(t, config(s.URL))
	tokens := rollout.Tokens{}
	var want []rollout.TokenID
	for i := range rollout.TokenID(50) {
		tokens, want = tokens.Append(i, i*31), append(want, i, i*31)
	}
	_, err := p.Generate(t.Context(), policy.Prompt{Tokens: tokens}, law(4))
	require.NoError(t, err, "the echo of a prompt in many pieces")
	require.True(t, slices.Equal(want, s.last().Prompt))
}
