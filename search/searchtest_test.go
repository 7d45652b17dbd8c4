package search

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

// world answers expansions from a branch and a depth alone, so that the same
// expansion has the same result whenever it is played.
type world struct {
	seed string
	// turns is the most turns of a rollout.
	turns int
	// fail is the chance of each turn that the infrastructure fails, unscored
	// that a rollout that ends has no outcome, shut that a checkpoint is none to
	// go on from, blind that the value model has no estimate of one.
	fail, unscored, shut, blind float64
	// silent leaves logprobs out.
	silent bool
	// replay is the tool calls that each turn costs when it is played again.
	replay int
	// outcome overrides what a rollout is worth; nil draws 0 or 1.
	outcome func(rollout.State) float64
}

// drawWorld is a world of any kind.
func drawWorld(t *rapid.T) world {
	return world{
		seed: strconv.Itoa(rapid.IntRange(0, 1<<20).Draw(t, "world")), turns: rapid.IntRange(1, 6).Draw(t, "turns"),
		fail:     rapid.SampledFrom([]float64{0, 0, 0.1, 0.5, 1}).Draw(t, "fail"),
		unscored: rapid.SampledFrom([]float64{0, 0, 0.3, 1}).Draw(t, "unscored"),
		shut:     rapid.SampledFrom([]float64{0, 0, 0.3, 1}).Draw(t, "shut"),
		blind:    rapid.SampledFrom([]float64{1, 0.5, 0}).Draw(t, "blind"),
		silent:   rapid.SampledFrom([]bool{false, false, true}).Draw(t, "silent"),
		replay:   rapid.IntRange(0, 2).Draw(t, "replay"),
	}
}

const worldTokens = 6 // the most of a turn

// bound is the most that an expansion can cost here.
func (w world) bound(from *Node, _ Pick) Cost {
	left := w.turns - from.State.Len()
	return Cost{Leaves: 1, Turns: left, GeneratedTokens: left * worldTokens, ToolCalls: w.turns * (w.replay + 1)}
}

// play makes an expansion from a node.
func (w world) play(from *Node, x Expansion) Result {
	s := from.State
	if x.From == Root {
		s = rollout.NewState(rollout.Task{ID: "t"}, nil, nil, nil)
	}
	s.Branch = x.Branch
	out := Result{Ticket: x.Ticket, Attempt: 1, Cost: Cost{ToolCalls: w.replay * s.Len()}}
	for decisions := 1; ; decisions++ {
		r := w.rand(x.Branch, s.Len())
		if r.Float64() < w.fail {
			out.Failure = &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: "down"}
			out.Attempt = 2
			s = s.Ended(rollout.StopFailed, out.Failure)
			out.Path = append(out.Path, Checkpoint{State: s})
			return out
		}
		turn := w.turn(r, s)
		s = s.WithTurn(turn)
		out.Cost = out.Cost.Plus(Cost{Turns: 1, GeneratedTokens: len(turn.Sampled()), PromptTokens: turn.PrefixLen, ToolCalls: 1})
		open := !s.Done() && r.Float64() >= w.shut
		end := s.Done() || open && x.Decisions > 0 && decisions >= x.Decisions
		if end || open && x.Keep {
			c := Checkpoint{State: s, Branchable: open, Replay: w.replay * s.Len()}
			if e := r.Float64(); open && r.Float64() >= w.blind {
				c.Estimate = &e
			}
			out.Path = append(out.Path, c)
		}
		if end {
			return out
		}
	}
}

// turn draws what comes next.
func (w world) turn(r *rand.Rand, s rollout.State) *rollout.Turn {
	c := rollout.Completion{Exact: true, Finish: rollout.FinishStop, Matched: -1}
	for range 1 + r.IntN(worldTokens) {
		c.Tokens = append(c.Tokens, rollout.TokenID(r.IntN(50)))
		c.Logprobs = append(c.Logprobs, -float32(r.ExpFloat64()))
	}
	if w.silent {
		c.Logprobs = nil
	}
	prefix := rollout.NewTokens(1, 2)
	if last := s.Last(); last != nil {
		prefix = last.Context.Append(3)
	}
	turn := rollout.NewTurn(prefix, c)
	turn.Transition = &rollout.Transition{ToolCalls: 1}
	if s.Len()+1 >= w.turns || r.Float64() < 0.15 {
		turn.Transition.Done = true
		reward := float64(r.IntN(2))
		if w.outcome != nil {
			reward = w.outcome(s)
		}
		if r.Float64() >= w.unscored {
			turn.Transition.Outcome = &reward
		}
	}
	return turn
}

func (w world) rand(branch string, depth int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(rollout.DeriveSeed(w.seed, branch, strconv.Itoa(depth))), 1))
}

// driven is a search that was driven to its end, with what it was told.
type driven struct {
	*Search
	world   world
	results []Result
}

// drive grows a tree: at most limit expansions at once, whose results come back
// in an order drawn from arrival. It checks what holds of every strategy.
func drive(t require.TestingT, s Strategy, w world, limit int, arrival uint64) driven {
	out := driven{world: w}
	var err error
	out.Search, err = New(NewTree("tree", rollout.Task{ID: "t"}), s, Config{
		Seed: "7", Bound: w.bound, Record: func(r Result) { out.results = append(out.results, r) },
	})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(arrival, 2))
	var flying []Expansion
	for steps := 0; !out.Done(); steps++ {
		require.Less(t, steps, 20_000, "%s does not end", s.Name)
		for len(flying) < limit {
			x, ok := out.Next()
			if !ok {
				break
			}
			flying = append(flying, x)
		}
		require.NotEmpty(t, flying, "%s waits for nothing", s.Name)
		at := r.IntN(len(flying))
		x := flying[at]
		flying = append(flying[:at], flying[at+1:]...)
		require.NoError(t, out.Apply(w.play(out.Tree().Node(x.From), x)))
		if out.Tree().Len() < 60 {
			holds(t, out.Search)
		}
	}
	holds(t, out.Search)
	require.Empty(t, flying)
	require.Zero(t, out.InFlight())
	require.Zero(t, out.Budget().reserved)
	for n := range out.Tree().Nodes() {
		require.Zero(t, n.InFlight, "node %d", n.ID)
		require.Zero(t, n.Pending, "node %d", n.ID)
	}
	return out
}

// holds checks a search at any time: its statistics are those of a tree that is
// counted afresh, and no limit is passed.
func holds(t require.TestingT, s *Search) {
	tree := s.Tree()
	want := make([]Stats, tree.Len())
	back := map[int]*Node{}
	for n := range tree.Nodes() {
		if n.ID != Root {
			back[n.Expansion.Ticket] = n
			require.Contains(t, tree.Node(n.Parent).Children(), n.ID)
			require.Equal(t, tree.Node(n.Parent).Depth+1, n.Depth)
		}
	}
	for ticket, x := range s.asked {
		end := back[ticket]
		if end == nil {
			want[x.From].Pending++
			for n := range tree.Path(x.From) {
				want[n.ID].InFlight++
			}
			continue
		}
		v, scored := told(end)
		for n := range tree.Path(end.ID) {
			want[n.ID].Visits++
			if scored && end.Failure == nil {
				want[n.ID].Scored++
				want[n.ID].Returns += v
			}
		}
	}
	for n := range tree.Nodes() {
		got := n.Stats
		require.InDelta(t, want[n.ID].Returns, got.Returns, 1e-9, "returns of node %d", n.ID)
		got.Returns, got.sum, got.valued = want[n.ID].Returns, 0, 0
		require.Equal(t, want[n.ID], got, "node %d", n.ID)
		v, ok := n.V()
		wantV, wantOK := afresh(tree, n)
		require.Equal(t, wantOK, ok, "node %d has a value", n.ID)
		require.InDelta(t, wantV, v, 1e-9, "value of node %d", n.ID)
	}
	budget := s.Budget()
	limit, used, reserved := budget.limit.axes(), budget.used.axes(), budget.reserved.axes()
	for i := range limit {
		require.GreaterOrEqual(t, used[i], int64(0))
		require.GreaterOrEqual(t, reserved[i], int64(0))
		if limit[i] > 0 && axisNames[i] != "prompt_tokens" && axisNames[i] != "wall_time" {
			require.LessOrEqual(t, used[i]+reserved[i], limit[i], axisNames[i])
		}
	}
}

// told is what an expansion that ended at a node said when it came back:
// children that the node has by now were not there.
func told(end *Node) (float64, bool) {
	if end.State.Done() {
		return end.State.Return()
	}
	if end.Estimate == nil {
		return 0, false
	}
	return *end.Estimate, true
}

// afresh is the child-mean value of a node, from its children's.
func afresh(tree *Tree, n *Node) (float64, bool) {
	sum, count := 0.0, 0
	for _, id := range n.Children() {
		if c := tree.Node(id); c.Failure == nil {
			if v, ok := c.V(); ok {
				sum, count = sum+v, count+1
			}
		}
	}
	switch {
	case n.State.Done():
		return n.State.Return()
	case count > 0:
		return sum / float64(count), true
	case n.Estimate != nil:
		return *n.Estimate, true
	}
	return 0, false
}

// fingerprint is everything a tree is, to compare two.
func fingerprint(tree *Tree) string {
	h := sha256.New()
	number := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return strconv.FormatUint(math.Float64bits(*v), 16)
	}
	for n := range tree.Nodes() {
		x := n.Expansion
		fmt.Fprintln(h, n.ID, n.Parent, n.Depth, n.Branchable, n.Attempt, n.Failure != nil, number(n.Estimate), n.Pruned, n.Replay,
			x.Ticket, x.Branch, x.Pass, x.Allocator, x.Law.Name, x.From, x.Decisions, x.Keep, x.Probe, number(x.Prior), x.Reserved,
			n.Visits, n.Scored, number(&n.Returns), number(&n.sum), n.valued, n.State.Branch, n.State.Len(), n.State.Reason())
		if last := n.State.Last(); last != nil {
			fmt.Fprintln(h, last.Context.Sum(), last.Logprobs)
		}
	}
	return fmt.Sprintf("%d nodes %x", tree.Len(), h.Sum(nil)[:8])
}
