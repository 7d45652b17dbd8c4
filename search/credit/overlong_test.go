package credit

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func cutShort(n *Node) { n.Truncated = true }

func overlong(rule Overlong) func(*Options) { return func(o *Options) { o.Overlong = rule } }

func TestOverlongIsScoredByDefault(t *testing.T) {
	f := draw("a=1", "b=0").with(cutShort, "b").Forest
	c := estimate(t, f, Chain{BaseDrGRPO}, exact())
	require.Len(t, c.Rows, 2)
	require.InDelta(t, -0.5, *c.Nodes[2].Advantage, precision)
	require.False(t, c.Nodes[2].Masked)
}

func TestMaskedOverlongIsADeletedLeaf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := growth{masks: true, probes: true, reward: rapid.Float64Range(-2, 2)}.forest(t)
		o, m := anyOptions(t), anyMethod(t)
		o.Overlong = OverlongMask
		deleted := Forest{Prompt: f.Prompt, Nodes: append([]Node(nil), f.Nodes...)}
		for i := range f.Nodes {
			if f.Nodes[i].Reward != nil && rapid.Bool().Draw(t, "truncated") {
				f.Nodes[i].Truncated, deleted.Nodes[i].Reward = true, nil
			}
		}
		got, want := estimate(t, f, m, o), estimate(t, deleted, m, o)
		for i := range got.Nodes {
			require.Equal(t, f.Nodes[i].Truncated, got.Nodes[i].Masked)
			got.Nodes[i].Masked = false
		}
		require.Equal(t, want.Nodes, got.Nodes)
		require.Equal(t, want.Rows, got.Rows)
	})
}

func TestSoftOverlongCountsTheWholeRollout(t *testing.T) {
	s := draw("a", "a/x=1", "a/y=1").with(tokens(15), "a").with(tokens(2), "x").with(tokens(10), "y")
	o := exact(overlong(OverlongSoft))
	o.Soft = SoftOverlong{Max: 20, Buffer: 10}
	c := estimate(t, s.Forest, Chain{BaseDrGRPO}, o)
	// 17 tokens cost 0.7, 25 cost 1.
	require.InDelta(t, 0.3, *c.Nodes[s.at["x"]].Value, precision)
	require.InDelta(t, 0, *c.Nodes[s.at["y"]].Value, precision)
	require.InDelta(t, 0.15, *c.Nodes[s.at["x"]].Advantage, precision)
	require.Equal(t, 1.0, *s.Nodes[s.at["x"]].Reward, "the forest is the caller's")
}

func TestOverlongIsValidated(t *testing.T) {
	require.ErrorContains(t, exact(overlong("cut")).Validate(), "overlong: \"cut\"")
	o := exact(overlong(OverlongSoft))
	o.Soft.Buffer = 0
	require.ErrorContains(t, o.Validate(), "soft_overlong.buffer: 0")
	_, err := Estimator{TreeRL{}, exact(overlong(OverlongMask))}.Estimate(Forest{Nodes: []Node{{Parent: 0}}})
	require.Error(t, err, "no forest")
}
