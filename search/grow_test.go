package search

import (
	"slices"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// script plays a rollout of as many turns as lives says of its branch; the ids
// of each turn have the surprise that surprise says, 1 without it. Each turn runs
// a tool, unless it is idle.
type script struct {
	lives    func(branch string) int
	surprise func(branch string) float64
	failed   map[string]bool
	idle     bool
	// says is the id that a branch samples; by its ticket without it.
	says func(branch string) rollout.TokenID
}

func (c script) id(x Expansion) rollout.TokenID {
	if c.says != nil {
		return c.says(x.Branch)
	}
	return rollout.TokenID(100 + x.Ticket)
}

// play answers one expansion.
func (c script) play(t *Tree, x Expansion) Result {
	s := t.Node(x.From).State
	if x.From == Root {
		s = rollout.NewState(rollout.Task{ID: "t"}, nil, nil, nil)
	}
	s.Branch = x.Branch
	out := Result{Ticket: x.Ticket, Attempt: 1}
	if c.failed[x.Branch] {
		out.Failure = &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: "down"}
		out.Path = []Checkpoint{{State: s.Ended(rollout.StopFailed, out.Failure)}}
		return out
	}
	for {
		turn := surprised(1)
		if c.surprise != nil {
			turn = surprised(c.surprise(x.Branch))
		}
		turn.Context = prefixOf(s).Append(c.id(x))
		turn.PrefixLen = turn.Context.Len() - 1
		turn.Transition = &rollout.Transition{Done: s.Len()+1 >= c.lives(x.Branch)}
		if !c.idle {
			turn.Transition.ToolCalls = 1
		}
		s = s.WithTurn(turn)
		if s.Done() || x.Keep || x.Decisions == 1 {
			out.Path = append(out.Path, Checkpoint{State: s, Branchable: !s.Done()})
		}
		if s.Done() || x.Decisions == 1 {
			return out
		}
	}
}

func prefixOf(s rollout.State) rollout.Tokens {
	if last := s.Last(); last != nil {
		return last.Context
	}
	return rollout.NewTokens(1)
}

// grow plays a search one expansion after another.
func grow(t require.TestingT, s Strategy, c script) *Tree {
	out, err := New(NewTree("tree", rollout.Task{ID: "t"}), s, Config{})
	require.NoError(t, err)
	for !out.Done() {
		x, ok := out.Next()
		require.True(t, ok)
		require.NoError(t, out.Apply(c.play(out.Tree(), x)))
	}
	return out.Tree()
}

// widths is how many children the nodes of a depth have, in order.
func widths(t *Tree, depth int) []int {
	var out []int
	for n := range t.Nodes() {
		if n.Depth == depth && !n.State.Done() {
			out = append(out, len(n.Children()))
		}
	}
	return out
}

func leaves(t *Tree) int { return len(slices.Collect(t.Leaves())) }

// endsAt is a script of rollouts of n turns, those of the branches of one turn
// excepted.
func endsAt(n int, one ...string) script {
	return script{lives: func(branch string) int {
		if slices.Contains(one, branch) {
			return 1
		}
		return n
	}}
}
