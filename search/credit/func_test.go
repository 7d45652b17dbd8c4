package credit

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// same is a method that gives each leaf one advantage.
func same(of func(Leaf) float64) Func {
	return Func{Name: "mine", Advantages: func(leaves []Leaf, _ []Node) [][]float64 {
		var out [][]float64
		for _, l := range leaves {
			out = append(out, l.Same(of(l)))
		}
		return out
	}}
}

// A method of one's own that computes what one of ours does gives its bits, with
// every option.
func TestFuncIsAMethodLikeAnyOther(t *testing.T) {
	drgrpo := Func{Name: "mine", Advantages: func(leaves []Leaf, _ []Node) [][]float64 {
		var outcomes []float64
		for _, l := range leaves {
			outcomes = append(outcomes, l.Outcome)
		}
		out := make([][]float64, len(leaves))
		for i, l := range leaves {
			out[i] = l.Same(outcomes[i] - mean(outcomes, nil))
		}
		return out
	}}
	rapid.Check(t, func(t *rapid.T) {
		f := growth{masks: true, probes: true, reward: rapid.Float64Range(-2, 2)}.forest(t)
		o := anyOptions(t)
		o.Singleton, o.DropZeroSpread = SingletonZero, rapid.Bool().Draw(t, "drop")
		want, got := estimate(t, f, Broadcast{BaseDrGRPO}, o), estimate(t, f, drgrpo, o)
		require.Equal(t, want, got)
		require.Equal(t, estimate(t, f, Combine{[]Term{{2, Broadcast{BaseDrGRPO}}}}, o), estimate(t, f, Combine{[]Term{{2, drgrpo}}}, o))
	})
}

func TestFuncSeesTheForestAsItWasGiven(t *testing.T) {
	s := draw("a", "a/a1=1", "a/a2=?", "b=0").with(inTree(3), "b").with(func(n *Node) { n.Probe = true }, "b")
	var seen []Leaf
	m := same(func(l Leaf) float64 { seen = append(seen, l); return 0.5 })
	c := estimate(t, s.Forest, m, exact())
	require.Equal(t, []Leaf{{Branch: []int{s.at["a"], s.at["a1"]}, Outcome: 1}, {Branch: []int{s.at["b"]}, Tree: 3, Probe: true}}, seen)
	require.Len(t, c.Rows, 1, "a probe has no row")
}

func TestFuncThatIsWrongIsAnError(t *testing.T) {
	f := draw("a", "a/a1=1", "b=0").Forest
	for name, m := range map[string]Method{
		"no lists":   Func{"mine", func([]Leaf, []Node) [][]float64 { return nil }},
		"wrong list": Func{"mine", func(l []Leaf, _ []Node) [][]float64 { return [][]float64{{1}, {1}} }},
		"in a sum":   Combine{[]Term{{1, Func{"mine", func([]Leaf, []Node) [][]float64 { return nil }}}}},
		"no name":    Func{"", func(l []Leaf, _ []Node) [][]float64 { return make([][]float64, len(l)) }},
	} {
		_, err := Estimator{m, exact()}.Estimate(f)
		require.Error(t, err, name)
	}
	none := Func{"mine", func(l []Leaf, _ []Node) [][]float64 { return make([][]float64, len(l)) }}
	require.Empty(t, estimate(t, f, none, exact()).Rows)
}

func TestEstimatorAsJSON(t *testing.T) {
	b, err := json.Marshal(Estimator{Combine{[]Term{{0.5, Broadcast{BaseGRPO}}, {2, TD{TDLOO}}}}, DefaultOptions()})
	require.NoError(t, err)
	require.Equal(t, `{"id":"combine(0.5·leaf.broadcast{grpo} + 2·tree.td{loo})","options":{"value":"child-mean","gamma":1,"ddof":1,"eps":0.000001,`+
		`"singleton":"zero","drop_zero_spread":false,"overlong":"score","soft_overlong":{"max":20480,"buffer":4096}}}`, string(b))
}
