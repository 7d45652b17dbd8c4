package credit

import (
	"math/rand/v2"
	"testing"
)

// A prompt of 10,000 nodes, each with a parent drawn from the last hundred.
func BenchmarkEstimate(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := Forest{Nodes: []Node{{Parent: NoParent}}}
	inner := map[int]bool{}
	for i := 1; i < 10_000; i++ {
		n := Node{Parent: max(0, i/2-rng.IntN(100)), Turns: 1, Tokens: 50}
		inner[n.Parent] = true
		f.Nodes = append(f.Nodes, n)
	}
	for i := range f.Nodes {
		if r := float64(rng.IntN(2)); !inner[i] {
			f.Nodes[i].Reward = &r
		}
	}
	for _, m := range []Method{TD{TDLOO}, GAE{0.5}, Subgroup{SubgroupAvg}, TreeRL{}} {
		b.Run(m.ID(), func(b *testing.B) {
			for b.Loop() {
				if _, err := (Estimator{m, DefaultOptions()}).Estimate(f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
