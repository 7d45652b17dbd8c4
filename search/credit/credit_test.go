package credit

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForestRefuses(t *testing.T) {
	one, nan := 1.0, math.NaN()
	root := Node{Parent: NoParent}
	for name, nodes := range map[string][]Node{
		"a parent that is not there":  {root, {Parent: 2, Reward: &one}},
		"a negative parent":           {root, {Parent: -2, Reward: &one}},
		"its own parent":              {root, {Parent: 1}},
		"a cycle":                     {root, {Parent: 2}, {Parent: 1}},
		"a reward at an inner node":   {root, {Parent: 0, Reward: &one}, {Parent: 1, Reward: &one}},
		"a reward at a root":          {{Parent: NoParent, Reward: &one}},
		"an edge reward at a root":    {{Parent: NoParent, EdgeReward: 1}},
		"turns at a root":             {{Parent: NoParent, Turns: 1}},
		"a reward that is no number":  {root, {Parent: 0, Reward: &nan}},
		"an infinite edge reward":     {root, {Parent: 0, EdgeReward: math.Inf(1)}},
		"shaping that is no number":   {root, {Parent: 0, Shaping: nan}},
		"a negative number of turns":  {root, {Parent: 0, Turns: -1}},
		"a negative number of tokens": {root, {Parent: 0, Tokens: -1}},
	} {
		_, err := Estimator{TD{TDLOO}, DefaultOptions()}.Estimate(Forest{Prompt: "p7", Nodes: nodes})
		require.ErrorContains(t, err, "p7", name)
	}
}

func TestEstimatorValidate(t *testing.T) {
	for _, m := range methods() {
		require.NoError(t, Estimator{m, DefaultOptions()}.Validate(), m.ID())
	}
	nan := math.NaN()
	for _, m := range []Method{
		Chain{}, Broadcast{"ppo"}, Redistribute{}, TreeGRPO{"both"}, Subgroup{}, TD{}, GAE{-0.1}, GAE{1.1}, GAE{nan},
		Shrunk{-1, nil}, Shrunk{nan, nil}, Shrunk{math.Inf(1), nil}, Shrunk{1, &nan},
		FoldShape{BaseRLOO, 0, 1}, FoldShape{BaseGRPO, 1, 0}, FoldShape{BaseGRPO, nan, 1}, FoldShape{BaseGRPO, math.Inf(-1), 1},
		Combine{}, Combine{[]Term{{nan, TreeRL{}}}}, Combine{[]Term{{1, TD{"?"}}}},
	} {
		require.Error(t, m.Validate(), m.ID())
		_, err := Estimator{m, DefaultOptions()}.Estimate(w2().Forest)
		require.Error(t, err, m.ID())
	}
	all := Options{Gamma: 2, DDof: 3}.Validate()
	for _, key := range []string{"value", "gamma", "ddof"} {
		require.ErrorContains(t, all, key, "every problem at once")
	}
	for _, edit := range []func(*Options){gamma(0), gamma(nan), singleton("some"), func(o *Options) { o.Eps = -1 }} {
		require.Error(t, exact(edit).Validate())
	}
}

func TestIDsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range methods() {
		require.False(t, seen[m.ID()], m.ID())
		seen[m.ID()] = true
	}
	require.True(t, seen["tree.td{loo}"])
	require.True(t, seen["combine(0.5·leaf.broadcast{grpo} + 2·tree.td{loo})"])
}

func TestOverflowIsAnError(t *testing.T) {
	s := draw("a=1.7e308", "b=1.7e308", "c=-1.7e308")
	for _, m := range []Method{TD{TDPlain}, Chain{BaseGRPO}, TreeRL{}} {
		_, err := Estimator{m, exact()}.Estimate(s.Forest)
		require.Error(t, err, m.ID())
	}
}

func TestSingletons(t *testing.T) {
	lone := func() *sketch { return draw("a", "a/b=0.75") }
	for _, m := range []Method{Chain{BaseGRPO}, Chain{BaseDrGRPO}, Chain{BaseRLOO}, Redistribute{BaseRLOO}, TreeGRPO{TreeGRPOIntra}, DefaultFoldShape()} {
		check(t, []worked{
			{name: m.ID() + " zero", forest: lone(), method: m, options: exact(singleton(SingletonZero)), edges: named{"a b": 0}},
			{name: m.ID() + " raw", forest: lone(), method: m, options: exact(singleton(SingletonRaw)), edges: named{"a b": 0.75}},
		})
		c := estimate(t, lone().Forest, m, exact(singleton(SingletonDrop)))
		require.Empty(t, c.Rows, m.ID())
		require.Nil(t, c.Nodes[1].Advantage, m.ID())
	}
	// A tree of one leaf beside a tree of two.
	forest := func() *sketch { return draw("p=1", "q=0", "r=1").with(inTree(1), "r") }
	check(t, []worked{
		{name: "sum adds 0", forest: forest(), method: TreeGRPO{TreeGRPOSum}, options: exact(singleton(SingletonRaw)), edges: named{"r": 0.577350}},
		{name: "seq keeps z of the prompt", forest: forest(), method: TreeGRPO{TreeGRPOSeq}, options: exact(), edges: named{"r": 0.577350}},
		{name: "intra zero", forest: forest(), method: TreeGRPO{TreeGRPOIntra}, options: exact(), edges: named{"r": 0, "p": 0.707107}},
		{name: "intra raw", forest: forest(), method: TreeGRPO{TreeGRPOIntra}, options: exact(singleton(SingletonRaw)), edges: named{"r": 1}},
	})
	s := forest()
	c := estimate(t, s.Forest, TreeGRPO{TreeGRPOIntra}, exact(singleton(SingletonDrop)))
	require.Len(t, c.Rows, 2)
	require.Nil(t, c.Nodes[s.at["r"]].Advantage)
	require.InDelta(t, 1./3, c.Rows[0].Omega, precision, "ω of the rows that stay is what it was")
}

// VinePPO: probes say what a step's start is worth, and are not trained.
func TestProbes(t *testing.T) {
	s := draw("s1", "s1/s2", "s2/end=1", "p1=0", "p2=1", "s1/p3=1", "s1/p4=1", "s2/p5=1").
		with(func(n *Node) { n.Probe = true }, "p1", "p2", "p3", "p4", "p5")
	check(t, []worked{{name: "loo", forest: s, method: TD{TDLOO}, options: exact(),
		values: named{"s1 s2 end": 1, "ε": 2. / 3}, edges: named{"s1": 0.5, "s2 end": 0}, omegas: named{"s1 s2 end": 1, "p1 p3 p5": 0}}})
	c := estimate(t, s.Forest, TD{TDLOO}, exact())
	require.Len(t, c.Rows, 1)
	require.Nil(t, c.Nodes[s.at["p1"]].Advantage)
	require.NotNil(t, c.Nodes[s.at["p1"]].Value)
	_, weights := c.Turns([]int{0, s.at["p1"]})
	require.Equal(t, []float64{0}, weights)
}

func TestLeavesAreCounted(t *testing.T) {
	s := draw("a", "a/a1=1", "a/a2=?", "a/a3=0", "b=0")
	c := estimate(t, s.Forest, TD{TDLOO}, exact())
	for name, want := range map[string]int{"ε": 3, "a": 2, "a1": 1, "a2": 0, "b": 1} {
		require.Equal(t, want, c.Nodes[s.at[name]].Leaves, name)
	}
	require.InDelta(t, 1, c.Nodes[s.at["a"]].Omega+c.Nodes[s.at["b"]].Omega, precision)
}

func TestNothingToCredit(t *testing.T) {
	for _, f := range []Forest{{}, {Nodes: []Node{{Parent: NoParent}}}, draw("a", "a/b=?").Forest} {
		for _, m := range methods() {
			c := estimate(t, f, m, exact())
			require.Empty(t, c.Rows, m.ID())
			require.False(t, c.ZeroSpread, "%s: nobody knows", m.ID())
			require.Equal(t, Stats{}, c.Stats(), m.ID())
		}
	}
}

func TestTurnsAreExpanded(t *testing.T) {
	s := w2().with(func(n *Node) { n.Turns = 2 }, "a").with(func(n *Node) { n.Turns = 0 }, "b")
	c := estimate(t, s.Forest, TD{TDLOO}, exact())
	advantages, weights := c.Turns([]int{0, s.at["a"], s.at["a1"]})
	require.InDeltaSlice(t, []float64{0.5, 0.5, 1}, advantages, precision)
	require.InDeltaSlice(t, []float64{2, 2, 1}, weights, precision, "ω_e times four rows")
	advantages, weights = c.RowTurns(0)
	require.InDeltaSlice(t, []float64{0.5, 0.5, 1}, advantages, precision)
	require.InDeltaSlice(t, []float64{1, 1, 1}, weights, precision, "ω_ℓ times four rows")
	advantages, _ = c.Turns([]int{s.at["b"], s.at["b1"]})
	require.InDeltaSlice(t, []float64{0}, advantages, precision)
}

func TestCombine(t *testing.T) {
	m := Combine{[]Term{{0.5, Broadcast{BaseRLOO}}, {2, TD{TDPlain}}}}
	check(t, []worked{{name: "W2", forest: w2(), method: m, options: exact(),
		rows: map[string][]float64{"a1": {0.5*1 + 2*0.25, 0.5*1 + 2*0.5}, "a2": {-0.5/3 + 2*0.25, -0.5/3 - 2*0.5}, "b1": {-0.5/3 - 2*0.25, -0.5 / 3}}}})
	s := draw("a=1")
	dropped := estimate(t, s.Forest, Combine{[]Term{{1, TD{TDPlain}}, {1, Chain{BaseGRPO}}}}, exact(singleton(SingletonDrop)))
	require.Empty(t, dropped.Rows, "a row that one term drops")
}

// The estimator of a group and that of a forest are one.
func TestChainIsGRPO(t *testing.T) {
	rs := []float64{0.3, 1, 0.25, -2}
	f := Forest{Nodes: []Node{{Parent: NoParent}}}
	for i := range rs {
		f.Nodes = append(f.Nodes, Node{Reward: &rs[i]})
	}
	want := values(DefaultGRPO().Advantages(rewards(rs...)))
	for i, r := range estimate(t, f, Chain{BaseGRPO}, DefaultOptions()).Rows {
		require.Equal(t, want[i:i+1], r.Advantages)
	}
}

func TestWhiten(t *testing.T) {
	s := draw("a=1", "b=0").with(tokens(3), "a").with(tokens(1), "b")
	other := draw("c=1", "d=1")
	batch := []*Credit{
		estimate(t, s.Forest, Subgroup{SubgroupAvg}, exact(leafMean)),
		estimate(t, other.Forest, Subgroup{SubgroupAvg}, exact(leafMean)),
	}
	// Tokens: three of ½, one of −½, two of 0: μ = 1/6, Σ(A−μ)² = 5/6.
	white := Whiten(batch, 1, 0)
	sigma := math.Sqrt(5. / 6 / 5)
	require.InDelta(t, (0.5-1./6)/sigma, white[0].Rows[0].Advantages[0], precision)
	require.InDelta(t, (-0.5-1./6)/sigma, *white[0].Nodes[s.at["b"]].Advantage, precision)
	require.InDelta(t, -1./6/sigma, white[1].Rows[0].Advantages[0], precision)
	require.InDelta(t, 0.5, batch[0].Rows[0].Advantages[0], precision, "the credit it was given is as it was")
	require.InDelta(t, 0.5, *batch[0].Nodes[s.at["a"]].Advantage, precision)
	require.Equal(t, []float64{0}, Whiten(batch[1:], 0, 0)[0].Rows[0].Advantages, "no spread")
	require.Empty(t, Whiten(nil, 1, 0))
}
