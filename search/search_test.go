package search

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

// leaf is a state that says which branch it ended on.
func leaf(branch string) rollout.State {
	s := rollout.NewState(rollout.Task{ID: "t"}, nil, nil, nil)
	s.Branch = branch
	return s.WithTurn(rollout.NewTurn(rollout.NewTokens(1), rollout.Completion{Tokens: []rollout.TokenID{2}}))
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
		s := New(NewTree("tree", rollout.Task{ID: "t"}), Group{Size: size})
		var asked []Expansion
		for {
			x, ok := s.Next()
			if !ok {
				break
			}
			asked = append(asked, x)
		}
		require.Len(t, asked, size)
		require.Equal(t, size, s.InFlight())
		var want []string
		for _, x := range asked {
			want = append(want, x.Branch)
		}
		for _, x := range rapid.Permutation(asked).Draw(t, "arrival") {
			require.False(t, s.Done())
			require.NoError(t, s.Apply(Result{Ticket: x.Ticket, State: leaf(x.Branch), Attempt: 1}))
		}
		require.True(t, s.Done())
		require.Equal(t, want, branches(s.Tree()))
		for n := range s.Tree().Leaves() {
			require.Equal(t, []NodeID{0, n.ID}, s.Tree().Branch(n.ID))
			edge, err := s.Tree().Edge(n.ID)
			require.NoError(t, err)
			require.Len(t, edge, 1)
		}
	})
}

func TestApplyRefuses(t *testing.T) {
	s := New(NewTree("tree", rollout.Task{}), Group{Size: 2})
	require.Error(t, s.Apply(Result{Ticket: 0}), "nothing was asked for")
	_, _ = s.Next()
	_, _ = s.Next()
	require.NoError(t, s.Apply(Result{Ticket: 1, State: leaf("1")}))
	require.Error(t, s.Apply(Result{Ticket: 1, State: leaf("1")}), "a second result of a waiting ticket")
	require.NoError(t, s.Apply(Result{Ticket: 0, State: leaf("0")}))
	require.Error(t, s.Apply(Result{Ticket: 0, State: leaf("0")}), "a second result of an applied ticket")
	require.Equal(t, 3, s.Tree().Len())
}

func TestGroupValidate(t *testing.T) {
	require.NoError(t, Group{Size: 1}.Validate())
	require.Error(t, Group{}.Validate())
}
