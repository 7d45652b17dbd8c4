package search

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

func TestW13LargestRemainder(t *testing.T) {
	require.Equal(t, []int{4, 2, 2}, apportion([]float64{.5, .3, .2}, 8))
	require.Equal(t, []int{2, 2, 1}, apportion([]float64{.6, .3, .1}, 5))
	var vip []float64
	for _, p := range []float64{.5, .1, .9, .02} {
		vip = append(vip, math.Sqrt(p*(1-p)))
	}
	require.Equal(t, []int{25, 16, 15, 8}, apportion(vip, 64))
}

func TestApportionSharesTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(1e-9, 10), 1, 20).Draw(t, "weights")
		total := len(weights) + rapid.IntRange(0, 60).Draw(t, "more")
		got := apportion(weights, total)
		sum := 0
		for i, k := range got {
			require.GreaterOrEqual(t, k, 1)
			for j := range got {
				require.False(t, weights[i] > weights[j] && k < got[j], "more weight and a smaller share: %v of %v", got, weights)
			}
			sum += k
		}
		require.Equal(t, total, sum)
	})
}

func fixedTreePO(first, size int) TreePO {
	c := DefaultTreePO()
	c.FirstMin, c.FirstMax, c.Size = first, first, size
	return c
}

func TestTreePOHandsForksOfPathsThatEndedToThoseThatLive(t *testing.T) {
	tree := grow(t, fixedTreePO(4, 12).Strategy(), endsAt(3, "0", "1"))
	require.Equal(t, []int{4}, widths(tree, 0))
	require.Equal(t, []int{4, 4}, widths(tree, 1), "two ended: the others share 4 · 2 children")
	require.Equal(t, []int{2, 2, 1, 1, 1, 1, 1, 1}, widths(tree, 2), "of 12 rollouts, 10 are left")
	require.Equal(t, 12, leaves(tree))
}

func TestTreePOFirstWidth(t *testing.T) {
	seen := map[int]bool{}
	for i := range 200 {
		out, err := New(NewTree(rollout.TreeID(rune('a'+i)), rollout.Task{ID: "t"}), DefaultTreePO().Strategy(), Config{})
		require.NoError(t, err)
		n := 0
		for _, ok := out.Next(); ok; _, ok = out.Next() {
			n++
		}
		seen[n] = true
	}
	require.Equal(t, map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true}, seen)
}

func TestTreePOFallsBackToSegmentsOfRolloutsThatEnded(t *testing.T) {
	c := fixedTreePO(2, 14)
	c.Fork = 1
	tree := grow(t, c.Strategy(), endsAt(4))
	require.Equal(t, 14, leaves(tree))
	forks := map[int]int{}
	for n := range tree.Nodes() {
		if len(n.Children()) > 1 {
			forks[n.Depth] += len(n.Children()) - 1
		}
	}
	require.Greater(t, len(forks), 2, "at several depths: %v", forks)

	tree = grow(t, fixedTreePO(2, 7).Strategy(), endsAt(1))
	require.Equal(t, []int{7}, widths(tree, 0), "a rollout of one segment is cut at the root")
	failing := endsAt(3)
	failing.failed = map[string]bool{"0": true, "1": true, "2": true}
	tree = grow(t, fixedTreePO(2, 3).Strategy(), failing)
	require.Equal(t, []int{3}, widths(tree, 0), "none ended: the root is left, and failures are charged")
}

func TestTreePOAllocation(t *testing.T) {
	unsure := endsAt(2)
	unsure.surprise = func(branch string) float64 { return 3 * float64(len(branch)-1+map[string]int{"1": 1}[branch]) }
	for _, c := range []struct {
		allocation Allocation
		want       []int
	}{{FixedAvg, []int{2, 2}}, {Uncertain, []int{1, 3}}, {Confident, []int{3, 1}}} {
		po := fixedTreePO(2, 4)
		po.Allocation = c.allocation
		require.Equal(t, c.want, widths(grow(t, po.Strategy(), unsure), 1), c.allocation)
	}
	po := fixedTreePO(2, 4)
	po.Allocation = Uncertain
	d := drive(t, po.Strategy(), world{turns: 3, silent: true, seed: "2"}, 1, 0)
	for n := range d.Tree().Nodes() {
		require.LessOrEqual(t, len(n.Children()), 4, "without scores all paths are alike")
	}
}

func TestTreePODoesNotForkBeyondItsDepth(t *testing.T) {
	c := fixedTreePO(2, 9)
	c.Depth = 1
	tree := grow(t, c.Strategy(), endsAt(5))
	for n := range tree.Nodes() {
		require.True(t, n.Depth == 0 || len(n.Children()) <= 1)
		require.LessOrEqual(t, n.Depth, 2, "beyond it a path is one edge")
	}
	require.Equal(t, 9, leaves(tree))
}

func drawTreePO(t *rapid.T) TreePO {
	c := DefaultTreePO()
	c.Size, c.Fork, c.Depth = rapid.IntRange(1, 20).Draw(t, "size"), rapid.IntRange(1, 3).Draw(t, "fork"), rapid.IntRange(1, 5).Draw(t, "depth")
	c.FirstMin = rapid.IntRange(1, 4).Draw(t, "first min")
	c.FirstMax = c.FirstMin + rapid.IntRange(0, 4).Draw(t, "first max")
	c.Allocation = rapid.SampledFrom([]Allocation{FixedAvg, Uncertain, Confident}).Draw(t, "allocation")
	return c
}

func TestTreePOHasItsSizeAndNoMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawTreePO(t)
		require.NoError(t, c.Validate())
		s := c.Strategy()
		width := rapid.IntRange(0, 4).Draw(t, "width")
		s.Passes[0].Gate.Width = width
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

func TestTreePOValidate(t *testing.T) {
	require.NoError(t, DefaultTreePO().Validate())
	err := TreePO{FirstMin: 3, FirstMax: 2, Allocation: "most"}.Validate()
	for _, want := range []string{"size", "first_max", "fork", "depth", "allocation", "temperature", "score"} {
		require.ErrorContains(t, err, want)
	}
}
