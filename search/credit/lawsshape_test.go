package credit

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// equalBits fails unless node k of got is node to(k) of want, bit for bit.
func equalBits(t fataler, want, got *Credit, to func(int) int, f Forest) {
	t.Helper()
	for k := range got.Nodes {
		if at := to(k); at >= 0 && !reflect.DeepEqual(want.Nodes[at], got.Nodes[k]) {
			t.Fatalf("node %d: %v, node %d: %v, of %s", k, got.Nodes[k], at, want.Nodes[at], show(f))
		}
	}
	if len(want.Rows) != len(got.Rows) || want.ZeroSpread != got.ZeroSpread {
		t.Fatalf("%d rows against %d, of %s", len(got.Rows), len(want.Rows), show(f))
	}
	for _, r := range got.Rows {
		leaf := to(r.Branch[len(r.Branch)-1])
		if other := row(t, want, leaf); other.Omega != r.Omega || !slices.Equal(other.Advantages, r.Advantages) {
			t.Fatalf("row %v, and %v, of %s", r, other, show(f))
		}
	}
}

// P10: the same numbers give the same bits, in any order of nodes.
func TestOrderMovesNoBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o, m := anything.forest(t), anyOptions(t), anyMethod(t)
		want := estimate(t, f, m, o)
		if again := estimate(t, f, m, o); !reflect.DeepEqual(want, again) {
			t.Fatalf("%s differs on a second run, of %s", m.ID(), show(f))
		}
		ids := make([]int, len(f.Nodes))
		for i := range ids {
			ids[i] = i
		}
		order := rapid.Permutation(ids).Draw(t, "order")
		at := make([]int, len(order))
		for i, old := range order {
			at[old] = i
		}
		moved := Forest{}
		for _, old := range order {
			n := f.Nodes[old]
			if n.Parent != NoParent {
				n.Parent = at[n.Parent]
			}
			n.Tree = -n.Tree
			moved.Nodes = append(moved.Nodes, n)
		}
		equalBits(t, want, estimate(t, moved, m, o), func(k int) int { return order[k] }, moved)
	})
}

// P9, and P20 for the rows of a rollout: cutting an edge changes nothing.
func TestCutsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o, m := anything.forest(t), anyOptions(t), anyMethod(t)
		want := estimate(t, f, m, o)
		cut := Forest{Nodes: slices.Clone(f.Nodes)}
		for i, n := range f.Nodes {
			if n.Parent == NoParent || !rapid.Bool().Draw(t, "cut") {
				continue
			}
			first := Node{Parent: n.Parent, Tree: n.Tree, Shaping: n.Shaping, Turns: rapid.IntRange(0, n.Turns).Draw(t, "at turn")}
			cut.Nodes[i].Parent = len(cut.Nodes)
			cut.Nodes[i].Turns -= first.Turns
			cut.Nodes = append(cut.Nodes, first)
		}
		got := estimate(t, cut, m, o)
		for i := range f.Nodes {
			if !reflect.DeepEqual(want.Nodes[i], got.Nodes[i]) {
				t.Fatalf("%s at %d: %v, cut %v, of %s", m.ID(), i, want.Nodes[i], got.Nodes[i], show(f))
			}
		}
		for i := range want.Rows {
			a, wa := want.RowTurns(i)
			b, wb := got.RowTurns(i)
			if !slices.Equal(a, b) || !slices.Equal(wa, wb) {
				t.Fatalf("%s: turns of row %d: %v, cut %v, of %s", m.ID(), i, a, b, show(f))
			}
			a, wa = want.Turns(want.Rows[i].Branch)
			b, wb = got.Turns(got.Rows[i].Branch)
			if !slices.Equal(a, b) || !slices.Equal(wa, wb) {
				t.Fatalf("%s: turns of line %d: %v, cut %v, of %s", m.ID(), i, a, b, show(f))
			}
		}
	})
}

// P15: masked leaves, and what held no others, may as well not be there.
func TestMaskedIsDeleted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o, m := anything.forest(t), anyOptions(t), anyMethod(t)
		keep := make([]bool, len(f.Nodes))
		for i := len(f.Nodes) - 1; i >= 0; i-- { // parents come first
			n := f.Nodes[i]
			keep[i] = keep[i] || n.Reward != nil || n.Parent == NoParent
			if keep[i] && n.Parent != NoParent {
				keep[n.Parent] = true
			}
		}
		var from []int
		at, deleted := make([]int, len(f.Nodes)), Forest{}
		for i, n := range f.Nodes {
			if !keep[i] {
				continue
			}
			at[i], from = len(deleted.Nodes), append(from, i)
			if n.Parent != NoParent {
				n.Parent = at[n.Parent]
			}
			deleted.Nodes = append(deleted.Nodes, n)
		}
		masked := estimate(t, f, m, o)
		equalBits(t, masked, estimate(t, deleted, m, o), func(k int) int { return from[k] }, f)
		for i, n := range masked.Nodes {
			if !keep[i] && (n.Value != nil || n.Advantage != nil || n.Omega != 0) {
				t.Fatalf("masked node %d has credit %v, of %s", i, n, show(f))
			}
		}
	})
}

// sprout gives each leaf m copies: below it, or beside it.
func sprout(f Forest, m int, below bool) Forest {
	out := Forest{Nodes: slices.Clone(f.Nodes)}
	for i, n := range f.Nodes {
		if n.Reward == nil {
			continue
		}
		leaf := n
		if below {
			out.Nodes[i].Reward = nil
			leaf.Parent, leaf.EdgeReward = i, 0
		}
		copies := m
		if !below {
			copies--
		}
		for range copies {
			out.Nodes = append(out.Nodes, leaf)
		}
	}
	return out
}

// P13: m identical leaves below each leaf say nothing new.
func TestIdenticalLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o, m := unmasked.forest(t), anyOptions(t), rapid.IntRange(2, 4).Draw(t, "m")
		o.Gamma = 1
		want, got := estimate(t, f, TD{TDPlain}, o), estimate(t, sprout(f, m, true), TD{TDPlain}, o)
		for i, n := range got.Nodes {
			if i >= len(f.Nodes) {
				near(t, 0, *n.Advantage, f, "new edge %d", i)
				continue
			}
			near(t, *want.Nodes[i].Value, *n.Value, f, "value of %d", i)
			if n.Advantage != nil {
				near(t, *want.Nodes[i].Advantage, *n.Advantage, f, "advantage of %d", i)
			}
		}
		o.Weighting = LeafMean
		// A leaf that was an only child has siblings now, and its edge begins at
		// its parent: γ is 1, so that values do not see it.
		want, got = estimate(t, f, TD{TDPlain}, o), estimate(t, sprout(f, m, false), TD{TDPlain}, o)
		near(t, *want.Nodes[0].Value, *got.Nodes[0].Value, f, "V(ε) beside copies")
	})
	for w, want := range map[Weighting]float64{ChildMean: 2. / 9, LeafMean: 0.5} {
		o := exact(func(o *Options) { o.Weighting = w })
		c := estimate(t, sprout(w3().Forest, 2, false), TD{TDPlain}, o)
		require.InDelta(t, want, *c.Nodes[0].Value, slack, "W3 with every leaf doubled, %s", w)
	}
}

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
