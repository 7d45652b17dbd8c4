package search

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

func drawPUCT(t *rapid.T) PUCT {
	c := DefaultPUCT()
	c.Simulations = rapid.IntRange(1, 24).Draw(t, "simulations")
	c.Rule = rapid.SampledFrom([]Rule{RulePUCT, RuleUCT}).Draw(t, "rule")
	if c.Rule == RulePUCT {
		c.Prior = rapid.SampledFrom([]Prior{PriorUniform, PriorPolicy}).Draw(t, "prior")
	}
	c.Unobserved = rapid.SampledFrom([]Unobserved{UnobservedWU, UnobservedVirtual}).Draw(t, "unobserved")
	c.C = rapid.SampledFrom([]float64{0, 0.5, 2}).Draw(t, "c")
	c.Widen = rapid.SampledFrom([]float64{0.5, 1, 2}).Draw(t, "widen")
	c.Alpha = rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "alpha")
	c.Step = rapid.IntRange(0, 2).Draw(t, "step")
	return c
}

func arms(c PUCT, visits, flying []int, q, prior []float64, above, parentFlying int) []float64 {
	var out []float64
	for i := range q {
		out = append(out, c.score(arm{
			returns: q[i] * float64(visits[i]), scored: visits[i], visits: visits[i], flying: flying[i],
			prior: prior[i], above: above, parentFlying: parentFlying,
		}))
	}
	return out
}

// The reference's 1.310110 and its like are 1.3101111 cut off.
func TestW13Selectors(t *testing.T) {
	visits, q, prior := []int{5, 3, 1}, []float64{.6, .4, .9}, []float64{.5, .3, .2}
	none, flying := []int{0, 0, 0}, []int{1, 0, 2}
	cases := []struct {
		name   string
		c      PUCT
		flying []int
		want   []float64
	}{
		{"UCT", PUCT{Rule: RuleUCT, C: 1}, none, []float64{1.262906, 1.255809, 2.382304}},
		{"WU-UCT", PUCT{Rule: RuleUCT, C: 1, Unobserved: UnobservedWU}, flying, []float64{1.243546, 1.310111, 1.810111}},
		{"virtual loss", PUCT{Rule: RuleUCT, C: 1, Unobserved: UnobservedVirtual}, flying, []float64{1.143546, 1.310111, 1.210111}},
		{"PUCT", PUCT{Rule: RulePUCT, C: 1.5}, none, []float64{.975, .7375, 1.35}},
		{"PUCT with virtual loss", PUCT{Rule: RulePUCT, C: 1.5, Unobserved: UnobservedVirtual}, flying, []float64{.871154, .789711, .559808}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			sum := 0
			for _, o := range c.flying {
				sum += o
			}
			require.InDeltaSlice(t, c.want, arms(c.c, visits, c.flying, q, prior, 9, sum), 1e-6)
		})
	}
}

func TestAChildWithoutAScoreIsAsGoodAsItsParent(t *testing.T) {
	c := PUCT{Rule: RulePUCT}
	require.Equal(t, .7, c.score(arm{visits: 3, parentMean: .7, above: 9}))
	c.Unobserved = UnobservedVirtual
	require.Equal(t, .7, c.score(arm{visits: 3, parentMean: .7, above: 9}))
	require.Zero(t, c.score(arm{visits: 3, flying: 1, parentMean: .7, above: 9}), "a loss that is supposed is a score")
}

// Rollouts of two turns. The first turn of ticket 0 is the good one.
func good(x Expansion, depth int) step {
	if depth == 0 {
		return goesOn(-1)
	}
	if in(x, "0") || x.From == 1 {
		return ends(1)
	}
	return ends(0)
}

func TestPUCTGoesWhereReturnsAre(t *testing.T) {
	c := DefaultPUCT()
	c.Simulations, c.C, c.Alpha = 8, 0.1, 0
	s := c.Strategy()
	s.Passes[0].Gate.InFlight = 1
	// Node 1 is the first turn of ticket 0 and 2 its end, node 3 that of ticket 1.
	got := followed(t, s, good)
	require.Equal(t, []NodeID{0, 0, 1, 1, 1, 1, 1, 1}, froms(got.asked),
		"the root has two children, and the better one is gone on from: also past its width, for its own are all ends")
}

func TestPUCTWaitsWhereItIsWideEnough(t *testing.T) {
	c := DefaultPUCT()
	c.Alpha, c.Widen = 0, 2
	s, err := New(NewTree("tree", rollout.Task{ID: "t"}), c.Strategy(), Config{})
	require.NoError(t, err)
	first, _ := s.Next()
	_, ok := s.Next()
	require.True(t, ok)
	_, ok = s.Next()
	require.False(t, ok, "two are in flight from the root, which may have two children")
	require.NoError(t, s.Apply(follow(s.Tree().Node(Root), first, good)))
	third, ok := s.Next()
	require.True(t, ok)
	require.Equal(t, NodeID(1), third.From)
}

func TestPUCTWidens(t *testing.T) {
	cases := []struct {
		name         string
		widen, alpha float64
		visits, want int
	}{
		{"a node nobody came to has one child", 2, .5, 0, 1},
		{"square root", 2, .5, 9, 6},
		{"rounds up", 1, .5, 10, 4},
		{"fixed", 3, 0, 100, 3},
		{"no bound", 1, 1, 100, 100},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := &puctSelector{PUCT: PUCT{Widen: c.widen, Alpha: c.alpha}, view: &View{}}
			n := &Node{Branchable: true, Stats: Stats{Visits: c.visits}}
			for s.widens(n) {
				n.children = append(n.children, 0)
			}
			require.Len(t, n.children, c.want)
		})
	}
}

func TestPUCTPriorsOfThePolicy(t *testing.T) {
	tree := &Tree{nodes: []*Node{{}, {}, {Failure: &rollout.Failure{}}, {}}}
	tree.nodes[0].children = []NodeID{1, 2, 3}
	s := &puctSelector{PUCT: PUCT{Prior: PriorPolicy}, view: &View{tree: tree}, nodes: []puctNode{{}, {logp: math.Log(.6)}, {logp: math.NaN()}, {logp: math.Log(.2)}}}
	prior := s.priors(tree.nodes[0])
	require.InDelta(t, .75, prior(1), 1e-12)
	require.InDelta(t, .25, prior(3), 1e-12)
	s.nodes[3].logp = math.NaN()
	prior = s.priors(tree.nodes[0])
	require.Equal(t, .5, prior(1), "siblings are alike where one was never scored")
	s.Prior = PriorUniform
	require.Equal(t, .5, s.priors(tree.nodes[0])(1))
}

func TestPUCTMakesItsSimulations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawPUCT(t)
		w := drawWorld(t)
		w.shut = 0
		d := drive(t, c.Strategy(), w, rapid.IntRange(1, 9).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival"))
		require.Len(t, d.asked, c.Simulations, "whatever fails or has ended")
	})
}

func TestPUCTValidate(t *testing.T) {
	require.NoError(t, DefaultPUCT().Validate())
	c := PUCT{Rule: "x", Prior: PriorPolicy, Unobserved: UnobservedWU, C: math.NaN(), Loss: 1, Alpha: 2, Step: -1}
	require.EqualError(t, c.Validate(), `simulations is 0, must be at least 1
step is -1, must be at least 0
rule is "x", must be one of puct, uct
c is NaN, must be at least 0
widen is 0, must be above 0
alpha is 2, must be from 0 to 1
loss is 1, which wu does not read`)
}
