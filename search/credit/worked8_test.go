package credit

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestW8MaskedLeaf(t *testing.T) {
	masked := func() *sketch { return draw("a", "a/a1=1", "a/a2=?", "b", "b/b1=0", "b/b2=0") }
	check(t, []worked{
		{name: "td", forest: masked(), method: TD{TDPlain}, options: exact(), edges: named{"a a1": 0.5, "b": -0.5, "b1 b2": 0}},
		{name: "loo", forest: masked(), method: TD{TDLOO}, options: exact(), edges: named{"a a1": 1, "b": -1, "b1 b2": 0}},
		{name: "rloo", forest: masked(), method: Chain{BaseRLOO}, options: exact(), rows: map[string][]float64{"a1": {1, 1}, "b1 b2": {-0.5, -0.5}}},
		{name: "grpo", forest: masked(), method: Chain{BaseGRPO}, options: exact(),
			rows: map[string][]float64{"a1": {1.154701, 1.154701}, "b1 b2": {-0.577350, -0.577350}}},
	})
	s := masked()
	c := estimate(t, s.Forest, TD{TDLOO}, exact())
	require.Len(t, c.Rows, 3)
	lost := c.Nodes[s.at["a2"]]
	require.Nil(t, lost.Advantage, "a masked leaf has no advantage, which is not an advantage of 0")
	require.Nil(t, lost.Value)
	require.Zero(t, lost.Omega)
}

func TestW9ZeroSpread(t *testing.T) {
	same := func() *sketch { return draw("a", "a/a1=1", "a/a2=1", "b", "b/b1=1", "b/b2=1") }
	for _, m := range methods() {
		c := estimate(t, same().Forest, m, exact())
		require.True(t, c.ZeroSpread, m.ID())
		require.Len(t, c.Rows, 4, m.ID())
		for _, r := range c.Rows {
			require.Equal(t, []float64{0, 0}, r.Advantages, m.ID())
		}
		dropped := estimate(t, same().Forest, m, exact(dropZero))
		require.Empty(t, dropped.Rows, m.ID())
		require.True(t, dropped.ZeroSpread, m.ID())
		require.Nil(t, dropped.Nodes[1].Advantage, m.ID())
		require.InDelta(t, 1, *dropped.Nodes[1].Value, 0, m.ID())
	}
	rewarded := same().with(earned(-0.1), "a")
	check(t, []worked{{name: "an edge reward", forest: rewarded, method: TD{TDPlain}, options: exact(dropZero),
		values: named{"ε": 0.95}, edges: named{"a": -0.05, "b": 0.05, "a1 a2 b1 b2": 0}}})
	require.False(t, estimate(t, rewarded.Forest, TD{TDPlain}, exact()).ZeroSpread)
}

func TestW10Folds(t *testing.T) {
	forest := func() *sketch {
		return draw("main1", "main1/out1", "out1/in1", "in1/failed=1", "main2", "main2/out2", "out2/in2=0").
			with(shaped(-0.2), "out1", "out2").with(shaped(0.2), "in1", "in2").with(shaped(-1), "failed")
	}
	check(t, []worked{
		{name: "grpo", forest: forest(), method: DefaultFoldShape(), options: exact(), edges: named{
			"main1 in1": 0.707107, "out1": 0.424264, "failed main2 out2": -0.707107, "in2": -0.424264}},
		{name: "mean only", forest: forest(), method: FoldShape{BaseDrGRPO, 0, 1}, options: exact(), edges: named{
			"main1 in1": 0.5, "out1": 0.3, "failed main2 out2": -0.5, "in2": -0.3}},
		{name: "three rows of one rollout, one of the other", forest: draw("x", "x/y", "y/z=1", "w=0"),
			method: FoldShape{BaseDrGRPO, 0, 1}, options: exact(), edges: named{"x y z": 0.5, "w": -0.5}},
	})
}

// GRPO-MA: thoughts are compared as nodes, answers as leaves.
func TestW11ThoughtsAndAnswers(t *testing.T) {
	check(t, []worked{
		{name: "thoughts", forest: w2(), method: TD{TDStd}, options: exact(), edges: named{"a": 0.707107, "b": -0.707107}},
		{name: "answers", forest: w2(), method: Chain{BaseGRPO}, options: exact(), edges: named{"a1": 1.5, "a2 b1 b2": -0.5}},
	})
}

// grown is the forest of children of the root with leaves below each.
func grown(children ...[]float64) Forest {
	f := Forest{Nodes: []Node{{Parent: NoParent}}}
	for _, leaves := range children {
		at := len(f.Nodes)
		f.Nodes = append(f.Nodes, Node{Parent: 0, Turns: 1})
		for i := range leaves {
			f.Nodes = append(f.Nodes, Node{Parent: at, Turns: 1, Reward: &leaves[i]})
		}
	}
	return f
}

func rootValue(t *testing.T, f Forest, w Weighting) float64 {
	t.Helper()
	c := estimate(t, f, TD{TDPlain}, exact(func(o *Options) { o.Weighting = w }))
	return *c.Nodes[0].Value
}

func TestW12Bias(t *testing.T) {
	hi, lo := []float64{0.2, 0.2, 0.2}, []float64{0.8}
	for w, want := range map[Weighting]float64{ChildMean: 0.5, LeafMean: 0.425} {
		expected := 0.0
		for _, states := range [][2][]float64{{hi, hi}, {hi, lo}, {lo, hi}, {lo, lo}} {
			expected += rootValue(t, grown(states[0], states[1]), w) / 4
		}
		require.InDelta(t, want, expected, precision, "%s, expansion by state", w)
		// Played again only when it failed: both are biased.
		again := rootValue(t, grown([]float64{1}), w)/2 +
			rootValue(t, grown([]float64{0}, []float64{1}), w)/4 + rootValue(t, grown([]float64{0}, []float64{0}), w)/4
		require.InDelta(t, 0.625, again, precision, "%s, expansion by outcome", w)
	}
}

// outcomes visits the 2^n results of n draws with their probabilities.
func outcomes(n int, p float64, visit func(drawn []float64, probability float64)) {
	for bits := range 1 << n {
		drawn, probability := make([]float64, n), 1.0
		for i := range drawn {
			if bits>>i&1 == 1 {
				drawn[i], probability = 1, probability*p
			} else {
				probability *= 1 - p
			}
		}
		visit(drawn, probability)
	}
}

// P19: a policy over two arms, π(x) = σ(θ) = 0.3, q = (1, 0). Its gradient is
// π(1−π) = 0.21.
func TestW13Bandit(t *testing.T) {
	const pi = 0.3
	for k := 2; k <= 5; k++ {
		for form, want := range map[TDForm]float64{TDPlain: 0.21 * float64(k-1) / float64(k), TDLOO: 0.21} {
			t.Run(fmt.Sprintf("%s of %d", form, k), func(t *testing.T) {
				expected := 0.0
				outcomes(k, pi, func(drawn []float64, probability float64) {
					f := Forest{Nodes: []Node{{Parent: NoParent}}}
					for i := range drawn {
						f.Nodes = append(f.Nodes, Node{Parent: 0, Turns: 1, Reward: &drawn[i]})
					}
					for _, r := range estimate(t, f, TD{form}, exact()).Rows {
						score := -pi
						if *f.Nodes[r.Branch[0]].Reward == 1 {
							score = 1 - pi
						}
						expected += probability * r.Omega * r.Advantages[0] * score
					}
				})
				require.InDelta(t, want, expected, precision)
			})
		}
	}
}

// Var(V̂) of a thought with M answers is p(1−p)/M.
func TestW13VarianceWithinAThought(t *testing.T) {
	for m, want := range map[int]float64{1: 0.21, 2: 0.105, 4: 0.0525, 8: 0.02625} {
		first, second := 0.0, 0.0
		outcomes(m, 0.3, func(drawn []float64, probability float64) {
			f := grown(drawn)
			v := *estimate(t, f, TD{TDPlain}, exact()).Nodes[1].Value
			first, second = first+probability*v, second+probability*v*v
		})
		require.InDelta(t, want, second-first*first, precision, "%d answers", m)
	}
}

func TestW13SoftOverlong(t *testing.T) {
	s := SoftOverlong{Max: 20480, Buffer: 4096}
	require.NoError(t, s.Validate())
	for tokens, want := range map[int]float64{0: 0, 16384: 0, 17408: -0.25, 18432: -0.5, 20480: -1, 20481: -1, 99999: -1} {
		require.InDelta(t, want, s.Penalty(tokens), precision, "%d tokens", tokens)
	}
	require.Error(t, SoftOverlong{Max: 10}.Validate())
	require.Error(t, SoftOverlong{Max: 10, Buffer: 11}.Validate())
}
