package search

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

// ended is a rollout of one turn that says which branch it ended on.
func ended(branch string, reward float64) rollout.State {
	s := rollout.NewState(rollout.Task{ID: "t"}, nil, nil, nil)
	s.Branch = branch
	turn := rollout.NewTurn(rollout.NewTokens(1), rollout.Completion{Tokens: []rollout.TokenID{2}})
	turn.Transition = &rollout.Transition{Done: true, Outcome: &reward}
	return s.WithTurn(turn)
}

func result(x Expansion) Result {
	return Result{Ticket: x.Ticket, Path: []Checkpoint{{State: ended(x.Branch, float64(x.Ticket%2))}}, Attempt: 1}
}

func started(t require.TestingT, s Strategy) *Search {
	out, err := New(NewTree("tree", rollout.Task{ID: "t"}), s, Config{})
	require.NoError(t, err)
	return out
}

func branches(t *Tree) []string {
	var out []string
	for n := range t.Leaves() {
		out = append(out, n.State.Branch)
	}
	return out
}

func TestGroupIsTheSameInAnyOrderOfArrival(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 8).Draw(t, "size")
		s := started(t, Group{Size: size}.Strategy())
		var asked []Expansion
		var want []string
		for {
			x, ok := s.Next()
			if !ok {
				break
			}
			asked, want = append(asked, x), append(want, x.Branch)
		}
		require.Len(t, asked, size)
		require.Equal(t, size, s.InFlight())
		for _, x := range rapid.Permutation(asked).Draw(t, "arrival") {
			require.False(t, s.Done())
			require.NoError(t, s.Apply(result(x)))
		}
		require.True(t, s.Done())
		require.Equal(t, want, branches(s.Tree()))
		for n := range s.Tree().Leaves() {
			require.Equal(t, []NodeID{0, n.ID}, s.Tree().Branch(n.ID))
			edge, err := s.Tree().Edge(n.ID)
			require.NoError(t, err)
			require.Len(t, edge, 1)
		}
		require.Zero(t, s.Tree().Node(Root).InFlight)
	})
}

func TestApplyRefuses(t *testing.T) {
	s := started(t, Group{Size: 2}.Strategy())
	require.Error(t, s.Apply(Result{Ticket: 0}), "nothing was handed out")
	first, _ := s.Next()
	second, _ := s.Next()
	require.Error(t, s.Apply(Result{Ticket: 1}), "no checkpoint")
	require.NoError(t, s.Apply(result(second)))
	require.Error(t, s.Apply(result(second)), "a second result of a waiting ticket")
	require.NoError(t, s.Apply(result(first)))
	require.Error(t, s.Apply(result(first)), "a second result of an applied ticket")
	require.Equal(t, 3, s.Tree().Len())
}

func TestGroupValidate(t *testing.T) {
	require.NoError(t, Group{Size: 1}.Validate())
	require.Error(t, Group{}.Validate())
}

// A rollout that is drawn at the root belongs to the tree it was drawn for.
func TestRootRolloutsBelongToTheirTree(t *testing.T) {
	s := started(t, Strategy{Name: "s", Passes: []Pass{
		{Allocator: Roots{Count: 2}}, {Allocator: RandomNodes{PerTree: 3}}, {Allocator: RandomNodes{PerTree: 2}},
	}})
	for !s.Done() {
		x, ok := s.Next()
		require.True(t, ok)
		require.NoError(t, s.Apply(result(x)))
	}
	trees := s.Tree().Trees()
	require.Len(t, trees, 2, "every rollout ends at once, so all are drawn at the root")
	for _, tree := range trees {
		require.Len(t, tree, 1+3+2)
		for _, id := range tree {
			require.Equal(t, tree[0], s.Tree().Node(id).TreeOf())
		}
	}
}
