package search

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func drawSPOTree(t *rapid.T) SPOTree {
	return SPOTree{
		Widths:  rapid.SliceOfN(rapid.IntRange(1, 4), 1, 3).Draw(t, "widths"),
		Segment: rapid.IntRange(1, 2).Draw(t, "segment"),
	}
}

func TestSPOTreeIsFull(t *testing.T) {
	cases := []struct {
		name          string
		c             SPOTree
		turns         int // of every rollout
		leaves, edges int
	}{
		{"the paper's", DefaultSPOTree(), 9, 216, 258},
		{"levels of their own widths", SPOTree{Widths: []int{2, 3}, Segment: 1}, 9, 6, 8},
		{"one level is a group", SPOTree{Widths: []int{5}, Segment: 1}, 3, 5, 5},
		{"rollouts end above the last level", DefaultSPOTree(), 2, 36, 42},
		{"within the first segment", SPOTree{Widths: []int{6, 6}, Segment: 4}, 4, 6, 6},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := followed(t, c.c.Strategy(), func(_ Expansion, depth int) step {
				if depth == c.turns-1 {
					return ends(1)
				}
				return goesOn()
			})
			leaves := 0
			for n := range s.Tree().Leaves() {
				leaves++
				require.True(t, n.State.Done())
				require.Equal(t, c.turns, n.State.Len())
			}
			require.Equal(t, c.leaves, leaves)
			require.Equal(t, c.edges, s.Tree().Len()-1)
			for n := range s.Tree().Nodes() {
				if !n.State.Done() {
					require.Equal(t, n.Depth*c.c.Segment, n.State.Len(), "a level is a segment")
				}
			}
		})
	}
}

func TestSPOTreeGoesOnBesideAFailure(t *testing.T) {
	s := followed(t, SPOTree{Widths: []int{2, 2}, Segment: 1}.Strategy(), func(x Expansion, depth int) step {
		if in(x, "0") {
			return step{down: true}
		}
		if depth == 1 {
			return ends(1)
		}
		return goesOn()
	})
	require.Equal(t, []NodeID{0, 0, 2, 2}, froms(s.asked), "a failed edge has no children and is not asked for again")
}

func TestSPOTreeValidate(t *testing.T) {
	require.NoError(t, DefaultSPOTree().Validate())
	require.EqualError(t, SPOTree{Widths: []int{2, 0}}.Validate(), "segment is 0, must be at least 1\nwidths[1] is 0, must be at least 1")
	require.EqualError(t, SPOTree{Segment: 1}.Validate(), "the number of widths is 0, must be at least 1")
	require.EqualError(t, SPOTree{Widths: []int{1 << 10, 1 << 10}, Segment: 1}.Validate(), "widths [1024 1024] make more than 65536 rollouts of a tree")
}
