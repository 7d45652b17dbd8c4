package search

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// mould answers expansions from states that all trees share, so that what is
// measured is the search.
type mould struct {
	live []rollout.State
	ends [2][]rollout.State // by return 0 or 1, then by turns
	r    *rand.Rand
}

func newMould(turns int) *mould {
	m := &mould{r: rand.New(rand.NewPCG(1, 1))}
	at := rollout.NewState(rollout.Task{ID: "t"}, nil, nil, nil)
	for d := range turns {
		turn := func(done bool, v float64) *rollout.Turn {
			prefix := rollout.NewTokens(1)
			if d > 0 {
				prefix = at.Last().Context
			}
			t := rollout.NewTurn(prefix, rollout.Completion{Tokens: []rollout.TokenID{1, 2}, Logprobs: []float32{-1, -2}})
			t.Transition = &rollout.Transition{Done: done}
			if done {
				t.Transition.Outcome = &v
			}
			return t
		}
		for v := range m.ends {
			m.ends[v] = append(m.ends[v], at.WithTurn(turn(true, float64(v))))
		}
		m.live = append(m.live, at.WithTurn(turn(false, 0)))
		at = m.live[d]
	}
	return m
}

func (m *mould) play(from *Node, x Expansion) Result {
	out := Result{Ticket: x.Ticket, Attempt: 1}
	for d := from.State.Len(); ; d++ {
		if d == len(m.live)-1 || m.r.IntN(len(m.live)) == 0 {
			out.Path = append(out.Path, Checkpoint{State: m.ends[m.r.IntN(2)][d]})
			return out
		}
		if x.Keep || x.Decisions == 1 {
			out.Path = append(out.Path, Checkpoint{State: m.live[d], Branchable: true})
		}
		if x.Decisions == 1 {
			return out
		}
	}
}

// endless are strategies that go on to any size.
func endless(size int) []Strategy {
	puct := DefaultPUCT()
	puct.Simulations = maxGroup
	fixed := puct
	fixed.Widen, fixed.Alpha = 4, 0
	refine := DefaultValueRefinement()
	refine.Leaves = maxGroup
	best := DefaultBestFirst()
	best.Size, best.Expansions = maxGroup, maxGroup
	grpo := TreeGRPO{Trees: max(2, size/30), Nodes: 2, Rounds: 4}
	out := []Strategy{puct.Strategy(), fixed.Strategy(), refine.Strategy(), best.Strategy(), grpo.Strategy()}
	out[1].Name = "puct of width 4"
	return out
}

// steps grows a search by up to n steps, a choice and its result, and says how
// many there were.
func (m *mould) steps(t require.TestingT, s *Search, n int) int {
	for i := range n {
		x, ok := s.Next()
		if !ok {
			return i
		}
		require.NoError(t, s.Apply(m.play(s.Tree().Node(x.From), x)))
	}
	return n
}

// BenchmarkStepAt is the time of one step of a tree when it has so many nodes:
// its last tenth, where BenchmarkStep takes the mean of all. Garbage collection,
// which is no part of a step, is left out.
func BenchmarkStepAt(b *testing.B) {
	for _, size := range []int{100, 1_000, 10_000} {
		for _, s := range endless(size) {
			b.Run(fmt.Sprintf("%s/%d", s.Name, size), func(b *testing.B) {
				var took time.Duration
				steps := 0
				for b.Loop() {
					percent := debug.SetGCPercent(-1)
					m := newMould(8)
					tree, err := New(NewTree("tree", rollout.Task{ID: "t"}), s, Config{})
					require.NoError(b, err)
					for tree.Tree().Len() < size*9/10 && m.steps(b, tree, 1) == 1 {
					}
					began := time.Now()
					for tree.Tree().Len() < size && m.steps(b, tree, 1) == 1 {
						steps++
					}
					took += time.Since(began)
					debug.SetGCPercent(percent)
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(steps), "ns/step")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkForest is the time of one step when a thousand trees grow in turn,
// and what a node of them takes. The largest takes some 8 GB and minutes, with
// GOGC=30.
func BenchmarkForest(b *testing.B) {
	const trees = 1_000
	for _, size := range []int{100, 1_000, 10_000} {
		for _, s := range endless(size)[:4] {
			b.Run(fmt.Sprintf("%s/%d", s.Name, size), func(b *testing.B) {
				steps, nodes, bytes := 0, 0, uint64(0)
				for b.Loop() {
					before := inUse()
					m := newMould(8)
					forest := make([]*Search, trees)
					for i := range forest {
						var err error
						forest[i], err = New(NewTree(rollout.TreeID(fmt.Sprint(i)), rollout.Task{ID: "t"}), s, Config{})
						require.NoError(b, err)
					}
					for grew := true; grew; {
						grew = false
						for _, t := range forest {
							if t.Tree().Len() < size && m.steps(b, t, 1) == 1 {
								steps, grew = steps+1, true
							}
						}
					}
					bytes = inUse() - before
					nodes = 0
					for _, t := range forest {
						nodes += t.Tree().Len()
					}
					runtime.KeepAlive(forest)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
				b.ReportMetric(float64(bytes)/float64(nodes), "B/node")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// inUse is the memory that is reachable.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
