package search

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestW13ARPO(t *testing.T) {
	c := ARPO{Branch: .5, Weight: .2, Penalty: .05, Size: 16, RootSplit: .5}
	require.InDelta(t, .58, c.probability(.4, 0), 1e-6)
	require.InDelta(t, .524444, c.probability(.4, 2), 1e-6)
	require.Equal(t, 8, c.split(.30, .50))
	c.Penalty = 0
	for _, p := range []struct{ delta, want float64 }{{-9, 0}, {9, 1}, {0, .5}} {
		require.InDelta(t, p.want, c.probability(p.delta, 7), 1e-6, "clipped, and without a penalty")
	}
	c.Penalty = .5
	require.Zero(t, c.probability(9, 2))
}

// smallARPO branches wherever it may, or nowhere, until there are size rollouts.
func smallARPO(roots, size int, branch float64) ARPO {
	c := DefaultARPO()
	c.Roots, c.Size, c.Branch, c.Weight = roots, size, branch, 0
	return c
}

func TestARPOBranchesAtToolResultsUntilItsSize(t *testing.T) {
	tree := grow(t, smallARPO(2, 5, 1).Strategy(), endsAt(4))
	require.Equal(t, []int{2}, widths(tree, 0))
	require.Equal(t, []int{2, 2}, widths(tree, 1))
	require.Equal(t, []int{2, 1, 1, 1}, widths(tree, 2))
	require.Equal(t, 5, leaves(tree))

	c := smallARPO(1, 16, 1)
	c.Beam = 4
	require.Equal(t, []int{4}, widths(grow(t, c.Strategy(), endsAt(2)), 1)[:1], "three branches are tried")
}

func TestARPOFillsUpWithRootsOneAtATime(t *testing.T) {
	idle := endsAt(2)
	idle.idle = true
	for name, tree := range map[string]*Tree{
		"never":           grow(t, smallARPO(2, 5, 0).Strategy(), endsAt(2)),
		"no tool results": grow(t, smallARPO(2, 5, 1).Strategy(), idle),
	} {
		require.Equal(t, []int{5}, widths(tree, 0), name)
		var tickets []int
		for _, id := range tree.Node(Root).Children() {
			tickets = append(tickets, tree.Node(id).Expansion.Ticket)
		}
		require.Equal(t, []int{0, 1, 4, 6, 8}, tickets, "%s: each after the one before has ended", name)
	}
}

func TestARPOFollowsEntropy(t *testing.T) {
	c := DefaultARPO()
	c.Roots, c.Size, c.Weight = 2, 3, 100
	said := endsAt(2)
	// Both start with a surprise of 1; then one is unsure and one is not.
	said.surprise = func(branch string) float64 { return map[string]float64{"0": 1, "1": 1, "2": 6, "3": .1}[branch] }
	tree := grow(t, c.Strategy(), said)
	require.Equal(t, []int{2, 1}, widths(tree, 1))
	last := tree.Node(NodeID(tree.Len() - 1))
	require.InDelta(t, 1, *last.Expansion.Prior, 1e-9)
}

func TestARPOLeavesWhatWasNeverScoredToChance(t *testing.T) {
	c := DefaultARPO()
	c.Weight = 1000
	d := drive(t, c.Strategy(), world{turns: 5, silent: true, seed: "2"}, 3, 1)
	branches := 0
	for n := range d.Tree().Nodes() {
		if n.Expansion.Prior != nil {
			branches++
			require.InDelta(t, .5, *n.Expansion.Prior, 1e-9)
		}
	}
	require.Positive(t, branches)
}

func TestAEPOHoldsBackAfterRoundsThatBranched(t *testing.T) {
	c := smallARPO(1, 16, .999999999)
	c.Penalty = 1
	tree := grow(t, c.Strategy(), endsAt(6))
	at := tree.Node(tree.Node(Root).Children()[0])
	var got []int
	for len(at.Children()) > 0 {
		got = append(got, len(at.Children()))
		at = tree.Node(at.Children()[0])
	}
	require.Equal(t, []int{2, 1, 2, 1, 2}, got, "never two rounds in a row")
}

func TestAEPOSplitsTheRoot(t *testing.T) {
	c := smallARPO(8, 16, 1)
	c.RootSplit = 10
	tree := grow(t, c.Strategy(), endsAt(4))
	require.Equal(t, []int{9}, widths(tree, 0), "as sure at first as later: ⌊16/2⌋ + 1")
	require.Equal(t, 16, leaves(tree))
	require.Equal(t, 2, len(tree.Node(1).Children()), "the first rollout is branched too")

	unsure := endsAt(4)
	unsure.surprise = func(branch string) float64 { return map[string]float64{"0": 5}[branch] }
	unsure.lives = func(string) int { return 1 }
	require.Equal(t, []int{16}, widths(grow(t, c.Strategy(), unsure), 0), "no tool result: as configured, then roots")
}

func drawARPO(t *rapid.T) ARPO {
	c := DefaultARPO()
	c.Size = rapid.IntRange(1, 16).Draw(t, "size")
	c.Roots = rapid.IntRange(1, c.Size).Draw(t, "roots")
	c.Beam = rapid.IntRange(1, 4).Draw(t, "beam")
	c.Branch = rapid.Float64Range(0, 1).Draw(t, "branch")
	c.Penalty = rapid.SampledFrom([]float64{0, .05, .5}).Draw(t, "penalty")
	c.RootSplit = rapid.SampledFrom([]float64{0, 10}).Draw(t, "split")
	return c
}

func TestARPOHasItsSizeAndNoMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawARPO(t)
		require.NoError(t, c.Validate())
		s := c.Strategy()
		width := rapid.IntRange(0, 4).Draw(t, "width")
		for i := range s.Passes {
			s.Passes[i].Gate.Width = width
		}
		d := drive(t, s, drawWorld(t), rapid.IntRange(1, 9).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival"))
		require.LessOrEqual(t, leaves(d.Tree()), c.Size)
		for n := range d.Tree().Nodes() {
			require.True(t, width == 0 || len(n.Children()) <= width)
		}
		if width == 0 {
			require.Equal(t, c.Size, leaves(d.Tree()))
		}
	})
}

func TestARPOValidate(t *testing.T) {
	require.NoError(t, DefaultARPO().Validate())
	err := ARPO{Roots: 1, Branch: 2, Weight: -1, Penalty: -1, RootSplit: -1}.Validate()
	for _, want := range []string{"size", "roots", "beam", "branch", "weight", "vocabulary", "score", "penalty", "root_split"} {
		require.ErrorContains(t, err, want)
	}
}
