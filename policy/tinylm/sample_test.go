package tinylm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// toy is log p of (0.5, 0.05, 0.25, 0.2), in another order than the likelihood's.
var toy = []float32{
	float32(math.Log(0.5)), float32(math.Log(0.05)), float32(math.Log(0.25)), float32(math.Log(0.2)),
}

// lawOf is the exact law that a sampler draws from.
func lawOf(s *sampler, logits []float32) map[int32]float64 {
	law, total := map[int32]float64{}, 0.0
	for _, id := range s.filter(logits) {
		law[id] = s.prob[id]
		total += s.prob[id]
	}
	for id := range law {
		law[id] /= total
	}
	return law
}

func TestLaws(t *testing.T) {
	for name, c := range map[string]struct {
		law  Sampling
		want map[int32]float64
	}{
		"softmax":                      {Sampling{Temperature: 1}, map[int32]float64{0: 0.5, 1: 0.05, 2: 0.25, 3: 0.2}},
		"colder squares and rescales":  {Sampling{Temperature: 0.5}, map[int32]float64{0: 0.25 / 0.355, 1: 0.0025 / 0.355, 2: 0.0625 / 0.355, 3: 0.04 / 0.355}},
		"top-k 2":                      {Sampling{Temperature: 1, TopK: 2}, map[int32]float64{0: 2.0 / 3, 2: 1.0 / 3}},
		"top-k beyond the vocabulary":  {Sampling{Temperature: 1, TopK: 9}, map[int32]float64{0: 0.5, 1: 0.05, 2: 0.25, 3: 0.2}},
		"top-p keeps the one crossing": {Sampling{Temperature: 1, TopP: 0.6}, map[int32]float64{0: 2.0 / 3, 2: 1.0 / 3}},
		"top-p keeps one at least":     {Sampling{Temperature: 1, TopP: 1e-9}, map[int32]float64{0: 1}},
		"min-p is a share of the top":  {Sampling{Temperature: 1, MinP: 0.3}, map[int32]float64{0: 0.5 / 0.95, 2: 0.25 / 0.95, 3: 0.2 / 0.95}},
		"top-p counts what top-k left": {Sampling{Temperature: 1, TopK: 2, TopP: 0.66}, map[int32]float64{0: 1}},
		"filters see the temperature":  {Sampling{Temperature: 0.5, MinP: 0.3}, map[int32]float64{0: 1}},
	} {
		got := lawOf(newSampler(c.law, Raw), toy)
		require.Len(t, got, len(c.want), "%s: %v", name, got)
		for id, p := range c.want {
			require.InDelta(t, p, got[id], 1e-6, "%s: id %d of %v", name, id, got)
		}
	}
}

func TestEqualLogitsAreCutByID(t *testing.T) {
	require.Equal(t, map[int32]float64{0: 0.5, 1: 0.5}, lawOf(newSampler(Sampling{Temperature: 1, TopK: 2}, Raw), []float32{1, 1, 1, 1}))
	id, _ := newSampler(Sampling{}, Raw).draw([]float32{0, 2, 2})
	require.EqualValues(t, 1, id)
}

// TestDrawsFollowTheLaw compares draws with the law by Pearson's chi-square, at fixed seeds.
func TestDrawsFollowTheLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	logits := make([]float32, 40)
	for i := range logits {
		logits[i] = float32(rng.NormFloat64()) * 1.5
	}
	for name, law := range map[string]Sampling{
		"softmax": {Temperature: 1}, "hot": {Temperature: 2}, "cold": {Temperature: 0.7},
		"top-k": {Temperature: 1, TopK: 7}, "top-p": {Temperature: 1, TopP: 0.8}, "min-p": {Temperature: 1, MinP: 0.1},
	} {
		const draws = 40000
		want := lawOf(newSampler(law, Raw), logits)
		seen := map[int32]int{}
		for seed := range uint64(draws) { // one draw of each seed: also the seeds must be independent
			law.Seed = seed
			id, lp := newSampler(law, Processed).draw(logits)
			require.InDelta(t, math.Log(want[id]), lp, 1e-5, "%s: processed logprob of id %d", name, id)
			seen[id]++
		}
		chi, cells := 0.0, 0.0
		for id, p := range want {
			if expect := p * draws; expect >= 5 {
				chi += (float64(seen[id]) - expect) * (float64(seen[id]) - expect) / expect
				cells++
			}
		}
		// Mean k and variance 2k with k = cells-1: 5 standard deviations.
		require.Less(t, chi, cells-1+5*math.Sqrt(2*(cells-1)), "%s: chi-square over %v cells", name, cells)
	}
}

func TestLogprobModes(t *testing.T) {
	law := Sampling{Temperature: 0.5, TopK: 2, Seed: 3}
	id, raw := newSampler(law, Raw).draw(toy)
	same, processed := newSampler(law, Processed).draw(toy)
	require.Equal(t, id, same, "the mode does not change the draw")
	require.InDelta(t, toy[id], raw, 1e-6)
	require.InDelta(t, math.Log(lawOf(newSampler(law, Raw), toy)[id]), processed, 1e-6)
	_, greedy := newSampler(Sampling{TopK: 1}, Processed).draw(toy)
	require.InDelta(t, math.Log(0.5), greedy, 1e-6, "greedy reports the untempered softmax")
}

func TestExtremeLogits(t *testing.T) {
	logits := []float32{-1e30, 300, -300, float32(math.Inf(-1))}
	for seed := range uint64(100) {
		id, lp := newSampler(Sampling{Temperature: 1, Seed: seed}, Processed).draw(logits)
		require.EqualValues(t, 1, id)
		require.Zero(t, lp)
	}
}
