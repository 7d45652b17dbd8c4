package credit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// P1 and P2.
func TestGroupBaselines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o := growth{masks: true, edgeRewards: true, reward: unmasked.reward}.forest(t), anyOptions(t)
		o.Singleton, o.Eps = SingletonZero, max(o.Eps, 1e-6)
		for _, m := range zeroSum() {
			rows := estimate(t, f, m, o).Rows
			total := 0.0
			for _, r := range rows {
				total += r.Advantages[0]
			}
			near(t, 0, total/float64(max(1, len(rows))), f, "mean of %s", m.ID())
		}
		loo, centred := estimate(t, f, Chain{BaseRLOO}, o).Rows, estimate(t, f, Chain{BaseDrGRPO}, o).Rows
		for i := range loo {
			if n := float64(len(loo)); n > 1 {
				near(t, centred[i].Advantages[0]*n/(n-1), loo[i].Advantages[0], f, "rloo")
			}
		}
	})
}

// P3: R → aR + b.
func TestAffine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, o := growth{masks: true, reward: bits}.forest(t), anyOptions(t)
		o.Eps, o.Gamma, o.Singleton = 0, 1, SingletonZero
		a, b := rapid.Float64Range(0.5, 4).Draw(t, "a"), rapid.Float64Range(-3, 3).Draw(t, "b")
		moved := Forest{Nodes: append([]Node(nil), f.Nodes...)}
		for i, n := range f.Nodes {
			if n.Reward != nil {
				r := a**n.Reward + b
				moved.Nodes[i].Reward = &r
			}
		}
		for m, scale := range map[Method]float64{
			Chain{BaseGRPO}: 1, TD{TDStd}: 1, TreeGRPO{TreeGRPOSum}: 1,
			Chain{BaseRLOO}: a, TD{TDPlain}: a, TD{TDLOO}: a, TreeRL{}: a, Subgroup{SubgroupAvg}: a,
		} {
			before, after := estimate(t, f, m, o), estimate(t, moved, m, o)
			for i, r := range before.Rows {
				for j, x := range r.Advantages {
					near(t, scale*x, after.Rows[i].Advantages[j], f, "%s after R → %v·R%+v", m.ID(), a, b)
				}
			}
		}
	})
}

// P8: independent rollouts of one root, in one tree or in as many as there are.
func TestChainOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := anyOptions(t)
		o.Gamma = 1
		f := Forest{Nodes: []Node{{Parent: NoParent}}}
		singles := Forest{}
		for i := range rapid.IntRange(2, 8).Draw(t, "G") {
			r := unmasked.reward.Draw(t, "reward")
			f.Nodes = append(f.Nodes, Node{Reward: &r, EdgeReward: rapid.SampledFrom([]float64{0, 0.25}).Draw(t, "earned")})
			leaf := f.Nodes[i+1]
			leaf.Parent, leaf.Tree = len(singles.Nodes), i
			singles.Nodes = append(singles.Nodes, Node{Parent: NoParent}, leaf)
		}
		same := func(scale float64, want, got Method, in Forest) {
			t.Helper()
			a, b := estimate(t, f, want, o), estimate(t, in, got, o)
			for i := range a.Rows {
				near(t, scale*a.Rows[i].Advantages[0], b.Rows[i].Advantages[0], in, "%s against %v·%s", got.ID(), scale, want.ID())
			}
		}
		for _, in := range []Forest{f, singles} {
			for _, got := range []Method{TD{TDPlain}, Subgroup{SubgroupAvg}, Subgroup{SubgroupSize}, GAE{0}, GAE{0.3}, GAE{1}, Shrunk{}} {
				same(1, Chain{BaseDrGRPO}, got, in)
			}
			same(1, Chain{BaseRLOO}, TD{TDLOO}, in)
			same(2, Chain{BaseRLOO}, TreeRL{}, in)
			same(1, Chain{BaseGRPO}, TD{TDStd}, in)
			for _, b := range []Base{BaseGRPO, BaseDrGRPO, BaseRLOO} {
				same(1, Chain{b}, Broadcast{b}, in)
				same(1, Chain{b}, Redistribute{b}, in)
			}
		}
		same(2, Chain{BaseGRPO}, TreeGRPO{TreeGRPOSum}, f)
		same(1, Chain{BaseGRPO}, TreeGRPO{TreeGRPOSum}, singles)
		same(1, Chain{BaseGRPO}, TreeGRPO{TreeGRPOSeq}, singles)
	})
}

// P11: no spread, no advantage, whatever the number.
func TestNoSpreadIsExactlyZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Float64Range(-100, 100).Draw(t, "R")
		f, o, m := growth{masks: true, probes: true, reward: rapid.Just(r)}.forest(t), anyOptions(t), anyMethod(t)
		o.Gamma, o.Singleton = 1, rapid.SampledFrom([]Singleton{SingletonZero, SingletonDrop}).Draw(t, "rule")
		c := estimate(t, f, m, o)
		if scored := slices.ContainsFunc(c.Nodes, func(n NodeCredit) bool { return n.Leaves > 0 }); c.ZeroSpread != scored {
			t.Fatalf("no spread of %s is flagged: %t", show(f), c.ZeroSpread)
		}
		for _, row := range c.Rows {
			for _, a := range row.Advantages {
				if a != 0 {
					t.Fatalf("%s gives %v where all rewards are %v, of %s", m.ID(), a, r, show(f))
				}
			}
		}
	})
}

// A sum of edge rewards that differs from another by rounding is no spread.
func TestRoundingIsNoSpread(t *testing.T) {
	s := draw("a=0", "b", "b/c=0", "d=0.3").with(earned(0.3), "a").with(earned(0.1), "b").with(earned(0.2), "c")
	if sum := 0.1 + s.Nodes[s.at["c"]].EdgeReward; sum == 0.3 {
		t.Fatal("0.1 + 0.2 is 0.3 here: the test tests nothing")
	}
	for _, m := range methods() {
		if x, ok := m.(Shrunk); ok && x.Prior != nil {
			continue // an edge reward is worth something against a prior
		}
		c := estimate(t, s.Forest, m, exact())
		if !c.ZeroSpread {
			t.Fatalf("%s: rounding is taken for spread", m.ID())
		}
		for _, r := range c.Rows {
			for _, a := range r.Advantages {
				if math.Abs(a) > 1e-12 {
					t.Fatalf("%s gives %v for rounding", m.ID(), a)
				}
			}
		}
	}
}
