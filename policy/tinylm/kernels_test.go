package tinylm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestExp(t *testing.T) {
	worst := 0.0
	for x := float32(-86.5); x < 88.7; x += 0.00371 {
		want := math.Exp(float64(x))
		worst = max(worst, math.Abs(float64(exp32(x))-want)/want)
	}
	require.Less(t, worst, 2.5e-7, "relative error")
	require.Equal(t, float32(1), exp32(0))
	require.Zero(t, exp32(float32(math.Inf(-1))))
	require.True(t, math.IsInf(float64(exp32(1000)), 1))
	require.True(t, math.IsNaN(float64(exp32(float32(math.NaN())))))
}

// TestMatmulIsTheSameInEveryBlocking compares with the plain sum in ascending order, to the bit.
func TestMatmulIsTheSameInEveryBlocking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rows, tokens := rapid.IntRange(1, 70).Draw(t, "n"), rapid.IntRange(1, 60).Draw(t, "rows"), rapid.IntRange(1, 9).Draw(t, "tokens")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		fill := func(n int) []float32 {
			v := make([]float32, n)
			for i := range v {
				v[i] = float32(rng.NormFloat64())
			}
			return v
		}
		w, x := fill(rows*n), fill(tokens*n)
		y := make([]float32, tokens*(rows+1))
		matmul(y, rows+1, w, x, n, rows, tokens)
		for tok := range tokens {
			for r := range rows {
				var want float32
				for k := range n {
					want += float32(w[r*n+k] * x[tok*n+k])
				}
				require.Equal(t, want, y[tok*(rows+1)+r], "token %d, row %d", tok, r)
			}
			require.Zero(t, y[tok*(rows+1)+rows], "nothing is written between rows")
		}
	})
}

// TestForwardIsTheSameHoweverCut compares the logits of one pass with those of random chunks in random company.
func TestForwardIsTheSameHoweverCut(t *testing.T) {
	m := randomModel(smallShape, 9)
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		ids := randomIDs(rng, rapid.IntRange(1, 50).Draw(t, "length"), m.Vocab)
		var whole, cut kvCache
		want := append([]float32(nil), m.forward(&scratch{}, []span{{seq: &whole, ids: ids, want: wantAll}})...)
		var got []float32
		var s scratch
		for at := 0; at < len(ids); {
			n := rapid.IntRange(1, len(ids)-at).Draw(t, "chunk")
			var before, after kvCache
			spans := []span{
				{seq: &before, ids: randomIDs(rng, 1+rng.IntN(5), m.Vocab)},
				{seq: &cut, ids: ids[at : at+n], want: wantAll},
				{seq: &after, ids: randomIDs(rng, 1+rng.IntN(5), m.Vocab), want: wantLast},
			}
			got = append(got, m.forward(&s, spans)[:n*m.Vocab]...)
			at += n
		}
		require.Equal(t, want, got)
	})
}
