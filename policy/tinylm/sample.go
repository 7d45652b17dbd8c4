package tinylm

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Sampling is the law a token is drawn from. The zero value is greedy.
type Sampling struct {
	Temperature float64 // logits are divided by it; 0 takes the likeliest id (lowest id among equals), ignoring the filters
	TopK        int     // keep the k likeliest ids; 0 or less keeps all
	TopP        float64 // keep the likeliest ids up to and including the one that reaches this mass; 0 or ≥ 1 keeps all
	MinP        float64 // drop ids less likely than this share of the likeliest; 0 keeps all
	Seed        uint64  // of this request's own generator
}

// Mode says which law a reported logprob is of.
type Mode uint8

const (
	// Raw is the model's own softmax, at temperature 1 and unfiltered.
	Raw Mode = iota
	// Processed is the law the id was drawn from: after temperature and filters. Greedy decoding has no such law;
	// it reports raw values, as vLLM does.
	Processed
)

// sampler draws the ids of one request.
type sampler struct {
	law  Sampling
	mode Mode
	rng  *rand.Rand
	prob []float64
	kept []int32
}

// goldenGamma separates the generator's two words; any odd constant would do.
const goldenGamma = 0x9e3779b97f4a7c15

func newSampler(law Sampling, mode Mode) *sampler {
	return &sampler{law: law, mode: mode, rng: rand.New(rand.NewPCG(law.Seed, law.Seed^goldenGamma))}
}

// draw returns an id and its logprob.
func (s *sampler) draw(logits []float32) (int32, float32) {
	if s.law.Temperature == 0 {
		id := argmax(logits)
		return id, logprob(logits, id)
	}
	id, mass := s.pick(logits)
	if s.mode == Processed {
		return id, float32(math.Log(mass))
	}
	return id, logprob(logits, id)
}

// pick draws an id from the filtered law and returns the id's probability under it.
func (s *sampler) pick(logits []float32) (int32, float64) {
	ids := s.filter(logits)
	var total float64
	for _, id := range ids {
		total += s.prob[id]
	}
	u := s.rng.Float64() * total
	last := ids[0]
	for _, id := range ids {
		if s.prob[id] == 0 {
			continue // underflowed: not drawable, not even by the rounding of u
		}
		last = id
		if u -= s.prob[id]; u < 0 {
			break
		}
	}
	return last, s.prob[last] / total
}

// filter fills prob with weights exp((logit-max)/T) and returns the surviving ids.
// The order is vLLM's: temperature, then min-p, then top-k, then top-p over what top-k left.
func (s *sampler) filter(logits []float32) []int32 {
	n := len(logits)
	if cap(s.prob) < n {
		s.prob, s.kept = make([]float64, n), make([]int32, n)
	}
	s.prob, s.kept = s.prob[:n], s.kept[:n]
	top := float64(slices.Max(logits))
	for i, v := range logits {
		s.prob[i] = math.Exp((float64(v) - top) / s.law.Temperature)
		s.kept[i] = int32(i)
	}
	ids := s.kept
	if s.law.MinP > 0 {
		// The likeliest id has weight 1, so weights are shares of it.
		ids = slices.DeleteFunc(ids, func(id int32) bool { return s.prob[id] < s.law.MinP })
	}
	byTopK, byTopP := s.law.TopK > 0 && s.law.TopK < len(ids), s.law.TopP > 0 && s.law.TopP < 1
	if !byTopK && !byTopP {
		return ids
	}
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.prob[b], s.prob[a]), cmp.Compare(a, b))
	})
	if byTopK {
		ids = ids[:s.law.TopK]
	}
	if byTopP {
		ids = ids[:s.nucleus(ids)]
	}
	return ids
}

// nucleus returns how many of the sorted ids it takes to reach TopP of their mass; at least one.
func (s *sampler) nucleus(ids []int32) int {
	var total, mass float64
	for _, id := range ids {
		total += s.prob[id]
	}
	for i, id := range ids {
		if mass += s.prob[id]; mass >= s.law.TopP*total {
			return i + 1
		}
	}
	return len(ids)
}

func argmax(logits []float32) int32 {
	best := 0
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
	}
	return int32(best)
}

// logprob is the log-softmax of logits at id, summed in float64.
func logprob(logits []float32, id int32) float32 {
	top := slices.Max(logits)
	var sum float64
	for _, v := range logits {
		sum += math.Exp(float64(v) - float64(top))
	}
	return float32(float64(logits[id]) - float64(top) - math.Log(sum))
}
