package search

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

func TestW13DeepSearchFrontier(t *testing.T) {
	c := DefaultBestFirst()
	c.Depth = 64
	for _, n := range []struct {
		q, h      float64
		depth     int
		want, off float64
	}{{.5, .4, 4, .347347, .187347}, {-.2, 1.2, 16, .406050, -.073950}, {0, .6, 36, .2475, .0075}} {
		require.InDelta(t, n.want, c.score(&n.q, &n.h, n.depth), 1e-6)
		require.InDelta(t, n.off, c.score(&n.q, nil, n.depth), 1e-6, "without the term of the entropy")
		without := c
		without.EntropyWeight = 0
		require.InDelta(t, n.off, without.score(&n.q, &n.h, n.depth), 1e-6)
	}
	require.InDelta(t, .0025, c.score(nil, nil, 4), 1e-9)
}

// asked are the nodes that a tree was expanded from, by ticket.
func asked(t *Tree) []NodeID {
	var out []NodeID
	for n := range t.Nodes() {
		if n.ID != Root {
			out = append(out, n.Expansion.From)
		}
	}
	return out
}

func TestBestFirstGoesOnFromTheBest(t *testing.T) {
	c := DefaultBestFirst()
	c.Rank, c.Width, c.InFlight, c.Size = ByConfidence, 2, 1, 2
	said := endsAt(3)
	// What was never scored, as the root, comes last.
	said.surprise = surpriseOf(map[int]float64{0: 3, 1: 2, 2: 9, 3: .1})
	tree := grow(t, c.Strategy(), said)
	// 1 has 3.0 and 2 has 2.5 over its path.
	require.Equal(t, []NodeID{0, 1, 2, 2}, asked(tree))
	require.Equal(t, 2, finished(tree))

	c.Rank = ByFrontier
	c.ValueWeight = 0
	tree = grow(t, c.Strategy(), said)
	require.Equal(t, []NodeID{0, 1, 1, 3, 3}, asked(tree), "by entropy: the least sure")
}

// finished counts the rollouts that ended.
func finished(t *Tree) int {
	n := 0
	for node := range t.Nodes() {
		if node.State.Done() {
			n++
		}
	}
	return n
}

func TestBestFirstReadsOutcomesWhereItSaysSo(t *testing.T) {
	c := DefaultBestFirst()
	for _, want := range []struct {
		rank  Rank
		value float64
		reads bool
	}{{ByFrontier, .4, true}, {ByFrontier, 0, false}, {ByEstimate, 0, true}, {ByConfidence, .4, false}} {
		c.Rank, c.ValueWeight = want.rank, want.value
		require.Equal(t, want.reads, c.Strategy().OutcomeAdaptive(), want)
		blind, bright := drawnOutcomes(t, c, 0), drawnOutcomes(t, c, 1)
		if want.rank != ByEstimate {
			require.Equal(t, want.reads, !slices.Equal(blind, bright), "the same tree whatever rollouts were worth: %v", want)
		}
	}
}

// drawnOutcomes is where a tree grew when every rollout was worth the same.
func drawnOutcomes(t *testing.T, c BestFirst, worth float64) []NodeID {
	w := world{seed: "5", turns: 5, blind: 1, outcome: func(rollout.State) float64 { return worth }}
	return asked(drive(t, c.Strategy(), w, 3, 1).Tree())
}

// against checks each pick with a walk over the whole tree.
type against struct {
	BestFirst
	t require.TestingT
}

func (a against) Open(v *View) Selector {
	return &checkedSelector{a.BestFirst.Open(v).(*frontierSelector), a.t}
}

type checkedSelector struct {
	*frontierSelector
	t require.TestingT
}

func (s *checkedSelector) Next() (Pick, bool) {
	var want *standing
	for n := range s.v.Tree().Nodes() {
		if !s.v.Room(n) {
			continue
		}
		if at := s.stand(n); want == nil || at.order(*want) < 0 {
			want = &at
		}
	}
	pick, ok := s.frontierSelector.Next()
	if ok {
		require.Equal(s.t, want.id, pick.From)
	} else {
		require.True(s.t, want == nil || s.ended+s.out >= s.Size || s.asked >= s.Expansions)
	}
	return pick, ok
}

func drawBestFirst(t *rapid.T) BestFirst {
	c := DefaultBestFirst()
	c.Size, c.Width, c.InFlight = rapid.IntRange(1, 10).Draw(t, "size"), rapid.IntRange(1, 4).Draw(t, "width"), rapid.IntRange(1, 6).Draw(t, "in flight")
	c.Expansions = rapid.SampledFrom([]int{1, 10, 100}).Draw(t, "expansions")
	c.ToEnd = rapid.Bool().Draw(t, "to end")
	c.Rank = rapid.SampledFrom([]Rank{ByFrontier, ByEstimate, ByConfidence}).Draw(t, "rank")
	c.ValueWeight, c.DepthWeight = rapid.Float64Range(-1, 1).Draw(t, "value"), rapid.SampledFrom([]float64{0, .01, -.1}).Draw(t, "deep")
	return c
}

func TestBestFirstPicksTheBestOfTheWholeTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawBestFirst(t)
		require.NoError(t, c.Validate())
		s := c.Strategy()
		s.Passes[0].Allocator = against{c, t}
		d := drive(t, s, drawWorld(t), rapid.IntRange(1, 9).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival"))
		require.LessOrEqual(t, finished(d.Tree()), c.Size)
		require.LessOrEqual(t, len(d.results), c.Expansions)
		for n := range d.Tree().Nodes() {
			require.LessOrEqual(t, len(n.Children()), c.Width)
		}
	})
}

func TestBestFirstToTheEnd(t *testing.T) {
	c := DefaultBestFirst()
	c.ToEnd, c.InFlight = true, 1
	tree := grow(t, c.Strategy(), endsAt(4))
	require.Equal(t, 8, finished(tree))
	require.Equal(t, 8, leaves(tree), "nothing is left unfinished")
}

func TestBestFirstValidate(t *testing.T) {
	require.NoError(t, DefaultBestFirst().Validate())
	err := BestFirst{Rank: "luck"}.Validate()
	for _, want := range []string{"size", "width", "expansions", "depth", "in_flight", "rank", "score"} {
		require.ErrorContains(t, err, want)
	}
}
