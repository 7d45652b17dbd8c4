package credit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func w7() *sketch {
	s := draw("a", "a/c", "c/c1=1", "c/c2=0", "a/d=1", "b", "b/b1=0", "b/b2=0", "b/b3=1")
	for name, k := range map[string]int{"a": 10, "c": 4, "c1": 6, "c2": 5, "d": 8, "b": 12, "b1": 3, "b2": 7, "b3": 2} {
		s.with(tokens(k), name)
	}
	return s
}

func TestW7Depth3(t *testing.T) {
	td := named{"a": 5. / 24, "b": -5. / 24, "c": -0.25, "d": 0.25, "c1": 0.5, "c2": -0.5, "b1 b2": -1. / 3, "b3": 2. / 3}
	check(t, []worked{
		{name: "td child", forest: w7(), method: TD{TDPlain}, options: exact(), edges: td,
			values: named{"a": 0.75, "b": 1. / 3, "c": 0.5, "ε": 13. / 24},
			omegas: named{"a b": 0.5, "c d": 0.25, "c1 c2": 1. / 8, "b1 b2 b3": 1. / 6}},
		{name: "td leaf", forest: w7(), method: TD{TDPlain}, options: exact(leafMean),
			values: named{"a": 2. / 3, "b": 1. / 3, "c": 0.5, "ε": 0.5},
			omegas: named{"a b": 0.5, "c": 1. / 3, "d c1 c2 b1 b2 b3": 1. / 6},
			edges:  named{"a": 1. / 6, "b": -1. / 6, "c": -1. / 6, "d": 1. / 3, "c1": 0.5, "c2": -0.5, "b1 b2": -1. / 3, "b3": 2. / 3}},
		{name: "loo", forest: w7(), method: TD{TDLOO}, options: exact(),
			edges: named{"a": 5. / 12, "b": -5. / 12, "c": -0.5, "d": 0.5, "c1": 1, "c2": -1, "b1 b2": -0.5, "b3": 1}},
		{name: "subgroup avg", forest: w7(), method: Subgroup{SubgroupAvg}, options: exact(),
			edges: named{"c1": 4. / 9, "c2": -5. / 9, "d": 5. / 12, "b1 b2": -5. / 12, "b3": 7. / 12}},
		{name: "subgroup size", forest: w7(), method: Subgroup{SubgroupSize}, options: exact(),
			edges: named{"c1": 5. / 11, "c2": -6. / 11, "d": 4. / 9, "b1 b2": -4. / 9, "b3": 5. / 9}},
		{name: "tree.rl", forest: w7(), method: TreeRL{}, options: exact(),
			edges: named{"a": 0.230940, "b": -0.230940, "c": -0.141421, "c1": 1.2, "c2": -1.2, "d": 1, "b1 b2": -1, "b3": 1.4}},
		{name: "grpo ddof 1", forest: w7(), method: Chain{BaseGRPO}, options: exact(), edges: named{"c1 d b3": 0.912871, "c2 b1 b2": -0.912871}},
		{name: "grpo ddof 0", forest: w7(), method: Chain{BaseGRPO}, options: exact(ddof0), edges: named{"c1 d b3": 1, "c2 b1 b2": -1}},
		{name: "rloo", forest: w7(), method: Chain{BaseRLOO}, options: exact(), edges: named{"c1 d b3": 0.6, "c2 b1 b2": -0.6}},
		{name: "redistribute rloo", forest: w7(), method: Redistribute{BaseRLOO}, options: exact(leafMean), edges: named{"a": 0.2, "b": -0.2, "c": 0, "d": 0.6}},
		{name: "redistribute grpo", forest: w7(), method: Redistribute{BaseGRPO}, options: exact(leafMean),
			edges: named{"a": 0.304290, "b": -0.304290, "c": 0, "d": 0.912871}},
		{name: "gae ½", forest: w7(), method: GAE{0.5}, options: exact(), edges: td, rows: map[string][]float64{
			"c1": {0.208333, 0, 0.5}, "c2": {-0.041667, -0.5, -0.5}, "d": {0.333333, 0.25}, "b1 b2": {-0.375, -0.333333}, "b3": {0.125, 0.666667}}},
		{name: "gae 1", forest: w7(), method: GAE{1}, options: exact(), edges: td, rows: map[string][]float64{
			"c1": {0.458333, 0.25, 0.5}, "c2": {-0.541667, -0.75, -0.5}, "d": {0.458333, 0.25}, "b1 b2": {-0.541667, -0.333333}, "b3": {0.458333, 0.666667}}},
		{name: "gae 0", forest: w7(), method: GAE{}, options: exact(), edges: td},
		{name: "shrunk", forest: w7(), method: Shrunk{1, &half}, options: exact(),
			values: named{"ε": 0.5, "a": 5. / 8, "b": 3. / 8, "c": 13. / 24},
			edges:  named{"a": 1. / 8, "b": -1. / 8, "c": -1. / 12, "d": 3. / 8, "c1": 11. / 24, "c2": -13. / 24, "b1 b2": -3. / 8, "b3": 5. / 8}},
	})
}

// P21: what sums to zero elsewhere does not here.
func TestW7SubgroupDoesNotSumToZero(t *testing.T) {
	for form, want := range map[SubgroupForm]float64{SubgroupAvg: 1. / 18, SubgroupSize: 2. / 99} {
		total := 0.0
		for _, r := range estimate(t, w7().Forest, Subgroup{form}, exact()).Rows {
			total += r.Advantages[0]
		}
		require.InDelta(t, want, total, precision, form)
	}
}

func TestW7RowParity(t *testing.T) {
	forest := w7()
	c := estimate(t, forest.Forest, TD{TDPlain}, exact())
	edges, rows, naive := 0.0, 0.0, 0.0
	for i, n := range c.Nodes {
		if n.Advantage != nil {
			edges += n.Omega * *n.Advantage * float64(forest.Nodes[i].Tokens)
		}
	}
	for _, r := range c.Rows {
		for i, n := range r.Branch {
			mass := r.Advantages[i] * float64(forest.Nodes[n].Tokens)
			rows, naive = rows+r.Omega*mass, naive+mass/6
		}
	}
	require.InDelta(t, -11./48, edges, precision)
	require.InDelta(t, -11./48, rows, precision)
	require.InDelta(t, -0.458333, naive, precision)
	s := c.Stats()
	require.Equal(t, []int{57, 105}, []int{s.UniqueTokens, s.RowTokens})
	require.InDelta(t, 0.542857, float64(s.UniqueTokens)/float64(s.RowTokens), precision)
	require.InDelta(t, 1/(2./64+1./16+3./36), s.EffectiveLeaves, precision)
}
