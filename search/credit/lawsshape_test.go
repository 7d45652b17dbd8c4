package credit

import (
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

// Turns before the first fork are no group of their own: W7 with them has the
// subgroups of W7.
func TestSharedStartIsNoSubgroup(t *testing.T) {
	bare := w7()
	long := draw("start", "start/a", "a/c", "c/c1=1", "c/c2=0", "a/d=1", "start/b", "b/b1=0", "b/b2=0", "b/b3=1")
	for _, form := range []SubgroupForm{SubgroupAvg, SubgroupSize} {
		want, got := estimate(t, bare.Forest, Subgroup{form}, exact()), estimate(t, long.Forest, Subgroup{form}, exact())
		for i, r := range want.Rows {
			require.InDelta(t, r.Advantages[0], got.Rows[i].Advantages[0], slack, "%s, row %d", form, i)
		}
	}
}

// Within a run a checkpoint is worth what is still to be earned.
func TestValuesWithinARun(t *testing.T) {
	s := draw("a", "a/b", "b/c=1", "d=0").with(earned(-0.5), "a").with(earned(0.25), "b", "c")
	check(t, []worked{{name: "W", forest: s, method: TD{TDPlain}, options: exact(),
		values: named{"c": 1, "b": 1.25, "a": 1.5, "ε": 0.5}, edges: named{"a b c": 0.5, "d": -0.5}}})
}
