package credit

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The trees of the reference's worked examples.
func w1() *sketch { return draw("l1=1", "l2=0", "l3=0", "l4=0") }
func w2() *sketch { return draw("a", "a/a1=1", "a/a2=0", "b", "b/b1=0", "b/b2=0") }
func w3() *sketch { return draw("a", "a/a1=1", "a/a2=1", "a/a3=0", "b=0") }
func w4() *sketch { return draw("a", "a/aa", "aa/x=1", "aa/y=0", "b", "b/bb", "bb/w=0") }

func TestW1ChainOnly(t *testing.T) {
	centred := named{"l1": 0.75, "l2 l3 l4": -0.25}
	loo := named{"l1": 1, "l2 l3 l4": -1. / 3}
	grpo0 := named{"l1": math.Sqrt(3), "l2 l3 l4": -0.577350}
	check(t, []worked{
		{name: "drgrpo", forest: w1(), method: Chain{BaseDrGRPO}, options: exact(), edges: centred},
		{name: "td", forest: w1(), method: TD{TDPlain}, options: exact(), edges: centred},
		{name: "subgroup avg", forest: w1(), method: Subgroup{SubgroupAvg}, options: exact(), edges: centred},
		{name: "subgroup size", forest: w1(), method: Subgroup{SubgroupSize}, options: exact(), edges: centred},
		{name: "gae", forest: w1(), method: GAE{0.7}, options: exact(), edges: centred},
		{name: "rloo", forest: w1(), method: Chain{BaseRLOO}, options: exact(), edges: loo},
		{name: "loo", forest: w1(), method: TD{TDLOO}, options: exact(), edges: loo},
		{name: "grpo ddof 1", forest: w1(), method: Chain{BaseGRPO}, options: exact(), edges: named{"l1": 1.5, "l2 l3 l4": -0.5}},
		{name: "grpo ddof 0", forest: w1(), method: Chain{BaseGRPO}, options: exact(ddof0), edges: grpo0},
		{name: "td std ddof 0", forest: w1(), method: TD{TDStd}, options: exact(ddof0), edges: grpo0},
		{name: "tree.rl", forest: w1(), method: TreeRL{}, options: exact(), edges: named{"l1": 2, "l2 l3 l4": -2. / 3}},
		{name: "tree.grpo sum", forest: w1(), method: TreeGRPO{TreeGRPOSum}, options: exact(), edges: named{"l1": 3, "l2 l3 l4": -1}},
	})
}

func TestW2BinaryDepth2(t *testing.T) {
	values := named{"ε": 0.25, "a": 0.5, "b": 0}
	check(t, []worked{
		{name: "td child", forest: w2(), method: TD{TDPlain}, options: exact(), values: values,
			edges: named{"a": 0.25, "b": -0.25, "a1": 0.5, "a2": -0.5, "b1 b2": 0}},
		{name: "td leaf", forest: w2(), method: TD{TDPlain}, options: exact(leafMean), values: values,
			edges: named{"a": 0.25, "b": -0.25, "a1": 0.5, "a2": -0.5, "b1 b2": 0}},
		{name: "loo", forest: w2(), method: TD{TDLOO}, options: exact(), edges: named{"a": 0.5, "b": -0.5, "a1": 1, "a2": -1, "b1 b2": 0}},
		{name: "std ddof 0", forest: w2(), method: TD{TDStd}, options: exact(ddof0), edges: named{"a a1": 1, "b a2": -1, "b1 b2": 0}},
		{name: "std ddof 1", forest: w2(), method: TD{TDStd}, options: exact(), edges: named{"a a1": 0.707107, "b a2": -0.707107, "b1 b2": 0}},
		{name: "subgroup avg", forest: w2(), method: Subgroup{SubgroupAvg}, options: exact(), edges: named{"a1": 5. / 8, "a2": -3. / 8, "b1 b2": -1. / 8}},
		{name: "subgroup size", forest: w2(), method: Subgroup{SubgroupSize}, options: exact(), edges: named{"a1": 2. / 3, "a2": -1. / 3, "b1 b2": -1. / 6}},
		{name: "tree.rl", forest: w2(), method: TreeRL{}, options: exact(),
			edges: named{"a": 0.471405, "b": -0.471405, "a1": 1.666667, "a2": -1, "b1 b2": -0.333333}},
		{name: "gae ½", forest: w2(), method: GAE{0.5}, options: exact(),
			rows: map[string][]float64{"a1": {0.5, 0.5}, "a2": {0, -0.5}, "b1 b2": {-0.25, 0}}},
		{name: "gae 1", forest: w2(), method: GAE{1}, options: exact(),
			rows: map[string][]float64{"a1": {0.75, 0.5}, "a2": {-0.25, -0.5}, "b1 b2": {-0.25, 0}}},
		{name: "tree.grpo sum", forest: w2(), method: TreeGRPO{TreeGRPOSum}, options: exact(),
			rows: map[string][]float64{"a1": {3, 3}, "a2 b1 b2": {-1, -1}}},
	})
}

func TestW3Irregular(t *testing.T) {
	check(t, []worked{
		{name: "td child", forest: w3(), method: TD{TDPlain}, options: exact(),
			values: named{"ε": 1. / 3, "a": 2. / 3}, omegas: named{"a b": 0.5, "a1 a2 a3": 1. / 6},
			edges: named{"a": 1. / 3, "b": -1. / 3, "a1 a2": 1. / 3, "a3": -2. / 3}},
		{name: "td leaf", forest: w3(), method: TD{TDPlain}, options: exact(leafMean),
			values: named{"ε": 0.5, "a": 2. / 3}, omegas: named{"a": 0.75, "b a1 a2 a3": 0.25},
			edges: named{"a": 1. / 6, "b": -0.5, "a1 a2": 1. / 3, "a3": -2. / 3}},
		{name: "loo child", forest: w3(), method: TD{TDLOO}, options: exact(),
			edges: named{"a": 2. / 3, "b": -2. / 3, "a1 a2": 0.5, "a3": -1}},
		{name: "subgroup avg", forest: w3(), method: Subgroup{SubgroupAvg}, options: exact(),
			edges: named{"a1 a2": 5. / 12, "a3": -7. / 12, "b": -0.5}},
		{name: "subgroup size", forest: w3(), method: Subgroup{SubgroupSize}, options: exact(),
			edges: named{"a1 a2": 3. / 7, "a3": -4. / 7, "b": -0.5}},
		{name: "tree.rl", forest: w3(), method: TreeRL{}, options: exact(),
			edges: named{"a": 0.256600, "a1 a2": 1.111111, "a3": -1.555556, "b": -1.333333}},
		{name: "shrunk 1, prior ½", forest: w3(), method: Shrunk{1, &half}, options: exact(),
			values: named{"ε": 0.5, "a": 5. / 8, "b": 0},
			edges:  named{"a": 1. / 8, "b": -0.5, "a1 a2": 3. / 8, "a3": -5. / 8}},
		{name: "shrunk 0", forest: w3(), method: Shrunk{}, options: exact(), values: named{"ε": 0.5, "a": 2. / 3}},
	})
}

func TestW4Compression(t *testing.T) {
	check(t, []worked{
		{name: "td", forest: w4(), method: TD{TDPlain}, options: exact(),
			edges: named{"a aa": 0.25, "x": 0.5, "y": -0.5, "b bb w": -0.25}},
		{name: "td leaf", forest: w4(), method: TD{TDPlain}, options: exact(leafMean),
			edges: named{"a aa": 1. / 6, "b bb w": -1. / 3}},
		{name: "subgroup avg", forest: w4(), method: Subgroup{SubgroupAvg}, options: exact(),
			edges: named{"x": 7. / 12, "y": -5. / 12, "b bb w": -1. / 3}},
		{name: "tree.rl", forest: w4(), method: TreeRL{}, options: exact(),
			edges: named{"a aa": 0.353553, "x": 1.75, "y": -1.25, "b bb w": -1}},
	})
}

func TestW5Forest(t *testing.T) {
	forest := func() *sketch {
		return draw("p=1", "q=0", "r=1", "s=0", "t=0", "u=1").with(inTree(1), "p", "q", "r").with(inTree(2), "s", "t", "u")
	}
	intra := named{"p r": 0.577350, "q": -1.154701, "s t": -0.577350, "u": 1.154701}
	check(t, []worked{
		{name: "inter", forest: forest(), method: TreeGRPO{TreeGRPOInter}, options: exact(), edges: named{"p r u": 0.912871, "q s t": -0.912871}},
		{name: "intra", forest: forest(), method: TreeGRPO{TreeGRPOIntra}, options: exact(), edges: intra},
		{name: "seq", forest: forest(), method: TreeGRPO{TreeGRPOSeq}, options: exact(), edges: intra},
		{name: "sum", forest: forest(), method: TreeGRPO{TreeGRPOSum}, options: exact(),
			edges: named{"p r": 1.490221, "q": -2.067572, "s t": -1.490221, "u": 2.067572}},
		{name: "inter ddof 0", forest: forest(), method: TreeGRPO{TreeGRPOInter}, options: exact(ddof0), edges: named{"p r u": 1, "q s t": -1}},
		{name: "intra ddof 0", forest: forest(), method: TreeGRPO{TreeGRPOIntra}, options: exact(ddof0),
			edges: named{"p r": 0.707107, "q": -1.414214, "s t": -0.707107, "u": 1.414214}},
		{name: "sum ddof 0", forest: forest(), method: TreeGRPO{TreeGRPOSum}, options: exact(ddof0),
			edges: named{"p r": 1.707107, "q": -2.414214, "s t": -1.707107, "u": 2.414214}},
	})
	for _, form := range []TreeGRPOForm{TreeGRPOInter, TreeGRPOIntra, TreeGRPOSeq, TreeGRPOSum} {
		c := estimate(t, forest().Forest, TreeGRPO{form}, exact())
		total := 0.0
		for _, r := range c.Rows {
			total += r.Advantages[0]
		}
		require.InDelta(t, 0, total, precision, form)
	}
}

func TestW6EdgeRewards(t *testing.T) {
	forest := func() *sketch {
		return draw("a", "a/a1=1", "a/a2=1", "b=0").with(earned(-0.1), "a", "a2")
	}
	check(t, []worked{
		{name: "γ 1", forest: forest(), method: TD{TDPlain}, options: exact(),
			values: named{"a": 0.95, "ε": 0.425}, edges: named{"a": 0.425, "b": -0.425, "a1": 0.05, "a2": -0.05}},
		{name: "γ 0.9", forest: forest(), method: TD{TDPlain}, options: exact(gamma(0.9)),
			values: named{"a": 0.85, "ε": 0.3325}, edges: named{"a": 0.3325, "b": -0.3325, "a1": 0.05, "a2": -0.05}},
		{name: "γ 1 row", forest: forest(), method: GAE{1}, options: exact(), rows: map[string][]float64{"a1": {0.475, 0.05}}},
		{name: "γ 0.9 row", forest: forest(), method: GAE{1}, options: exact(gamma(0.9)), rows: map[string][]float64{"a1": {0.3775, 0.05}}},
	})
}
