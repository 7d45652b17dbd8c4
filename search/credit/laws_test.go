package credit

import "pgregory.net/rapid"

var half = 0.5

// methods are all of them, in every form.
func methods() []Method {
	return append(zeroSum(), []Method{
		Broadcast{BaseDrGRPO}, Redistribute{BaseRLOO}, Redistribute{BaseGRPO},
		TreeGRPO{TreeGRPOSum}, TreeGRPO{TreeGRPOSeq}, TreeGRPO{TreeGRPOIntra}, TreeGRPO{TreeGRPOInter},
		Subgroup{SubgroupAvg}, Subgroup{SubgroupSize},
		TD{TDPlain}, TD{TDLOO}, TD{TDStd}, GAE{0}, GAE{0.5}, GAE{1}, TreeRL{},
		Shrunk{}, Shrunk{2, nil}, Shrunk{1, &half}, DefaultFoldShape(), FoldShape{BaseDrGRPO, -5, 5},
		Combine{[]Term{{0.5, Broadcast{BaseGRPO}}, {2, TD{TDLOO}}}},
	}...)
}

// zeroSum are those whose leaf advantages sum to zero over a prompt.
func zeroSum() []Method {
	return []Method{Chain{BaseGRPO}, Chain{BaseDrGRPO}, Chain{BaseRLOO}}
}

func anyMethod(t *rapid.T) Method { return rapid.SampledFrom(methods()).Draw(t, "method") }

// growth says what random forests may have.
type growth struct {
	masks, edgeRewards, probes bool
	// reward draws a leaf's.
	reward *rapid.Generator[float64]
}

var bits = rapid.Map(rapid.Bool(), func(b bool) float64 {
	if b {
		return 1
	}
	return 0
})

var anything = growth{masks: true, edgeRewards: true, probes: true, reward: rapid.OneOf(bits, rapid.Float64Range(-2, 2))}
var unmasked = growth{edgeRewards: true, reward: rapid.OneOf(bits, rapid.Float64Range(-2, 2))}
var plain = growth{reward: rapid.OneOf(bits, rapid.Float64Range(-2, 2))}

// forest draws one to three trees of up to 24 nodes, parents first.
func (g growth) forest(t *rapid.T) Forest {
	var f Forest
	roots := rapid.IntRange(1, 3).Draw(t, "roots")
	for range roots {
		f.Nodes = append(f.Nodes, Node{Parent: NoParent})
	}
	inner := map[int]bool{}
	size := roots + rapid.IntRange(1, 24).Draw(t, "nodes")
	for i := roots; i < size; i++ {
		n := Node{
			Parent: rapid.IntRange(0, i-1).Draw(t, "parent"), Tree: rapid.IntRange(0, 2).Draw(t, "tree"),
			Turns: rapid.IntRange(0, 3).Draw(t, "turns"), Tokens: rapid.IntRange(0, 20).Draw(t, "tokens"),
			Shaping: rapid.SampledFrom([]float64{0, 0, -0.2, 0.2, -1}).Draw(t, "shaping"),
		}
		if g.edgeRewards {
			n.EdgeReward = rapid.SampledFrom([]float64{0, 0, 0, 0.25, -0.5}).Draw(t, "edge reward")
		}
		inner[n.Parent] = true
		f.Nodes = append(f.Nodes, n)
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if inner[i] || n.Parent == NoParent || g.masks && rapid.IntRange(0, 3).Draw(t, "masked") == 0 {
			continue
		}
		r := g.reward.Draw(t, "reward")
		n.Reward = &r
		n.Probe = g.probes && rapid.IntRange(0, 4).Draw(t, "probe") == 0
	}
	return f
}

func anyOptions(t *rapid.T) Options {
	return Options{
		Weighting: rapid.SampledFrom([]Weighting{ChildMean, LeafMean}).Draw(t, "weighting"),
		Gamma:     rapid.SampledFrom([]float64{1, 0.9, 0.5}).Draw(t, "gamma"),
		DDof:      rapid.IntRange(0, 1).Draw(t, "ddof"),
		Eps:       rapid.SampledFrom([]float64{0, 1e-6, 1e-3}).Draw(t, "eps"),
		Singleton: rapid.SampledFrom([]Singleton{SingletonZero, SingletonRaw, SingletonDrop}).Draw(t, "singleton"),
		Overlong:  OverlongScore,
	}
}
