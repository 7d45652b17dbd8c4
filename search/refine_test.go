package search

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

func drawRefine(t *rapid.T) ValueRefinement {
	c := DefaultValueRefinement()
	c.Roots = rapid.IntRange(1, 4).Draw(t, "roots")
	c.Leaves = c.Roots + rapid.IntRange(0, 20).Draw(t, "more leaves")
	c.Mass = rapid.SampledFrom([]Mass{MassOne, MassTokens}).Draw(t, "mass")
	c.ReplayTokens = rapid.IntRange(0, 20).Draw(t, "replay tokens")
	c.Probes = rapid.Bool().Draw(t, "probes")
	return c
}

// grown adds a node one turn below another; a return ends it.
func grown(tree *Tree, parent *Node, tokens int, ret ...float64) *Node {
	s := parent.State
	if parent.ID == Root {
		s = rollout.NewState(rollout.Task{ID: "t"}, nil, nil, nil)
	}
	turn := rollout.NewTurn(rollout.NewTokens(1), rollout.Completion{Tokens: make([]rollout.TokenID, tokens)})
	if len(ret) > 0 {
		turn.Transition = &rollout.Transition{Done: true, Outcome: &ret[0]}
	}
	n := tree.add(Node{Parent: parent.ID, State: s.WithTurn(turn), Branchable: len(ret) == 0})
	if len(ret) > 0 {
		tree.visited(n)
	}
	return n
}

// W7's tree, with edges that cost what W13 says: rollouts from ε take 600
// tokens, from a 400, c 200 and b 300.
func w7() (tree *Tree, a, b, c *Node) {
	tree = NewTree("tree", rollout.Task{ID: "t"})
	root := tree.Node(Root)
	a, b = grown(tree, root, 200), grown(tree, root, 300)
	c = grown(tree, a, 200)
	grown(tree, c, 200, 1)
	grown(tree, c, 200, 0)
	grown(tree, a, 400, 1)
	for _, r := range []float64{0, 0, 1} {
		grown(tree, b, 300, r)
	}
	return tree, a, b, c
}

func TestW13MarginalMSE(t *testing.T) {
	tree, a, b, c := w7()
	s := marginalMSE{DefaultValueRefinement()}.Open(&View{tree: tree}).(*refineSelector)
	want := []struct {
		name                    string
		n                       *Node
		dilution                float64 // ω²
		variance, gain, perMill float64
	}{
		{"ε", tree.Node(Root), 1, .086806, .014468, .024113},
		{"a", a, .25, .125, .005208, .013021},
		{"b", b, .25, .234375, .004883, .016276},
		{"c", c, .0625, .25, .002604, .013021},
	}
	for _, w := range want {
		own := s.nodes[w.n.ID]
		require.InDelta(t, w.variance, own.variance(), 1e-6, "s² of %s", w.name)
		require.InDelta(t, w.gain, w.dilution*own.gain(own.k), 1e-6, "gain of %s", w.name)
		require.InDelta(t, w.perMill, 1000*w.dilution*own.own, 1e-6, "gain of %s per thousand tokens", w.name)
	}
	require.Equal(t, .25, s.nodes[Root].dilution())

	var picks []NodeID
	for range 2 {
		p, ok := s.Next()
		require.True(t, ok)
		picks = append(picks, p.From)
		tree.fly(p.From, 1)
	}
	require.Equal(t, []NodeID{Root, b.ID}, picks, "a new rollout from the root, then one from b")
}

func TestAReplayCostsItsTokens(t *testing.T) {
	tree, _, b, _ := w7()
	b.Replay = 3
	c := DefaultValueRefinement()
	c.ReplayTokens = 100
	s := marginalMSE{c}.Open(&View{tree: tree}).(*refineSelector)
	require.InDelta(t, .234375/12/(300+3*100), s.nodes[b.ID].own, 1e-12)
}

func TestTheMassOfANodeIsItsTokens(t *testing.T) {
	tree, a, _, _ := w7()
	c := DefaultValueRefinement()
	c.Mass = MassTokens
	s := marginalMSE{c}.Open(&View{tree: tree}).(*refineSelector)
	require.InDelta(t, (200+200+400)*.125/6/400, s.nodes[a.ID].own, 1e-12)
}

func TestSpreadOfValues(t *testing.T) {
	of := func(ended bool, vs ...float64) (s spread) {
		for _, v := range vs {
			s.tell(v, ended, 1)
		}
		return s
	}
	require.Equal(t, .75*.25, of(true, 1).variance(), "Beta(½,½)")
	require.Equal(t, .75*.25, of(false, 1).variance(), "of one child there is no other")
	require.Equal(t, .75*.25, of(true, 7).variance(), "a value beyond 1 is as sure as 1")
	require.Equal(t, .125, of(true, 1, 0, 0).variance()-.109375, "p = 1.5/4")
	require.Equal(t, 0.5, of(false, 0, 1).variance(), "sample variance")
	require.Equal(t, 12.5, of(true, 0, 5).variance(), "returns beyond 1 are no coin")
	s := of(true, 1, 0)
	s.tell(0, true, -1)
	require.Equal(t, of(true, 1), s)
}

// brute is the allocator of value-refinement, held to scores that are counted
// afresh for every node at every choice.
type brute struct {
	marginalMSE
	t require.TestingT
}

type bruteSelector struct {
	*refineSelector
	t require.TestingT
}

func (b brute) Open(v *View) Selector {
	return bruteSelector{b.marginalMSE.Open(v).(*refineSelector), b.t}
}

func (b bruteSelector) Next() (Pick, bool) {
	left := b.left
	p, ok := b.refineSelector.Next()
	best, at := -1.0, map[NodeID]float64{}
	for n := range b.view.Tree().Nodes() {
		at[n.ID] = b.afresh(n)
		best = max(best, at[n.ID])
	}
	require.Equal(b.t, left > 0 && best >= 0, ok)
	if ok {
		require.InEpsilon(b.t, 1+best, 1+at[p.From], 1e-9, "picked %d", p.From)
		if best > 0 {
			require.InEpsilon(b.t, best, at[p.From], 1e-6, "picked %d", p.From)
		}
	}
	return p, ok
}

func (b bruteSelector) afresh(n *Node) float64 {
	tree := b.view.Tree()
	if !b.view.Room(n) {
		return -1
	}
	vs := func(n *Node) (out []float64, coins bool) {
		coins = true
		for _, id := range n.Children() {
			if c := tree.Node(id); c.Failure == nil {
				if v, ok := c.V(); ok {
					out = append(out, v)
					coins = coins && c.State.Done()
				}
			}
		}
		return out, coins
	}
	tokens := func(n *Node) int { return n.State.Generated() }
	values, coins := vs(n)
	ahead, ends, mass := 0.0, 0.0, float64(tokens(n))
	if n.ID != Root {
		mass -= float64(tokens(tree.Node(n.Parent)))
	}
	for m := range tree.Nodes() {
		if m.Parent == n.ID {
			mass += float64(tokens(m) - tokens(n))
		}
		if m.State.Done() && m.Failure == nil {
			for up := range tree.Path(m.ID) {
				if up == n {
					ahead, ends = ahead+float64(tokens(m)-tokens(n)), ends+1
				}
			}
		}
	}
	k := float64(len(values))
	switch known := k > 0 && ends > 0; {
	case !known && n.ID == Root:
		return math.MaxFloat64
	case !known:
		return -1
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	p := (sum + .5) / (k + 1)
	variance := p * (1 - p)
	if k > 1 && !coins {
		variance = 0
		for _, v := range values {
			variance += (v - sum/k) * (v - sum/k) / (k - 1)
		}
	}
	omega := 1.0
	for up := range tree.Path(n.ID) {
		if up != n {
			above, _ := vs(up)
			omega /= float64(len(above))
		}
	}
	if b.Mass == MassOne {
		mass = 1
	}
	tries := float64(len(n.Children()) + n.Pending)
	return mass * omega * omega * variance / (tries * (tries + 1)) / max(1, ahead/ends+float64(b.ReplayTokens*n.Replay))
}

func TestValueRefinementPicksTheLargestGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, w := drawRefine(t), drawWorld(t)
		s := c.Strategy()
		s.Passes[1].Allocator = brute{marginalMSE{c}, t}
		s.Passes[1].Gate = Gate{InFlight: rapid.IntRange(0, 4).Draw(t, "in flight"), Width: rapid.IntRange(0, 3).Draw(t, "width")}
		drive(t, s, w, rapid.IntRange(1, 9).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival"))
	})
}

func TestValueRefinementUsesItsLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawRefine(t)
		d := drive(t, c.Strategy(), drawWorld(t), 4, 1)
		require.Len(t, d.asked, c.Leaves, "whatever fails")
		for _, x := range d.asked {
			require.Equal(t, c.Probes && x.Pass == 1, x.Probe)
		}
	})
}

func TestValueRefinementValidate(t *testing.T) {
	require.NoError(t, DefaultValueRefinement().Validate())
	require.EqualError(t, ValueRefinement{Roots: 4, Leaves: 3, Mass: "x", ReplayTokens: -1}.Validate(),
		"leaves is 3, must be at least 4\nreplay_tokens is -1, must be at least 0\nmass is \"x\", must be one of one, tokens")
}
