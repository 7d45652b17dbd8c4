package search

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// BenchmarkStep is the time of one step, a choice and its result, in trees of
// two sizes: it should grow with the logarithm of the size and no more.
func BenchmarkStep(b *testing.B) {
	treePO, arpo, beam, best := DefaultTreePO(), DefaultARPO(), DefaultBeam(), DefaultBestFirst()
	for _, size := range []int{100, 10_000} {
		treePO.Size, arpo.Size, beam.Keep, best.Size, best.Expansions = size/4, size/4, size/40, size/6, size
		for _, s := range []Strategy{treePO.Strategy(), arpo.Strategy(), beam.Strategy(), best.Strategy()} {
			b.Run(fmt.Sprintf("%s/%d", s.Name, size), func(b *testing.B) {
				nodes := 0
				for b.Loop() {
					nodes += grow(b, s, varied(12)).Len() - 1
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(nodes), "ns/step")
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes")
			})
		}
	}
}

// varied is a script of rollouts of up to n turns whose surprise differs.
func varied(n int) script {
	draw := func(branch, of string) *rand.Rand {
		ticket, _ := strconv.Atoi(branch)
		return rand.New(rand.NewPCG(uint64(ticket), uint64(len(of))))
	}
	return script{
		lives:    func(branch string) int { return 1 + draw(branch, "lives").IntN(n) },
		surprise: func(branch string) float64 { return draw(branch, "surprise").ExpFloat64() },
	}
}
