package credit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

const slack = 1e-9

func near(t fataler, want, got float64, f Forest, what string, args ...any) {
	t.Helper()
	if !(math.Abs(want-got) <= slack) {
		t.Fatalf(what+": got %v, want %v, of %s", append(args, got, want, show(f))...)
	}
}

// starts says which nodes of a forest without masks begin an edge of the
// compressed tree.
func starts(f Forest) []bool {
	width := make([]int, len(f.Nodes))
	for _, n := range f.Nodes {
		if n.Parent != NoParent {
			width[n.Parent]++
		}
	}
	out := make([]bool, len(f.Nodes))
	for i, n := range f.Nodes {
		out[i] = n.Parent != NoParent && (f.Nodes[n.Parent].Parent == NoParent || width[n.Parent] > 1)
	}
	return out
}

// toGo is G from each node of a branch on, as if its edge began there: the
// return with γ once per compressed edge.
func toGo(f Forest, branch []int, gamma float64) []float64 {
	begin := starts(f)
	out := make([]float64, len(branch))
	ahead := *f.Nodes[branch[len(branch)-1]].Reward * gamma
	for i := len(branch) - 1; i >= 0; i-- {
		out[i] = f.Nodes[branch[i]].EdgeReward + ahead
		ahead = out[i]
		if begin[branch[i]] {
			ahead *= gamma
		}
	}
	return out
}

// P4: Σ_t γ^t·A(e_t) = G_ℓ − V(ε).
func TestTDTelescopes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o := unmasked.forest(t), anyOptions(t)
		m := rapid.SampledFrom([]Method{TD{TDPlain}, Shrunk{}, Shrunk{1, nil}, Shrunk{3, &half}}).Draw(t, "method")
		c, begin := estimate(t, f, m, o), starts(f)
		for _, r := range c.Rows {
			total, discount := 0.0, 1.0
			for i, n := range r.Branch {
				if begin[n] {
					total, discount = total+discount*r.Advantages[i], discount*o.Gamma
				}
			}
			near(t, toGo(f, r.Branch, o.Gamma)[0]-*c.Nodes[0].Value, total, f, "row %v of %s", r.Branch, m.ID())
		}
	})
}

// siblings are the children of each inner node, those of all roots together.
func siblings(f Forest) map[int][]int {
	out := map[int][]int{}
	for i, n := range f.Nodes {
		switch {
		case n.Parent == NoParent:
		case f.Nodes[n.Parent].Parent == NoParent:
			out[NoParent] = append(out[NoParent], i)
		default:
			out[n.Parent] = append(out[n.Parent], i)
		}
	}
	return out
}

// P5: Σ_c ω(c|p)·A(p→c) = 0 where p branches.
func TestTDSumsToZeroAtEachNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o := unmasked.forest(t), anyOptions(t)
		m := rapid.SampledFrom([]Method{TD{TDPlain}, TD{TDLOO}, TD{TDStd}, GAE{0.5}}).Draw(t, "method")
		o.Eps = max(o.Eps, 1e-6)
		c := estimate(t, f, m, o)
		for p, children := range siblings(f) {
			if p != NoParent && len(children) == 1 {
				continue
			}
			total := 0.0
			for _, k := range children {
				total += c.Nodes[k].Omega * *c.Nodes[k].Advantage
			}
			near(t, 0, total, f, "%s below %d", m.ID(), p)
		}
	})
}

// The negative of P5.
func TestShrunkDoesNotSumToZero(t *testing.T) {
	s := w7()
	c := estimate(t, s.Forest, Shrunk{1, &half}, exact(leafMean))
	at := func(name string) float64 { n := c.Nodes[s.at[name]]; return n.Omega * *n.Advantage }
	if total := at("c") + at("d"); math.Abs(total) < 1e-3 {
		t.Fatalf("ω-sum of tree.shrunk below a is %v", total)
	}
}

// P5: under child-mean loo is V(c) less the mean of the other siblings, and
// under leaf-mean it is not.
func TestLOOIsLeaveOneOutUnderChildMean(t *testing.T) {
	gap := func(t fataler, f Forest, o Options) float64 {
		c, worst := estimate(t, f, TD{TDLOO}, o), 0.0
		for _, children := range siblings(f) {
			if len(children) < 2 {
				continue
			}
			worth := func(k int) float64 { return f.Nodes[k].EdgeReward + *c.Nodes[k].Value }
			for _, k := range children {
				others := 0.0
				for _, s := range children {
					if s != k {
						others += worth(s) / float64(len(children)-1)
					}
				}
				worst = max(worst, math.Abs(worth(k)-others-*c.Nodes[k].Advantage))
			}
		}
		return worst
	}
	rapid.Check(t, func(t *rapid.T) {
		f := plain.forest(t)
		near(t, 0, gap(t, f, exact()), f, "loo less leave-one-out")
	})
	if g := gap(t, w3().Forest, exact(leafMean)); g < 0.1 {
		t.Fatalf("leaf-mean loo of W3 is within %v of leave-one-out", g)
	}
}

// P6 and P7.
func TestGAEMeets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o := unmasked.forest(t), anyOptions(t)
		td := estimate(t, f, TD{TDPlain}, o)
		g := estimate(t, f, GAE{rapid.Float64Range(0, 1).Draw(t, "λ")}, o)
		for i := range f.Nodes {
			if a := td.Nodes[i].Advantage; a != nil {
				near(t, *a, *g.Nodes[i].Advantage, f, "ω-mean of gae at %d", i)
			}
		}
		one, begin := estimate(t, f, GAE{1}, o), starts(f)
		for _, r := range one.Rows {
			returns := toGo(f, r.Branch, o.Gamma)
			for i, n := range r.Branch {
				if begin[n] {
					near(t, returns[i]-*one.Nodes[f.Nodes[n].Parent].Value, r.Advantages[i], f, "gae(1) at %d", n)
				}
			}
		}
	})
}

// P12: rewards in [0, 1] bound td and rloo by 1.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o := growth{masks: true, probes: true, reward: rapid.Float64Range(0, 1)}.forest(t), anyOptions(t)
		for _, m := range []Method{TD{TDPlain}, Chain{BaseRLOO}} {
			for _, r := range estimate(t, f, m, o).Rows {
				if slices.Max(r.Advantages) > 1+slack || slices.Min(r.Advantages) < -1-slack {
					t.Fatalf("%s gives %v to %s", m.ID(), r.Advantages, show(f))
				}
			}
		}
	})
}

// P14: a better leaf never makes its own path worse, nor its path's siblings
// better.
func TestTDIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o := unmasked.forest(t), anyOptions(t)
		m := TD{rapid.SampledFrom([]TDForm{TDPlain, TDLOO}).Draw(t, "form")}
		before := estimate(t, f, m, o)
		branch := rapid.SampledFrom(before.Rows).Draw(t, "row").Branch
		better := Forest{Nodes: slices.Clone(f.Nodes)}
		r := *f.Nodes[branch[len(branch)-1]].Reward + rapid.Float64Range(0, 3).Draw(t, "raise")
		better.Nodes[branch[len(branch)-1]].Reward = &r
		after := estimate(t, better, m, o)
		groups := siblings(f)
		for _, n := range branch {
			p := f.Nodes[n].Parent
			if f.Nodes[p].Parent == NoParent {
				p = NoParent
			}
			for _, s := range groups[p] {
				change := *after.Nodes[s].Advantage - *before.Nodes[s].Advantage
				if s == n && change < -slack || s != n && change > slack {
					t.Fatalf("%s at %d changes by %v when the leaf of %v is raised, of %s", m.ID(), s, change, branch, show(f))
				}
			}
		}
	})
}
