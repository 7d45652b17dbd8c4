package search

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func drawTreeRL(t *rapid.T) TreeRL {
	return TreeRL{
		Chains: rapid.IntRange(1, 4).Draw(t, "chains"), Places: rapid.IntRange(1, 3).Draw(t, "places"),
		Rounds: rapid.IntRange(0, 3).Draw(t, "rounds"), Branches: rapid.IntRange(1, 2).Draw(t, "branches"),
		Diverse: rapid.Bool().Draw(t, "diverse"), Penalty: rapid.SampledFrom([]float64{0, 0.05, 2}).Draw(t, "penalty"), Score: MaxSurprise{},
	}
}

// A chain of three turns: nodes 1, 2 and 3. A branch is one turn, less sure than
// any.
func TestTreeRLBranchesBeforeTheLeastLikelyToken(t *testing.T) {
	chain := []step{goesOn(-1, -2), goesOn(-0.5, -9, -0.5), ends(1, -4)}
	script := func(x Expansion, depth int) step {
		if x.Pass == 0 {
			return chain[depth]
		}
		return ends(0, -20)
	}
	cases := []struct {
		name string
		c    TreeRL
		want []NodeID
	}{
		{"one place", TreeRL{Chains: 1, Places: 1, Rounds: 1, Branches: 2}, []NodeID{0, 1, 1}},
		{"two places", TreeRL{Chains: 1, Places: 2, Rounds: 1, Branches: 1}, []NodeID{0, 1, 2}},
		{"more places than turns: the root is one", TreeRL{Chains: 1, Places: 9, Rounds: 1, Branches: 1}, []NodeID{0, 1, 2, 0}},
		{"a place may be taken again", TreeRL{Chains: 1, Places: 1, Rounds: 3, Branches: 1}, []NodeID{0, 1, 1, 1}},
		{"the first edge of a side branch is no place", TreeRL{Chains: 1, Places: 2, Rounds: 2, Branches: 2}, []NodeID{0, 1, 1, 2, 2, 1, 1, 2, 2}},
		{"two chains have places each", TreeRL{Chains: 2, Places: 1, Rounds: 1, Branches: 1}, []NodeID{0, 0, 1, 4}},
		{"a branch at the root belongs to its tree", TreeRL{Chains: 1, Places: 3, Rounds: 2, Branches: 1}, []NodeID{0, 1, 2, 0, 1, 2, 0}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.c.Score = MaxSurprise{}
			s := followed(t, c.c.Strategy(), script)
			require.Equal(t, c.want, froms(s.asked))
		})
	}
}

func TestW13AT2PORanking(t *testing.T) {
	a := UncertainPlaces{PerTree: 3, Penalty: 0.05}
	places := []place{{next: 3, score: .42}, {next: 1, score: .50, extra: 2}, {next: 5, score: .47, extra: 1}}
	for i, want := range []float64{.42, .40, .42} {
		require.InDelta(t, want, a.worth(places[i]), 1e-6)
	}
	a.rank(places)
	require.Equal(t, []NodeID{3, 5, 1}, []NodeID{places[0].next, places[1].next, places[2].next}, "ties by node")
	a.Penalty = 0
	a.rank(places)
	require.Equal(t, []NodeID{1, 5, 3}, []NodeID{places[0].next, places[1].next, places[2].next})
}

// The chain's second turn is the least sure until two branches there cost it
// more than its lead; then its third, and then the second again.
func TestTreeRLPenaltyCountsTheBranchesOfAPlace(t *testing.T) {
	chain := []step{goesOn(-1), goesOn(-9), ends(1, -6)}
	script := func(x Expansion, depth int) step {
		if x.Pass == 0 {
			return chain[depth]
		}
		return ends(0, -20)
	}
	c := TreeRL{Chains: 2, Places: 1, Rounds: 3, Branches: 2, Penalty: 2, Score: MaxSurprise{}}
	one := []NodeID{1, 1, 4, 4, 2, 2, 5, 5, 1, 1, 4, 4}
	require.Equal(t, append([]NodeID{0, 0}, one...), froms(followed(t, c.Strategy(), script).asked))

	down := func(x Expansion, depth int) step {
		if x.Pass > 0 {
			return step{down: true}
		}
		return chain[depth]
	}
	c.Chains = 1
	require.Equal(t, []NodeID{0, 1, 1, 1, 1, 1, 1}, froms(followed(t, c.Strategy(), down).asked), "a branch that failed is none")
}

func TestTreeRLDiversePlaces(t *testing.T) {
	// The least sure are neighbours; the third lies far off.
	ranked := []place{{from: 1, next: 2, at: 10}, {from: 2, next: 3, at: 12}, {from: 8, next: 9, at: 90}, {from: 5, next: 6, at: 50}}
	from := func(ps []place) (out []NodeID) {
		for _, p := range ps {
			out = append(out, p.from)
		}
		return out
	}
	require.Equal(t, []NodeID{1, 2}, from(UncertainPlaces{PerTree: 2}.choose(ranked)))
	require.Equal(t, []NodeID{1, 8, 5}, from(UncertainPlaces{PerTree: 3, Diverse: true}.choose(ranked)))
	require.Equal(t, []NodeID{1, 8, 5, 2}, from(UncertainPlaces{PerTree: 9, Diverse: true}.choose(ranked)))
	var close []place
	for i := range NodeID(5) {
		close = append(close, place{from: i, next: i + 1, at: int(i)})
	}
	far := append(close, close[0], close[0], close[0], close[0], close[0], ranked[2])
	require.Equal(t, []NodeID{0, 4}, from(UncertainPlaces{PerTree: 2, Diverse: true}.choose(far)), "of five times as many")
}

// M(1 + N·L·T), where every tree has places enough.
func TestTreeRLMakesThirtyRollouts(t *testing.T) {
	s := followed(t, DefaultTreeRL().Strategy(), func(x Expansion, depth int) step {
		if depth < 2 {
			return goesOn(-1)
		}
		return ends(1, -1)
	})
	leaves := 0
	for range s.Tree().Leaves() {
		leaves++
	}
	require.Equal(t, 30, leaves)
}

func TestTreeRLTurnsThatWereNeverScoredAreNoPlaces(t *testing.T) {
	d := drive(t, DefaultTreeRL().Strategy(), world{seed: "1", turns: 4, blind: 1, silent: true}, 4, 1)
	require.Len(t, d.asked, 6)
}

func TestTreeRLValidate(t *testing.T) {
	require.NoError(t, DefaultTreeRL().Validate())
	for _, bad := range []float64{-0.1, math.NaN(), math.Inf(1)} {
		c := DefaultTreeRL()
		c.Penalty = bad
		require.ErrorContains(t, c.Validate(), "penalty is ")
	}
	require.EqualError(t, TreeRL{Rounds: -1}.Validate(),
		"branches is 0, must be at least 1\nchains is 0, must be at least 1\nplaces is 0, must be at least 1\nrounds is -1, must be at least 0\nthere is no score")
}
