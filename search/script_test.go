package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// step is a scripted turn.
type step struct {
	// lp are the logprobs of its ids; one id of logprob 0 when there are none.
	lp []float32
	// ends is the return of a rollout that ends here; nil for one that goes on.
	ends *float64
	// down says that the infrastructure fails instead.
	down bool
}

func goesOn(lp ...float32) step          { return step{lp: lp} }
func ends(v float64, lp ...float32) step { return step{lp: lp, ends: &v} }
func longer(n int, s step) step          { s.lp = make([]float32, n); return s }
func in(x Expansion, branch string) bool { return x.Branch == branch }
func froms(asked []Expansion) (o []NodeID) {
	for _, x := range asked {
		o = append(o, x.From)
	}
	return o
}

// follow makes an expansion by a script, which is asked for every turn by its
// depth from 0.
func follow(from *Node, x Expansion, script func(x Expansion, depth int) step) Result {
	s := from.State
	if x.From == Root {
		s = rollout.NewState(rollout.Task{ID: "t"}, nil, nil, nil)
	}
	s.Branch = x.Branch
	out := Result{Ticket: x.Ticket, Attempt: 1}
	for decisions := 1; ; decisions++ {
		do := script(x, s.Len())
		if do.down {
			out.Failure = &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: "down"}
			out.Path = append(out.Path, Checkpoint{State: s.Ended(rollout.StopFailed, out.Failure)})
			return out
		}
		if do.lp == nil {
			do.lp = []float32{0}
		}
		prefix := rollout.NewTokens(1)
		if last := s.Last(); last != nil {
			prefix = last.Context
		}
		turn := rollout.NewTurn(prefix, rollout.Completion{Tokens: make([]rollout.TokenID, len(do.lp)), Logprobs: do.lp})
		turn.Transition = &rollout.Transition{Done: do.ends != nil, Outcome: do.ends}
		s = s.WithTurn(turn)
		if s.Done() || x.Keep || decisions == x.Decisions {
			out.Path = append(out.Path, Checkpoint{State: s, Branchable: !s.Done()})
		}
		if s.Done() || decisions == x.Decisions {
			return out
		}
	}
}

// followed grows a tree by a script: all that is asked for is handed out before
// the oldest comes back.
func followed(t *testing.T, s Strategy, script func(x Expansion, depth int) step) *Search {
	out, err := New(NewTree("tree", rollout.Task{ID: "t"}), s, Config{})
	require.NoError(t, err)
	var flying []Expansion
	for !out.Done() {
		for x, ok := out.Next(); ok; x, ok = out.Next() {
			flying = append(flying, x)
		}
		x := flying[0]
		flying = flying[1:]
		require.NoError(t, out.Apply(follow(out.Tree().Node(x.From), x, script)))
	}
	return out
}
