package search

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

// surpriseOf gives the turns of a branch the surprise of its ticket, 1 where
// there is none.
func surpriseOf(byTicket map[int]float64) func(string) float64 {
	return func(branch string) float64 {
		ticket, err := strconv.Atoi(branch)
		if v, ok := byTicket[ticket]; ok && err == nil {
			return v
		}
		return 1
	}
}

func TestBeamKeepsTheMostConfident(t *testing.T) {
	c := DefaultBeam()
	c.Keep, c.Children = 2, 2
	said := endsAt(3, "4")
	said.surprise = surpriseOf(map[int]float64{1: .5, 3: .2, 5: 9, 6: 9, 7: .1})
	tree := grow(t, c.Strategy(), said)
	require.Equal(t, []int{0, 2, 0, 2}, widths(tree, 1), "the two with the least surprise")
	// Ticket 3 is better than 1 and comes first: its children are 4, which ends,
	// and 5; those of 1 are 6 and 7. The mean is over the path: (.2+9)/2 of 5 is
	// less than (.5+9)/2 of 6.
	require.Equal(t, []int{2, 0, 2}, widths(tree, 2), "one ended and left the beam to two others")
	require.Equal(t, 2+1+1+4, leaves(tree), "two and one were not kept, one and four ended")
}

func TestBeamByEstimate(t *testing.T) {
	u := MeanSurprise{}
	at := func(id NodeID, estimate *float64, turns ...*rollout.Turn) *Node {
		return &Node{ID: id, Estimate: estimate, State: rollout.State{}.WithTurn(turns...)}
	}
	half, most := .5, .9
	nodes := []*Node{at(1, nil, surprised()), at(2, nil, surprised(2)), at(3, &half, surprised()), at(4, &most, surprised(9)), at(5, nil, surprised(1)), at(6, &half, surprised(1)), at(7, nil, surprised())}
	best := func(r Rank) []NodeID {
		var level []standing
		for _, n := range nodes {
			level = append(level, r.stand(n, u))
		}
		slices.SortFunc(level, standing.order)
		var out []NodeID
		for _, at := range level {
			out = append(out, at.id)
		}
		return out
	}
	require.Equal(t, []NodeID{4, 3, 6, 5, 2, 1, 7}, best(ByEstimate), "without an estimate by confidence, without either as they came")
	require.Equal(t, []NodeID{5, 6, 2, 4, 1, 3, 7}, best(ByConfidence))
}

func TestBeamKeepsOneOfCheckpointsThatAreAlike(t *testing.T) {
	c := DefaultBeam()
	c.Keep, c.Children = 2, 2
	said := endsAt(3)
	said.surprise = surpriseOf(map[int]float64{0: .1, 1: .2})
	said.says = func(branch string) rollout.TokenID { return map[string]rollout.TokenID{"0": 5, "1": 5, "2": 5}[branch] }
	require.Equal(t, []int{2, 0, 0, 2}, widths(grow(t, c.Strategy(), said), 1), "the second says what the first did")

	told := func(answers ...string) *Node {
		turn := surprised(1)
		turn.Transition = &rollout.Transition{}
		for _, a := range answers {
			turn.Transition.Observations = append(turn.Transition.Observations, rollout.User(a))
		}
		return &Node{State: rollout.State{}.WithTurn(turn)}
	}
	require.True(t, alike(told("a"), told("a")))
	require.False(t, alike(told("a"), told("b")), "the world answered otherwise")
	require.False(t, alike(told("a"), told()))
}

func TestBeamOutcomes(t *testing.T) {
	c := DefaultBeam()
	require.False(t, c.Strategy().OutcomeAdaptive())
	c.Rank = ByEstimate
	require.True(t, c.Strategy().OutcomeAdaptive())
}

func TestBeamPlaysToTheEndBeyondItsDepth(t *testing.T) {
	c := DefaultBeam()
	c.Keep, c.Children, c.Depth = 2, 2, 1
	tree := grow(t, c.Strategy(), endsAt(6))
	require.Equal(t, []int{1, 1, 0, 0}, widths(tree, 1))
	for n := range tree.Nodes() {
		require.Equal(t, n.Depth == 2, n.State.Done())
	}
}

func drawBeam(t *rapid.T) Beam {
	c := DefaultBeam()
	c.Keep, c.Children, c.Depth = rapid.IntRange(1, 4).Draw(t, "keep"), rapid.IntRange(1, 4).Draw(t, "children"), rapid.IntRange(0, 3).Draw(t, "depth")
	c.Rank = rapid.SampledFrom([]Rank{ByConfidence, ByEstimate}).Draw(t, "rank")
	return c
}

func TestBeamGoesOnFromNoMoreThanItKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawBeam(t)
		require.NoError(t, c.Validate())
		d := drive(t, c.Strategy(), drawWorld(t), rapid.IntRange(1, 9).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival"))
		parents := map[int]int{}
		for n := range d.Tree().Nodes() {
			if n.Depth > 0 && len(n.Children()) > 0 {
				parents[n.Depth]++
				require.LessOrEqual(t, len(n.Children()), c.Children)
				require.True(t, c.Depth == 0 || n.Depth <= c.Depth)
			}
		}
		for depth, n := range parents {
			require.LessOrEqual(t, n, c.Keep, "depth %d", depth)
		}
	})
}

func TestBeamValidate(t *testing.T) {
	require.NoError(t, DefaultBeam().Validate())
	err := Beam{Depth: -1, Rank: ByFrontier}.Validate()
	for _, want := range []string{"keep", "children", "depth", "rank", "score"} {
		require.ErrorContains(t, err, want)
	}
}
