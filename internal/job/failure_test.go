package job

import (
	"context"
	"math"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"focus/dataset"
	"focus/env"
	"focus/env/envtest"
	"focus/internal/config"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
	"focus/search"
)

// refusing refuses the requests whose name, TASK-BRANCH-TURN, begins so, and
// counts them.
func refusing(prefix string, times *atomic.Int64) policytest.Script {
	return func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		if strings.HasPrefix(policy.OriginOf(ctx).Request, prefix) {
			times.Add(1)
			return nil, &policy.Error{Kind: policy.KindRefused, Server: "fake"}
		}
		return unending(ctx, c)
	}
}

// unending notes a word and never answers.
func unending(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
	c.Sampling.Seed |= 1
	if c.Sampling.Seed%5 == 0 {
		c.Sampling.Seed++
	}
	return noting(ctx, c)
}

// everyNode goes on from every checkpoint there is, once.
type everyNode struct{}

func (everyNode) Name() string          { return "every-node" }
func (everyNode) Traits() search.Traits { return search.Traits{Inner: true} }

func (everyNode) Open(v *search.View) search.Selector {
	var out pickList
	for n := range v.Tree().Nodes() {
		if n.ID != search.Root && v.Room(n) {
			out = append(out, search.Pick{From: n.ID, Keep: true})
		}
	}
	return &out
}

type pickList []search.Pick

func (l *pickList) Next() (search.Pick, bool) {
	if len(*l) == 0 {
		return search.Pick{}, false
	}
	next := (*l)[0]
	*l = (*l)[1:]
	return next, true
}

func (*pickList) Applied(search.Expansion, []*search.Node) {}

// twoPasses are a chain with its checkpoints, then a rollout from each.
func twoPasses(t *testing.T, script policytest.Script, world env.Env, budget search.Cost) *Registry {
	t.Helper()
	r := inWorld(script, world)
	config.Register(&r.Strategies, "tree-grpo", "", func(Deps, none) (search.Strategy, error) {
		return search.Strategy{
			Name: "two-passes", BranchPoints: rollout.EveryDecision{}, Budget: budget,
			Passes: []search.Pass{{Allocator: search.Roots{Count: 1, Keep: true}}, {Allocator: everyNode{}}},
		}, nil
	})
	return r
}

// byID are the rows of a run by their id.
func byID(samples []*dataset.Sample) map[rollout.SampleID]*dataset.Sample {
	out := map[rollout.SampleID]*dataset.Sample{}
	for _, s := range samples {
		out[s.SampleID] = s
	}
	return out
}

// An expansion that fails in the middle of a tree is recorded with its cause,
// charged, never asked for again, and harms nobody.
func TestExpansionThatFailsInTheMiddleOfATree(t *testing.T) {
	play := func(script policytest.Script, budget search.Cost) (Summary, string, *envtest.Forked) {
		world, dir := &envtest.Forked{}, filepath.Join(t.TempDir(), "run")
		sum, err := opened(t, twoPasses(t, script, world, budget), treeJob(t), "tasks.count=1").Run(t.Context(), Options{Out: dir})
		require.NoError(t, err)
		allClosed(t, &world.Sessions)
		return sum, dir, world
	}
	clean, cleanDir, _ := play(unending, search.Cost{})
	require.Equal(t, 1+5, clean.Finished, "a chain of 5 steps and a rollout from each of its checkpoints")

	// Branch 2 goes on from the second checkpoint and fails at its second turn.
	var times atomic.Int64
	sum, dir, _ := play(refusing("a-2-3", &times), search.Cost{})
	require.Equal(t, clean.Finished, sum.Finished)
	require.Equal(t, 1, sum.Failed)
	require.Equal(t, map[string]int{"refused": 1}, sum.Failures)
	require.Equal(t, int64(1), times.Load(), "a request that would be refused again is not made again")

	var failed *dataset.Node
	nodes := nodesOf(t, dir)
	for _, n := range nodes {
		if strings.HasPrefix(n.Status, "failed:") {
			require.Nil(t, failed)
			failed = n
		}
	}
	require.NotNil(t, failed)
	require.Equal(t, "failed:refused", failed.Status)
	require.Nil(t, failed.Reward)
	for _, n := range nodes {
		require.NotEqual(t, failed.Node, n.Parent, "nothing is expanded from it")
	}
	rows, want := byID(samplesOf(t, dir)), byID(samplesOf(t, cleanDir))
	require.Len(t, rows, len(want))
	for id, s := range rows {
		require.Equal(t, s.StopReason == rollout.StopFailed, s.Info.Branch == "2")
		if s.StopReason == rollout.StopFailed {
			require.False(t, s.Valid)
			require.Nil(t, s.Reward)
			require.Less(t, s.Len(), want[id].Len(), "it is kept as far as it got")
			require.Equal(t, want[id].TokenIDs[:s.Len()], s.TokenIDs)
			continue
		}
		require.Equal(t, want[id].TokenIDs, s.TokenIDs, "branch %s", s.Info.Branch)
		require.Equal(t, want[id].Reward, s.Reward)
		seesOwnNotesAlone(t, s)
	}

	// It is charged a leaf: with room for four, three finish.
	sum, _, _ = play(refusing("a-2-3", &times), search.Cost{Leaves: 4})
	require.Equal(t, 4, sum.Finished)
	require.Equal(t, 1, sum.Failed)
}

// What an edge kept before it failed is as good as any checkpoint.
func TestCheckpointsOfAFailedEdgeAreGoneOnFrom(t *testing.T) {
	for _, world := range []env.Env{&envtest.Forked{}, &envtest.Replayed{}} {
		var times atomic.Int64
		dir := filepath.Join(t.TempDir(), "run")
		script := refusing("a-0-3", &times)
		sum, err := opened(t, twoPasses(t, script, world, search.Cost{}), treeJob(t), "tasks.count=1").Run(t.Context(), Options{Out: dir})
		require.NoError(t, err)
		require.Equal(t, 1+3, sum.Finished, "the chain that failed, and a rollout from each of its three checkpoints")
		require.Equal(t, 1, sum.Failed)
		trained := 0
		for _, s := range samplesOf(t, dir) {
			seesOwnNotesAlone(t, s)
			if s.Valid {
				trained++
				require.Equal(t, 6.0, *s.Reward, "a word for each of 6 turns, the last included")
				require.Len(t, s.Info.Turns, 6)
			}
		}
		require.Equal(t, 3, trained)
	}
}

// An unreachable world is no permanent matter, whatever package net says.
func TestNetworkErrorsOfAWorldAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := &envtest.Forked{}
		var steps atomic.Int64
		world.OnStep = func([]string) error {
			if n := steps.Add(1); n%7 == 0 && n < 50 {
				return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
			}
			return nil
		}
		sum, err := opened(t, inWorld(noting, world), treeJob(t), "run.retries=9").Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
		require.NoError(t, err)
		require.Positive(t, sum.Retries)
		require.Zero(t, sum.Failed, "%v", sum.Failures)
		allClosed(t, &world.Sessions)
	})
}

// valuing is a value model for tests.
type valuing func([]rollout.State) []*float64

func (f valuing) Values(_ context.Context, s []rollout.State) []*float64 { return f(s) }

func TestValuesOfCheckpoints(t *testing.T) {
	half := func(states []rollout.State) []*float64 {
		out := make([]*float64, len(states))
		for i, s := range states {
			v := float64(s.Len())
			out[i] = &v
		}
		return out
	}
	for name, c := range map[string]struct {
		model            valuing
		valued, unvalued int
		failures         map[string]int
	}{
		"all":                 {half, 3, 0, nil},
		"missing":             {func(s []rollout.State) []*float64 { out := half(s); out[0] = nil; return out }, 2, 1, nil},
		"not finite":          {func(s []rollout.State) []*float64 { out := half(s); nan := math.NaN(); out[1] = &nan; return out }, 2, 1, map[string]int{"not_finite": 1}},
		"too few":             {func(s []rollout.State) []*float64 { return half(s)[1:] }, 0, 3, map[string]int{"wrong_length": 3}},
		"a model that panics": {func([]rollout.State) []*float64 { panic("boom") }, 0, 3, map[string]int{"panic": 3}},
	} {
		t.Run(name, func(t *testing.T) {
			var times atomic.Int64
			var mu sync.Mutex
			estimates := map[int]*float64{}
			world := &envtest.Forked{}
			// The chain fails after its third checkpoint, which has a value all the same.
			r := twoPasses(t, refusing("a-0-3", &times), world, search.Cost{})
			config.Register(&r.Values, "stub", "", func(Deps, none) (ValueModel, error) { return c.model, nil })
			config.Register(&r.Strategies, "tree-grpo", "", func(Deps, none) (search.Strategy, error) {
				return search.Strategy{Name: "chain", BranchPoints: rollout.EveryDecision{}, Passes: []search.Pass{{
					Allocator: seeing{inner{search.Roots{Count: 1, Keep: true}}, func(n *search.Node) {
						mu.Lock()
						defer mu.Unlock()
						estimates[n.State.Len()] = n.Estimate
					}},
				}}}, nil
			})
			l := opened(t, r, treeJob(t)+"value: {kind: stub}\n", "tasks.count=1", "run.give_up_after=-1")
			sum, _ := l.Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
			require.Equal(t, c.valued, sum.Valued)
			require.Equal(t, c.unvalued, sum.Unvalued)
			for cause, n := range c.failures {
				require.Equal(t, n, sum.ValueFailures[cause], cause)
			}
			require.Equal(t, 1, sum.Failed, "a score that is missing fails nothing")
			if name == "missing" {
				require.Nil(t, estimates[1], "missing is not zero")
				require.Equal(t, 2.0, *estimates[2])
			}
			allClosed(t, &world.Sessions)
		})
	}
}

// inner says that more passes will go on from its checkpoints.
type inner struct{ search.Allocator }

func (inner) Traits() search.Traits { return search.Traits{Inner: true} }
