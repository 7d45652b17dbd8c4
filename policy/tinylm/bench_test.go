package tinylm

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// bundledShape is the shape of the bundled checkpoint.
var bundledShape = Config{
	Arch: "Qwen3ForCausalLM", Hidden: 128, Layers: 5, Heads: 4, KVHeads: 2, HeadDim: 32, FF: 384, Vocab: 640,
	Window: 2048, NormEps: 1e-6, Theta: 1e4, Tied: true, QKNorm: true,
}

// randomModel returns a model of the given shape whose logits are neither flat nor saturated.
func randomModel(c Config, seed uint64) *Model {
	rng := rand.New(rand.NewPCG(seed, 1))
	normal := func(n int, scale float32) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64()) * scale
		}
		return v
	}
	gains := func(n int) []float32 {
		v := normal(n, 0.1)
		for i := range v {
			v[i]++
		}
		return v
	}
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	m := &Model{Config: c, embed: normal(c.Vocab*c.Hidden, 0.3), norm: gains(c.Hidden), rope: ropeTable(c)}
	m.head = m.embed
	for range c.Layers {
		l := layer{
			inNorm: gains(c.Hidden), postNorm: gains(c.Hidden),
			qkv: normal((q+2*kv)*c.Hidden, 0.1), out: normal(c.Hidden*q, 0.1),
			gateUp: normal(2*c.FF*c.Hidden, 0.1), down: normal(c.Hidden*c.FF, 0.1),
		}
		if c.QKNorm {
			l.qNorm, l.kNorm = gains(c.HeadDim), gains(c.HeadDim)
		}
		m.layers = append(m.layers, l)
	}
	return m
}

func randomIDs(rng *rand.Rand, n, vocab int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = rng.Int32N(int32(vocab))
	}
	return ids
}

// BenchmarkDecode is one core's speed at 200 positions of context, one new id per sequence and step.
func BenchmarkDecode(b *testing.B) {
	for _, batch := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			m := randomModel(bundledShape, 1)
			rng := rand.New(rand.NewPCG(1, 1))
			var s scratch
			caches := make([]kvCache, batch)
			spans := make([]span, batch)
			for i := range caches {
				m.forward(&s, []span{{seq: &caches[i], ids: randomIDs(rng, 200, m.Vocab)}})
				spans[i] = span{seq: &caches[i], ids: randomIDs(rng, 1, m.Vocab), want: wantLast}
			}
			for b.Loop() {
				m.forward(&s, spans)
				for i := range caches {
					caches[i].n = 200
				}
			}
			b.ReportMetric(float64(batch)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

// BenchmarkPrefill is one core's speed at reading a prompt of 512 ids.
func BenchmarkPrefill(b *testing.B) {
	m := randomModel(bundledShape, 1)
	ids := randomIDs(rand.New(rand.NewPCG(1, 1)), 512, m.Vocab)
	var s scratch
	for b.Loop() {
		var kv kvCache
		for at := 0; at < len(ids); at += 128 {
			m.forward(&s, []span{{seq: &kv, ids: ids[at : at+128], want: wantLast}})
		}
	}
	b.ReportMetric(float64(len(ids))*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkMatmul is the kernel alone, at the shape of the gate and up projections.
func BenchmarkMatmul(b *testing.B) {
	const n, rows, tokens = 128, 1152, 16
	w, x, y := make([]float32, n*rows), make([]float32, n*tokens), make([]float32, rows*tokens)
	for b.Loop() {
		matmul(y, rows, w, x, n, rows, tokens)
	}
	b.ReportMetric(float64(n*rows*tokens)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
}
