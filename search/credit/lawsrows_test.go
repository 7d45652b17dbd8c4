package credit

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// P16 and P17: ω adds up, and leaf rows and edge rows give the same gradient,
// for any score of the tokens.
func TestRowsAndEdgesGiveTheSameGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o, m := anything.forest(t), anyOptions(t), anyMethod(t)
		o.Eps = max(o.Eps, 1e-3)
		c := estimate(t, f, m, o)
		score := make([]float64, len(f.Nodes))
		total, sums := 0.0, make([]float64, len(f.Nodes))
		leaf, edge, leafTurns, edgeTurns := 0.0, 0.0, 0.0, 0.0
		for i := range score {
			score[i] = rapid.Float64Range(-1, 1).Draw(t, "score")
		}
		for i, r := range c.Rows {
			total += r.Omega
			for j, n := range r.Branch {
				sums[n] += r.Omega
				leaf += r.Omega * r.Advantages[j] * score[n]
			}
			at := 0
			as, ws := c.RowTurns(i)
			for _, n := range r.Branch {
				for range f.Nodes[n].Turns {
					leafTurns, at = leafTurns+ws[at]*as[at]*score[n], at+1
				}
			}
		}
		if len(c.Rows) > 0 && o.Singleton != SingletonDrop {
			near(t, 1, total, f, "Σω of %s", m.ID())
		}
		for i, n := range c.Nodes {
			if f.Nodes[i].Parent == NoParent {
				continue
			}
			near(t, sums[i], n.Omega, f, "ω of %d", i)
			if n.Advantage != nil {
				edge += n.Omega * *n.Advantage * score[i]
			}
			as, ws := c.Turns([]int{i})
			require.Len(t, as, f.Nodes[i].Turns)
			for j := range as {
				edgeTurns += ws[j] * as[j] * score[i]
			}
		}
		near(t, leaf, edge, f, "gradient of edge rows, %s", m.ID())
		near(t, leafTurns, edgeTurns, f, "gradient of edge rows by turns, %s", m.ID())
	})
}

// P18: where all siblings have as many leaves, weightings agree.
func TestWeightingsAgreeOnUniformTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, level := Forest{Nodes: []Node{{Parent: NoParent}}}, []int{0}
		for _, width := range rapid.SliceOfN(rapid.IntRange(1, 3), 1, 4).Draw(t, "widths") {
			var next []int
			for _, p := range level {
				for range width {
					next = append(next, len(f.Nodes))
					f.Nodes = append(f.Nodes, Node{Parent: p})
				}
			}
			level = next
		}
		for _, leaf := range level {
			r := bits.Draw(t, "reward")
			f.Nodes[leaf].Reward = &r
		}
		m, o := anyMethod(t), anyOptions(t)
		o.Weighting, o.Eps = ChildMean, max(o.Eps, 1e-3)
		child := estimate(t, f, m, o)
		o.Weighting = LeafMean
		leaf := estimate(t, f, m, o)
		for i, n := range child.Nodes {
			near(t, *n.Value, *leaf.Nodes[i].Value, f, "value of %d", i)
			if n.Advantage != nil && leaf.Nodes[i].Advantage != nil {
				near(t, *n.Advantage, *leaf.Nodes[i].Advantage, f, "%s at %d", m.ID(), i)
				near(t, n.Omega, leaf.Nodes[i].Omega, f, "ω of %d", i)
			}
		}
	})
}

// No NaN and no infinity, whatever the forest; what overflows is an error.
func TestFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anything
		g.reward = rapid.OneOf(bits, rapid.Float64Range(-1e307, 1e307), rapid.Float64Range(-1e-300, 1e-300), rapid.Just(math.MaxFloat64))
		f, o, m := g.forest(t), anyOptions(t), anyMethod(t)
		c, err := Estimator{m, o}.Estimate(f)
		if err != nil {
			return
		}
		for i, n := range c.Nodes {
			for _, x := range []*float64{n.Advantage, n.Value, &n.Omega} {
				if x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0)) {
					t.Fatalf("%s: node %d has %v, of %s", m.ID(), i, *x, show(f))
				}
			}
		}
	})
}
