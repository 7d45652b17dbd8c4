package job

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/env"
	"focus/env/calculator"
	"focus/env/envtest"
	"focus/internal/config"
	"focus/policy/policytest"
	"focus/rollout"
	"focus/search"
)

// A world that forks and one that is replayed give the same trees at any
// concurrency: no branch sees what another did, and every session is closed
// once.
func TestBranchesOfSessionsAreApart(t *testing.T) {
	var want string
	for _, concurrency := range []int{1, 16} {
		for _, name := range []string{"forked", "replayed"} {
			forked, replayed := &envtest.Forked{}, &envtest.Replayed{}
			world, sessions := env.Env(forked), &forked.Sessions
			if name == "replayed" {
				world, sessions = replayed, &replayed.Sessions
			}
			dir := filepath.Join(t.TempDir(), "run")
			sum, err := opened(t, inWorld(noting, world), treeJob(t), fmt.Sprintf("run.concurrency=%d", concurrency)).Run(t.Context(), Options{Out: dir})
			require.NoError(t, err, name)
			require.Equal(t, 42, sum.Finished)
			require.Zero(t, sum.Failed, "%v", sum.Failures)
			if want == "" {
				want = sum.Verified.Digest
			}
			require.Equal(t, want, sum.Verified.Digest, "%s at concurrency %d", name, concurrency)
			deep := 0
			for _, s := range samplesOf(t, dir) {
				seesOwnNotesAlone(t, s)
				deep = max(deep, len(s.Branch))
			}
			require.Greater(t, deep, 2, "nothing was kept on the way")
			allClosed(t, sessions)
		}
	}
}

// seeing is an allocator that records what it is shown.
type seeing struct {
	search.Allocator
	shown func(*search.Node)
}

func (a seeing) Open(v *search.View) search.Selector { return watching{a.Allocator.Open(v), a.shown} }

type watching struct {
	search.Selector
	shown func(*search.Node)
}

func (w watching) Applied(x search.Expansion, nodes []*search.Node) {
	for _, n := range nodes {
		w.shown(n)
	}
	w.Selector.Applied(x, nodes)
}

// What a replay costs is charged to the branch, and shown to the allocator
// before it chooses one.
func TestReplayedCallsAreChargedAndShown(t *testing.T) {
	script := func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		return call("note", map[string]string{"word": "w"}), nil
	}
	tree := func(world env.Env, budget int) (nodes, replay int) {
		r := inWorld(script, world)
		config.Register(&r.Strategies, "tree-grpo", "", func(Deps, none) (search.Strategy, error) {
			s := search.TreeGRPO{Trees: 1, Nodes: 6, Rounds: 1}.Strategy()
			s.BranchPoints, s.Budget.ToolCalls = rollout.EveryDecision{}, budget
			for i, p := range s.Passes {
				s.Passes[i].Gate.InFlight = 1
				s.Passes[i].Allocator = seeing{p.Allocator, func(n *search.Node) {
					nodes++
					replay += n.Replay
					if n.Branchable && env.BranchingOf(world) == env.ByReplay {
						require.Equal(t, n.State.Len(), n.Replay, "one call a turn")
					}
				}}
			}
			return s, nil
		})
		_, err := opened(t, r, treeJob(t), "tasks.count=1", "agent.final_answer=false", "run.concurrency=1").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
		require.NoError(t, err)
		return nodes, replay
	}
	forkedAll, none := tree(&envtest.Forked{}, 0)
	replayedAll, shown := tree(&envtest.Replayed{}, 0)
	require.Equal(t, forkedAll, replayedAll, "the same tree without a budget")
	require.Zero(t, none)
	require.Positive(t, shown)
	forked, _ := tree(&envtest.Forked{}, 18)
	replayed, _ := tree(&envtest.Replayed{}, 18)
	require.Less(t, forked, forkedAll)
	require.Less(t, replayed, forked, "what is replayed is paid for")
}

// A world that does not repeat itself fails the branches into it, and only
// them: it is not tried again.
func TestReplayThatDiffersFailsItsBranch(t *testing.T) {
	world := &envtest.Replayed{DriftFrom: 2}
	dir := filepath.Join(t.TempDir(), "run")
	sum, err := opened(t, inWorld(noting, world), treeJob(t), "tasks.count=1", "run.concurrency=1", "run.give_up_after=-1").Run(t.Context(), Options{Out: dir})
	require.NoError(t, err)
	require.Equal(t, 14, sum.Finished)
	require.Positive(t, sum.Failed)
	require.Equal(t, sum.Failed, sum.Failures["replay_differs"], "%v", sum.Failures)
	require.Zero(t, sum.Retries)
	failed := 0
	for _, n := range nodesOf(t, dir) {
		if n.Status == "failed:replay_differs" {
			failed++
			require.Positive(t, n.Depth)
			require.Empty(t, n.IDs, "nothing was sampled")
		}
	}
	require.Equal(t, sum.Failed, failed)
	for _, s := range samplesOf(t, dir) {
		if s.StopReason == rollout.StopFailed {
			require.False(t, s.Valid)
			require.Nil(t, s.Reward)
		}
	}
	allClosed(t, &world.Sessions)
}

func TestWorldsThatCannotBranchAreRefused(t *testing.T) {
	open := func(world env.Env, set ...string) error {
		p, err := Parse(inWorld(noting, world), "job.yaml", []byte(treeJob(t)), set)
		require.NoError(t, err)
		l, err := p.Open(t.Context())
		if err == nil {
			require.NoError(t, l.Close())
		}
		return err
	}
	sessions := &envtest.Sessions{}
	err := open(sessions)
	require.ErrorContains(t, err, "search: tree-grpo branches in the middle of a rollout and the environment *envtest.Sessions can only be started over")
	require.NotContains(t, err.Error(), "\n", "one problem is one line")
	made, _ := sessions.Count()
	require.Zero(t, made, "it was refused before anything started")
	require.NoError(t, open(sessions, "search={kind: group, size: 2}"), "independent rollouts need no branching")

	err = open(&envtest.Replayed{}, "context={kind: keep_recent}")
	require.ErrorContains(t, err, "search: tree-grpo branches by replaying the environment *envtest.Replayed, and the context manager contexts.KeepRecent rewrites the conversation")
	require.NoError(t, open(&envtest.Replayed{}))
	require.NoError(t, open(&envtest.Replayed{}, "context={kind: keep_recent}", "search={kind: group, size: 2}"))
	require.NoError(t, open(&envtest.Forked{}, "context={kind: keep_recent}"), "a fork has what the manager did")
}

// A fork that fails costs its own branch a retry; the checkpoint and its other
// branches are as they were.
func TestForkThatFailsHarmsNobody(t *testing.T) {
	synctest.Test(t, forkThatFails)
}

func forkThatFails(t *testing.T) {
	run := func(onFork func([]string) error, set ...string) (Summary, *envtest.Forked) {
		world := &envtest.Forked{OnFork: onFork}
		sum, err := opened(t, inWorld(noting, world), treeJob(t), set...).Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
		require.NoError(t, err)
		require.Equal(t, 42, sum.Finished)
		allClosed(t, &world.Sessions)
		return sum, world
	}
	clean, _ := run(nil)
	var forks atomic.Int64
	sum, _ := run(func([]string) error {
		if n := forks.Add(1); n < 120 && n%4 == 0 {
			return errors.New("no room for a session")
		}
		return nil
	}, "run.retries=20")
	require.Positive(t, sum.Retries)
	require.Equal(t, int(sum.Retries), sum.Failures["environment"])
	require.Equal(t, clean.Verified.Digest, sum.Verified.Digest, "a retry changes nothing in the rows")
}

// Sessions are closed whatever ends the run.
func TestSessionsAreClosedHoweverTheRunEnds(t *testing.T) {
	for name, c := range map[string]struct {
		script func(cancel func()) policytest.Script
		broken func(*envtest.Sessions)
		set    []string
		gaveUp bool
	}{
		"cancelled": {script: func(cancel func()) policytest.Script {
			return func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
				if c.N >= 40 {
					cancel()
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return noting(ctx, c)
			}
		}},
		"given up": {gaveUp: true, set: []string{"run.retries=-1", "run.give_up_after=3"}, broken: func(w *envtest.Sessions) {
			w.OnStep = func(words []string) error {
				if len(words) > 1 {
					return errors.New("broken")
				}
				return nil
			}
		}},
		"no session to be had": {gaveUp: true, set: []string{"run.retries=-1", "run.give_up_after=3"}, broken: func(w *envtest.Sessions) {
			w.OnReset = func(n int) error {
				if n > 1 {
					return errors.New("no room")
				}
				return nil
			}
		}},
		"a panic": {gaveUp: true, set: []string{"run.retries=-1", "run.give_up_after=3"}, script: func(func()) policytest.Script {
			return func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
				if c.N > 5 {
					panic("boom")
				}
				return noting(ctx, c)
			}
		}},
	} {
		for _, kind := range []string{"forked", "replayed"} {
			t.Run(name+", "+kind, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				forked, replayed := &envtest.Forked{}, &envtest.Replayed{}
				world, sessions := env.Env(forked), &forked.Sessions
				if kind == "replayed" {
					world, sessions = replayed, &replayed.Sessions
				}
				script := policytest.Script(noting)
				if c.script != nil {
					script = c.script(cancel)
				}
				if c.broken != nil {
					c.broken(sessions)
				}
				l := opened(t, inWorld(script, world), treeJob(t), c.set...)
				sum, err := l.Run(ctx, Options{Out: filepath.Join(t.TempDir(), "run")})
				if c.gaveUp {
					_, ok := errors.AsType[*GaveUpError](err)
					require.True(t, ok, "got %v", err)
				} else {
					require.NoError(t, err)
					require.Positive(t, sum.Dropped)
				}
				require.True(t, sum.Verified.OK(), "%v", sum.Verified.Problems)
				allClosed(t, sessions)
			})
		}
	}
}

// The rows that the writer refuses end the run with every session closed.
func TestSessionsAreClosedWhenRowsAreRefused(t *testing.T) {
	world := &envtest.Forked{}
	r := inWorld(noting, world)
	config.Register(&r.Estimators, "grpo", "", func(Deps, none) (Estimator, error) { return nonsense{}, nil })
	l := opened(t, r, treeJob(t), "run.concurrency=2")
	_, err := l.Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
	require.Error(t, err)
	require.True(t, strings.Contains(err.Error(), "write group of task"), "%v", err)
	allClosed(t, &world.Sessions)
}

// A strategy that goes by estimates needs a value model; the others do not.
func TestStrategiesWithoutTheirValueModelAreRefused(t *testing.T) {
	world, err := calculator.New(calculator.Config{})
	require.NoError(t, err)
	beam, first, puct := search.DefaultBeam(), search.DefaultBestFirst(), search.DefaultPUCT()
	for _, s := range []search.Strategy{beam.Strategy(), first.Strategy(), puct.Strategy(), search.Group{Size: 2}.Strategy()} {
		require.NoError(t, fits(s, world, contexts.AppendOnly{}, false), s.Name)
	}
	beam.Rank, first.Rank, puct.Step = search.ByEstimate, search.ByEstimate, 1
	for _, s := range []search.Strategy{beam.Strategy(), first.Strategy(), puct.Strategy()} {
		require.ErrorContains(t, fits(s, world, contexts.AppendOnly{}, false), s.Name+" goes by the estimates of a value model and the job has none")
		require.NoError(t, fits(s, world, contexts.AppendOnly{}, true), s.Name)
	}
}

// A budget that not even one expansion fits into is refused before the start,
// with the numbers that it would take.
func TestBudgetsTooSmallForAnythingAreRefused(t *testing.T) {
	for budget, want := range map[string]string{
		"generated_tokens: 300": "search.budget: generated_tokens is too small for even one expansion",
		"turns: 1":              "search.budget: turns is too small for even one expansion",
	} {
		r := registry(guess)
		config.Register(&r.Strategies, "group", "", func(_ Deps, c struct {
			Budget search.Cost `yaml:"budget"`
		}) (search.Strategy, error) {
			s := search.Group{Size: 4}.Strategy()
			s.Budget = c.Budget
			return s, nil
		})
		p, err := Parse(r, "job.yaml", []byte(job), []string{"search={kind: group, budget: {" + budget + "}}"})
		require.NoError(t, err)
		_, err = p.Open(t.Context())
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "here 5 turns and 2560 generated tokens")
	}
}

// A trigger that reads a counter which the world lacks is refused before the
// start.
func TestTriggersWithoutTheirCounterAreRefused(t *testing.T) {
	r := registry(guess)
	config.Register(&r.Managers, "append_only", "", func(Deps, none) (contexts.Manager, error) {
		return contexts.NewKeepRecent(2, contexts.StateCounter{})
	})
	p, err := Parse(r, "job.yaml", []byte(job), nil)
	require.NoError(t, err)
	_, err = p.Open(t.Context())
	require.ErrorContains(t, err, `the state has no "calls_remaining"`)
}
