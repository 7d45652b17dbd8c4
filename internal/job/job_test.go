package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	contexts "focus/context"
	"focus/dataset"
	"focus/env"
	"focus/env/calculator"
	"focus/internal/config"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
	"focus/search"
	"focus/search/credit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type none struct{}

type groupConfig struct {
	Size int `yaml:"size"`
}

// registry has one kind of everything; its policy replies as script says.
func registry(script policytest.Script) *Registry {
	r := NewRegistry()
	config.Register(&r.Envs, "calculator", "", func(_ Deps, c calculator.Config) (env.Env, error) { return calculator.New(c) })
	config.Register(&r.Policies, "scripted", "", func(Deps, none) (policy.Policy, error) { return policytest.NewScripted(script), nil })
	config.Register(&r.Managers, "append_only", "", func(Deps, none) (contexts.Manager, error) { return contexts.AppendOnly{}, nil })
	config.Register(&r.Strategies, "group", "", func(_ Deps, c groupConfig) (search.Strategy, error) {
		return search.Group{Size: c.Size}.Strategy(), search.Group{Size: c.Size}.Validate()
	})
	config.Register(&r.Estimators, "grpo", "", func(Deps, none) (Estimator, error) {
		return credit.Estimator{Method: credit.Chain{Base: credit.BaseGRPO}, Options: credit.DefaultOptions()}, nil
	})
	return r
}

const job = `
seed: 5
tasks: {count: 6}
env: {kind: calculator}
policy: {kind: scripted}
search: {kind: group, size: 4}
agent: {max_steps: 4}
run: {concurrency: 8}
`

// guess submits an answer that the seed of the request decides, so that what
// is sampled depends on the request alone.
func guess(_ context.Context, c policytest.Call) ([]rollout.TokenID, error) {
	text := fmt.Sprintf("<tool_call>\n{\"name\": \"submit\", \"arguments\": {\"answer\": %d}}\n</tool_call>", c.Sampling.Seed%5)
	if c.Sampling.Seed%3 == 0 {
		text = "<tool_call>\n{\"name\": \"calculator\", \"arguments\": {\"expression\": \"1+1\"}}\n</tool_call>"
	}
	return append(policytest.Encode(text), policytest.IMEnd), nil
}

func open(t *testing.T, script policytest.Script, text string, set ...string) *Live {
	t.Helper()
	p, err := Parse(registry(script), "job.yaml", []byte(text), set)
	require.NoError(t, err)
	l, err := p.Open(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

func TestRunWritesVerifiedGroups(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	var last Progress
	sum, err := open(t, guess, job).Run(t.Context(), Options{Out: dir, Report: func(p Progress) { last = p }})
	require.NoError(t, err)
	require.Equal(t, 6, sum.Groups)
	require.Equal(t, 24, sum.Finished)
	require.Equal(t, 24, last.Finished, "the last report is of the finished run")
	require.True(t, sum.Verified.OK(), "%v", sum.Verified.Problems)
	require.Equal(t, 24, sum.Verified.Rollouts)
	require.False(t, sum.Stopped)
	for _, name := range []string{"LOCK", "run.json", "metrics.jsonl", "manifest.json"} {
		require.FileExists(t, filepath.Join(dir, name))
	}
	run, err := dataset.Read(dir)
	require.NoError(t, err)
	sums := map[rollout.GroupID]float64{}
	for s, err := range run.Samples() {
		require.NoError(t, err)
		require.NotNil(t, s.Advantages)
		sums[s.GroupID] += float64(s.Advantages[s.PromptLen])
	}
	require.Len(t, sums, 6)
	for g, v := range sums {
		require.InDeltaf(t, 0, v, 1e-5, "advantages of group %s", g)
	}
}

func TestDigestDoesNotDependOnTheSchedule(t *testing.T) {
	var want string
	for i, c := range []int{1, 3, 64} {
		sum, err := open(t, guess, job, fmt.Sprintf("run.concurrency=%d", c), "output.batch_rows=3").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
		require.NoError(t, err)
		if i == 0 {
			want = sum.Verified.Digest
		}
		require.Equal(t, want, sum.Verified.Digest, "concurrency %d", c)
	}
	sum, err := open(t, guess, job, "seed=6").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
	require.NoError(t, err)
	require.NotEqual(t, want, sum.Verified.Digest, "another seed is another run")
}

// flaky fails the requests of a call number that bad picks.
func flaky(bad func(n int64) bool, kind policy.Kind) policytest.Script {
	return func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		if bad(c.N) {
			return nil, &policy.Error{Kind: kind, Server: "fake"}
		}
		return guess(ctx, c)
	}
}

func TestInfrastructureFailureCostsItsRolloutARetry(t *testing.T) {
	clean, err := open(t, guess, job).Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "clean")})
	require.NoError(t, err)
	sum, err := open(t, flaky(func(n int64) bool { return n%7 == 3 }, policy.KindServer), job, "run.retries=9").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
	require.NoError(t, err)
	require.Positive(t, sum.Retries)
	require.Zero(t, sum.Failed)
	require.Equal(t, int(sum.Retries), sum.Failures["server_error"])
	require.Equal(t, clean.Verified.Digest, sum.Verified.Digest, "a retry changes nothing in the rows")
}

func TestRolloutThatKeepsFailingIsReportedAndUnscored(t *testing.T) {
	sum, err := open(t, flaky(func(n int64) bool { return n == 5 }, policy.KindRefused), job, "run.retries=-1").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
	require.NoError(t, err)
	require.Equal(t, 1, sum.Failed)
	require.Equal(t, 6, sum.Groups, "its group is written")
	require.Equal(t, 1, sum.Verified.Failed)
	require.Equal(t, 23, sum.Scored)
	require.Equal(t, 1, sum.Stops[rollout.StopFailed])
}

func TestGivesUpWhenNothingWorks(t *testing.T) {
	sum, err := open(t, flaky(func(n int64) bool { return n >= 8 }, policy.KindUnreachable), job, "run.retries=-1", "run.concurrency=4", "run.give_up_after=6", "tasks.count=50").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
	e, ok := errors.AsType[*GaveUpError](err)
	require.True(t, ok, "got %v", err)
	require.Equal(t, "unreachable", e.Last.Cause)
	require.Less(t, sum.Finished, 40, "it does not burn through the tasks")
	require.True(t, sum.Verified.OK(), "what was finished is written: %v", sum.Verified.Problems)
	require.True(t, sum.Stopped)
}

// nonsense gives advantages that no row may hold.
type nonsense struct{}

func (nonsense) Estimate(f credit.Forest) (*credit.Credit, error) {
	nan := math.NaN()
	c, err := credit.Estimator{Method: credit.Chain{Base: credit.BaseGRPO}, Options: credit.DefaultOptions()}.Estimate(f)
	for i := range c.Nodes {
		c.Nodes[i].Advantage = &nan
	}
	return c, err
}

// What cannot be written ends the job; nothing hangs, and what was written
// before can be trusted.
func TestRowsThatAreRefusedEndTheJob(t *testing.T) {
	r := registry(guess)
	config.Register(&r.Estimators, "grpo", "", func(Deps, none) (Estimator, error) { return nonsense{}, nil })
	p, err := Parse(r, "job.yaml", []byte(job), []string{"tasks.count=400"})
	require.NoError(t, err)
	l, err := p.Open(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	_, err = l.Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
	require.ErrorContains(t, err, "write group of task calculator-5-")
	_, gaveUp := errors.AsType[*GaveUpError](err)
	require.False(t, gaveUp)
}

func TestARunWhereEverythingFailedIsNoSuccess(t *testing.T) {
	sum, err := open(t, flaky(func(int64) bool { return true }, policy.KindRefused), job, "tasks.count=1").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
	e, ok := errors.AsType[*GaveUpError](err)
	require.True(t, ok, "got %v", err)
	require.Equal(t, "refused", e.Last.Cause)
	require.Equal(t, 4, sum.Failed)
	require.True(t, sum.Verified.OK(), "%v", sum.Verified.Problems)
}

// A server that works on another prompt than it was sent spoils every reply.
func TestAnEchoThatDiffersStopsTheRun(t *testing.T) {
	script := func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		if c.N == 20 {
			return nil, &policy.Error{Kind: policy.KindBadReply, Server: "fake", Err: policy.ErrEcho}
		}
		return guess(ctx, c)
	}
	sum, err := open(t, script, job, "tasks.count=200").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
	_, ok := errors.AsType[*GaveUpError](err)
	require.True(t, ok, "got %v", err)
	require.Less(t, sum.Groups, 200)
	require.True(t, sum.Verified.OK())
}

func TestStopDrains(t *testing.T) {
	stop := make(chan struct{})
	var once atomic.Bool
	script := func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		if c.N >= 5 && once.CompareAndSwap(false, true) {
			close(stop)
		}
		return guess(ctx, c)
	}
	sum, err := open(t, script, job, "tasks.count=500", "run.concurrency=4").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run"), Stop: stop})
	require.NoError(t, err)
	require.True(t, sum.Stopped)
	require.Less(t, sum.Groups, 500)
	require.Positive(t, sum.Groups)
	require.Equal(t, 4*sum.Groups, sum.Finished, "groups under way finish")
	require.Equal(t, 4*sum.Groups, sum.Verified.Rollouts)
}

func TestCancelDropsUnfinishedGroups(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	script := func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		if c.N >= 40 {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return guess(ctx, c)
	}
	sum, err := open(t, script, job, "tasks.count=100").Run(ctx, Options{Out: filepath.Join(t.TempDir(), "run")})
	require.NoError(t, err)
	require.True(t, sum.Stopped)
	require.Positive(t, sum.Dropped)
	require.Equal(t, 4*sum.Groups, sum.Verified.Rollouts, "a group is written as a whole or not at all")
	require.True(t, sum.Verified.OK())
	require.Zero(t, sum.Failed, "a stop is no failure")
}

func TestPanicOfAWorldIsAFailure(t *testing.T) {
	script := func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		if c.N == 2 {
			panic("boom")
		}
		return guess(ctx, c)
	}
	sum, err := open(t, script, job, "run.retries=-1").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
	require.NoError(t, err)
	require.Equal(t, 1, sum.Failed)
}

func TestOutputThatHoldsARunIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	_, err := open(t, guess, job).Run(t.Context(), Options{Out: dir})
	require.NoError(t, err)
	before, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	require.NoError(t, err)
	_, err = open(t, guess, job).Run(t.Context(), Options{Out: dir})
	require.ErrorIs(t, err, ErrHoldsRun)
	require.ErrorContains(t, err, dir)
	after, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	require.NoError(t, err)
	require.Equal(t, before, after)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, CheckOut(file), "is a file")
}

func TestSecondProcessIsRefused(t *testing.T) {
	dir := t.TempDir()
	held, err := lock(dir)
	require.NoError(t, err)
	_, err = open(t, guess, job).Run(t.Context(), Options{Out: dir})
	require.ErrorContains(t, err, "another focus")
	require.NoError(t, held.Close())
}

func TestBadJobsAreRefused(t *testing.T) {
	with := func(old, now string) string { return strings.Replace(job, old, now, 1) }
	rows := filepath.Join(t.TempDir(), "tasks.jsonl")
	require.NoError(t, os.WriteFile(rows, []byte("{\"prompt\":\"a\"}\n{\"prompt\":\n"), 0o600))
	for _, tc := range []struct{ name, text, want string }{
		{"unknown key", with("seed: 5", "sead: 5"), `sead: unknown key; did you mean "seed"?`},
		{"wrong type", with("count: 6", "count: six"), `tasks.count: "six" is not a whole number`},
		{"unknown kind", with("kind: calculator", "kind: calculater"), `env.kind: no environment of kind "calculater"; did you mean "calculator"?`},
		{"key of no kind", with("kind: calculator", "kind: calculator, ops: 2"), `env.ops: unknown key`},
		{"value out of range", with("kind: calculator", "kind: calculator, max_ops: 90"), `env.max_ops: 90 is more than 12`},
		{"no env", with("env: {kind: calculator}", ""), `env: missing`},
		{"no policy", with("policy: {kind: scripted}", ""), `policy: missing`},
		{"no count", with("tasks: {count: 6}", ""), `tasks.count: missing`},
		{"group of none", with("size: 4", "size: 0"), `search: size is 0, must be at least 1`},
		{"temperature that vLLM raises", job + "sampling: {temperature: 0.001}", "sampling.temperature"},
		{"no task file", with("count: 6", "path: nowhere.jsonl"), "nowhere.jsonl"},
		{"task row that does not parse", with("count: 6", "path: "+rows), rows + ":2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := Parse(registry(guess), "job.yaml", []byte(tc.text), nil)
			if err == nil {
				_, err = p.Open(t.Context())
			}
			require.ErrorContains(t, err, tc.want)
			require.NotContains(t, err.Error(), "\n", "one problem is one line")
		})
	}
	_, err := Load(registry(guess), "missing.yaml", nil)
	require.ErrorContains(t, err, "missing.yaml")
}
