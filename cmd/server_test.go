package cmd

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/bench/fake"
	"focus/dataset"
	"focus/internal/serve"
	"focus/policy"
	"focus/policy/policytest"
	"focus/policy/tinylm"
	"focus/policy/tokenizer"
	"focus/policy/vllm"
	"focus/rollout"
)

// overServer is the quickstart against a server.
func overServer(url string) []string {
	return []string{quickstart, "--set", "policy={kind: vllm, url: " + url + ", tokenizer: " + modelDir + ", retries: 0}", "--set", "run.retries=-1"}
}

// served starts the endpoint of `focus serve`.
func served(t *testing.T) string {
	t.Helper()
	p, err := tinylm.NewPolicy(tinylm.PolicyConfig{})
	require.NoError(t, err)
	tok, err := newTinyTokenizer("")
	require.NoError(t, err)
	h, err := serve.New(serveConfig(p, tok, "tinylm", 0, 0), tinyBackend{p})
	require.NoError(t, err)
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		srv.Close()
		require.NoError(t, p.Close())
	})
	return srv.URL
}

// A job through the endpoint samples what the embedded policy samples, id for
// id and logprob for logprob.
func TestServedModelIsTheEmbeddedOne(t *testing.T) {
	url := served(t)
	small := []string{"--set", "tasks.count=3", "--set", "search.size=4", "--set", "run.concurrency=1"}
	inside, outside := newDir(t), newDir(t)
	want := ran(t, append(append([]string{quickstart}, small...), "--out", inside)...)
	got := ran(t, append(append(overServer(url), small...), "--out", outside)...)
	require.Equal(t, want.Verified.IDsSHA256, got.Verified.IDsSHA256)
	require.Equal(t, logprobs(t, inside), logprobs(t, outside))
}

// The suite that every policy passes, over the wire: split test, stop ids,
// window, seeds, scores.
func TestServedPolicyConforms(t *testing.T) {
	url := served(t)
	policytest.Run(t, func(t *testing.T) policy.Policy {
		c := vllm.Defaults()
		c.URL, c.Tokenizer = url, modelDir
		p, err := vllm.Open(c)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.Close()) })
		require.NoError(t, p.Probe(t.Context()))
		return p
	})
}

// Split test: n ids in one call are k ids and then n-k, greedy, with the same
// logprobs.
func TestServedRepliesMaySplit(t *testing.T) {
	c := vllm.Defaults()
	c.URL, c.Tokenizer = served(t), modelDir
	p, err := vllm.Open(c)
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	require.NoError(t, p.Probe(t.Context()))
	start, err := p.Prepare([]rollout.Message{rollout.User("3+(2+4)")}, nil)
	require.NoError(t, err)
	reply := func(prompt rollout.Tokens, n int) rollout.Completion {
		out, err := p.Generate(t.Context(), policy.Prompt{Tokens: prompt}, rollout.SamplingParams{TopP: 1, MaxTokens: n})
		require.NoError(t, err)
		return out
	}
	whole := reply(start.Tokens, 24)
	n := len(whole.Tokens)
	require.Greater(t, n, 4)
	for _, k := range []int{1, n / 2, n - 1} {
		head := reply(start.Tokens, k)
		tail := reply(start.Tokens.Append(head.Tokens...), n-k)
		require.Equal(t, whole.Tokens, append(head.Tokens, tail.Tokens...), "split at %d", k)
		require.Equal(t, whole.Logprobs, append(head.Logprobs, tail.Logprobs...), "split at %d", k)
	}
}

// A manager that needs the window of a server has it from the probe.
func TestServedWindowReachesTheContextManager(t *testing.T) {
	sum := ran(t, foldsPrefix, "--out", newDir(t), "--set", "tasks.count=1", "--set", "search.size=1", "--set", "agent.max_steps=4",
		"--set", fmt.Sprintf("policy={kind: vllm, url: %q, tokenizer: %s}", served(t), modelDir))
	require.Equal(t, 1, sum.Finished)
}

func logprobs(t *testing.T, dir string) (out [][]float32) {
	t.Helper()
	run, err := dataset.Read(dir)
	require.NoError(t, err)
	for s, err := range run.Samples() {
		require.NoError(t, err)
		out = append(out, s.Logprobs)
	}
	return out
}

func TestServersThatWillNotDoAreRefused(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	dead := "http://" + ln.Addr().String()
	require.NoError(t, ln.Close())
	wrong := httptest.NewServer(nil)
	defer wrong.Close()
	for _, tc := range []struct{ name, url, want string }{
		{"dead", dead, dead},
		{"not vLLM", wrong.URL, wrong.URL},
		{"no ids", faulty(t, fake.NoTokenIDs), "token"},
		{"no logprobs", faulty(t, fake.NoLogprobs), "logprobs"},
		{"prompt cut in secret", faulty(t, fake.PromptTruncated), "prompt"},
		{"garbage", faulty(t, fake.Garbage), "is it a vLLM server?"},
		{"needs a key", faulty(t, fake.HTTP401), "api_key_env"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := newDir(t)
			code, out, errs := focus(t, append([]string{"run", "--quiet", "--out", dir}, overServer(tc.url)...)...)
			require.Equal(t, ExitRefused, code, "%s%s", out, errs)
			require.Contains(t, errs, tc.want)
			require.Contains(t, errs, "policy: vllm server "+tc.url, "key and server are named")
			require.Equal(t, 1, strings.Count(errs, "\n"), "one line: %q", errs)
			require.NoDirExists(t, dir)
		})
	}
}

func faulty(t *testing.T, f fake.Fault) string {
	t.Helper()
	c, _ := serving(t)
	c.Rules = []fake.Rule{{Fault: f}}
	srv, err := fake.Start(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, srv.Close()) })
	return srv.URL
}

// serving is a fake server that could be one of the bundled model.
func serving(t *testing.T) (fake.Config, *tokenizer.Tokenizer) {
	t.Helper()
	tok, err := tokenizer.LoadFS(tinylm.Bundled())
	require.NoError(t, err)
	end, ok := tok.ID("<|im_end|>")
	require.True(t, ok)
	encode := func(text string) []rollout.TokenID { return tok.Encode(nil, text) }
	return fake.Config{EOS: end, Vocab: tok.VocabSize(), Encode: encode}, tok
}

// submits is a script whose every reply ends a calculator rollout.
func submits(tok *tokenizer.Tokenizer) fake.Script {
	ids := tok.Encode(nil, "<tool_call>\n{\"name\": \"submit\", \"arguments\": {\"answer\": 1}}\n</tool_call><|im_end|>")
	return fake.Say(func([]rollout.TokenID) []rollout.TokenID { return ids })
}

// Two thousand rollouts are in flight at once in one process: the server
// answers none before it holds them all.
func TestTwoThousandInFlight(t *testing.T) {
	const n = 2000
	c, tok := serving(t)
	var mu sync.Mutex
	held, all := 0, make(chan struct{})
	say := submits(tok)
	c.Script = func(r *fake.Request, out *fake.Reply) {
		// Requests of the probe come before the job, and are short.
		if len(r.Prompt) > 32 {
			mu.Lock()
			if held++; held == n {
				close(all)
			}
			mu.Unlock()
			<-all
		}
		say(r, out)
	}
	srv, err := fake.Start(c)
	require.NoError(t, err)
	defer func() { require.NoError(t, srv.Close()) }()
	args := append(overServer(srv.URL), "--out", newDir(t), "--set", "tasks.count=250", "--set", "run.concurrency=2000", "--set", "policy.connections=2000")
	sum := ran(t, args...)
	require.Equal(t, n, sum.Finished)
	require.Zero(t, sum.Failed, "%v", sum.Failures)
	require.GreaterOrEqual(t, srv.Stats().Peak, int64(n))
}

// Faults of a server in the middle of a job cost retries, never a reward.
func TestFaultsUnderWay(t *testing.T) {
	for _, f := range []fake.Fault{fake.ResetAfter, fake.HTTP500, fake.HTTP503, fake.NullLogprob, fake.ShortLogprobs, fake.CutJSON, fake.AbortEmpty} {
		t.Run(string(f), func(t *testing.T) {
			c, tok := serving(t)
			c.Script, c.Rules = submits(tok), []fake.Rule{{Fault: f, From: 12, Every: 5}}
			srv, err := fake.Start(c)
			require.NoError(t, err)
			defer func() { require.NoError(t, srv.Close()) }()
			policy := "policy={kind: vllm, url: " + srv.URL + ", tokenizer: " + modelDir + ", retries: 6, backoff: 1ms, backoff_max: 2ms}"
			sum := ran(t, quickstart, "--out", newDir(t), "--set", policy, "--set", "tasks.count=8", "--set", "run.retries=4")
			require.Positive(t, srv.Stats().Faults[f])
			require.Equal(t, 64, sum.Finished)
			require.Equal(t, sum.Finished-sum.Failed, sum.Scored)
			require.Zero(t, sum.Failed, "%v", sum.Failures)
		})
	}
}

func TestServeStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	require.Equal(t, ExitDone, Run(ctx, Builtin(), []string{"serve", "--addr", "127.0.0.1:0"}, &out, &errs), errs.String())
}
