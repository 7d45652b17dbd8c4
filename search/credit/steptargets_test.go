package credit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A right path of three turns, and a wrong leaf after its first.
func TestW13StepTargets(t *testing.T) {
	one, zero := 1.0, 0.0
	nodes := []Node{
		{Parent: NoParent}, {Parent: 0, Turns: 1}, {Parent: 1, Turns: 1},
		{Parent: 2, Turns: 1, Reward: &one}, {Parent: 1, Turns: 1, Reward: &zero},
	}
	requireTargets(t, nodes, 0, 1./3, 2./3, 1, 1./9)

	deeper := slices.Clone(nodes)
	deeper[4] = Node{Parent: 1, Turns: 2, Reward: &zero}
	requireTargets(t, deeper, 0, 1./3, 2./3, 1, 0) // 1/9 − (8/9)/3 is below 0

	shortcut := append(slices.Clone(nodes), Node{Parent: 1, Turns: 1, Reward: &one})
	requireTargets(t, shortcut, 0, 1./2, 3./4, 1, 1./4, 1)

	masked := append(slices.Clone(nodes), Node{Parent: 2, Turns: 1})
	got, err := StepTargets(Forest{Nodes: masked}, 1)
	require.NoError(t, err)
	require.Nil(t, got[5], "nobody scored it")

	requireTargets(t, []Node{{Parent: NoParent}, {Parent: 0, Turns: 1}, {Parent: 1, Turns: 2, Reward: &zero}}, 0, 0, 0)
	_, err = StepTargets(Forest{Nodes: []Node{{Parent: 7}}}, 1)
	require.Error(t, err)
	_, err = StepTargets(Forest{Nodes: nodes}, math.NaN())
	require.Error(t, err)
}

func requireTargets(t *testing.T, nodes []Node, want ...float64) {
	got, err := StepTargets(Forest{Nodes: nodes}, 1)
	require.NoError(t, err)
	require.Len(t, got, len(want))
	for i, w := range want {
		require.InDelta(t, w, *got[i], 1e-6, "node %d", i)
	}
}

func TestStepTargetsOfAnyForest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole, cut := drawForestCut(t)
		got, err := StepTargets(whole.forest, 1)
		require.NoError(t, err)
		again, err := StepTargets(cut.forest, 1)
		require.NoError(t, err)
		for i, n := range whole.forest.Nodes {
			same := again[cut.at[i]]
			require.Equal(t, got[i] == nil, same == nil, "node %d", i)
			if got[i] == nil {
				continue
			}
			require.InDelta(t, *got[i], *same, 1e-9, "a cut and an order change no target: node %d", i)
			require.True(t, *got[i] >= 0 && *got[i] <= 1, "node %d: %v", i, *got[i])
			if n.Reward != nil && *n.Reward >= 1 && n.Turns > 0 {
				require.InDelta(t, 1, *got[i], 1e-9, "a right leaf")
			}
		}
	})
}

// renumbered is a forest whose node i of the first stands at at[i].
type renumbered struct {
	forest Forest
	at     []int
}

// drawForestCut is a forest, and the same with each edge cut into its turns and
// its nodes shuffled.
func drawForestCut(t *rapid.T) (whole, cut renumbered) {
	nodes := []Node{{Parent: NoParent}}
	for range rapid.IntRange(1, 14).Draw(t, "nodes") {
		nodes = append(nodes, Node{
			Parent: rapid.IntRange(0, len(nodes)-1).Draw(t, "parent"), Turns: rapid.IntRange(1, 4).Draw(t, "turns"),
		})
	}
	inner := map[int]bool{0: true}
	for _, n := range nodes {
		inner[n.Parent] = true
	}
	for i := range nodes {
		if r := rapid.SampledFrom([]float64{-1, 0, 1}).Draw(t, "reward"); !inner[i] && r >= 0 {
			nodes[i].Reward = &r
		}
	}
	whole.forest.Nodes = nodes
	var pieces []Node
	for _, n := range nodes {
		if n.Parent != NoParent {
			n.Parent = cut.at[n.Parent]
		}
		for ; n.Turns > 1; n.Turns-- {
			pieces = append(pieces, Node{Parent: n.Parent, Turns: 1})
			n.Parent = len(pieces) - 1
		}
		pieces = append(pieces, n)
		cut.at = append(cut.at, len(pieces)-1)
	}
	to := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 0)).Perm(len(pieces))
	cut.forest.Nodes = make([]Node, len(pieces))
	for i, n := range pieces {
		if n.Parent != NoParent {
			n.Parent = to[n.Parent]
		}
		cut.forest.Nodes[to[i]] = n
	}
	for i, at := range cut.at {
		cut.at[i] = to[at]
	}
	return whole, cut
}
