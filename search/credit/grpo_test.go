package credit

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func rewards(xs ...float64) []*float64 {
	out := make([]*float64, len(xs))
	for i := range xs {
		if !math.IsNaN(xs[i]) {
			out[i] = &xs[i]
		}
	}
	return out
}

func values(as []*float64) []float64 {
	out := make([]float64, len(as))
	for i, a := range as {
		out[i] = math.NaN()
		if a != nil {
			out[i] = *a
		}
	}
	return out
}

func TestGRPO(t *testing.T) {
	nan := math.NaN()
	ddof1 := GRPO{DDof: 1, Singleton: SingletonZero}
	for _, tc := range []struct {
		name string
		g    GRPO
		in   []float64
		want []float64
	}{
		{"ddof 1", ddof1, []float64{1, 0}, []float64{math.Sqrt2 / 2, -math.Sqrt2 / 2}},
		{"ddof 0", GRPO{Singleton: SingletonZero}, []float64{1, 0}, []float64{1, -1}},
		{"one of four, ddof 1", ddof1, []float64{1, 0, 0, 0}, []float64{1.5, -0.5, -0.5, -0.5}},
		{"eps joins the deviation", GRPO{DDof: 0, Eps: 0.5, Singleton: SingletonZero}, []float64{1, 0}, []float64{0.5, -0.5}},
		{"no spread", DefaultGRPO(), []float64{0.1, 0.1, 0.1}, []float64{0, 0, 0}},
		{"unscored rollout moves no baseline", ddof1, []float64{1, nan, 0}, []float64{math.Sqrt2 / 2, nan, -math.Sqrt2 / 2}},
		{"singleton zero", ddof1, []float64{nan, 1}, []float64{nan, 0}},
		{"singleton raw", GRPO{Singleton: SingletonRaw}, []float64{0.7}, []float64{0.7}},
		{"singleton drop", GRPO{Singleton: SingletonDrop}, []float64{0.7}, []float64{nan}},
		{"nobody scored", ddof1, []float64{nan, nan}, []float64{nan, nan}},
		{"empty", ddof1, nil, []float64{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := values(tc.g.Advantages(rewards(tc.in...)))
			require.Len(t, got, len(tc.want))
			for i := range got {
				if math.IsNaN(tc.want[i]) {
					require.Truef(t, math.IsNaN(got[i]), "advantage %d of %v: got %v, want none", i, tc.in, got[i])
					continue
				}
				require.InDeltaf(t, tc.want[i], got[i], 1e-12, "advantage %d of %v", i, tc.in)
			}
		})
	}
}

// The bounds are those of the reference: |A| ≤ (n−1)/√n with ddof 1.
func TestGRPOLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-10, 10), 2, 16).Draw(t, "rewards")
		g := GRPO{DDof: 1, Singleton: SingletonZero}
		as := values(g.Advantages(rewards(xs...)))
		sum, n := 0.0, float64(len(xs))
		for _, a := range as {
			sum += a
			if math.Abs(a) > (n-1)/math.Sqrt(n)+1e-9 {
				t.Fatalf("advantage %v of %v is out of bounds", a, xs)
			}
		}
		if math.Abs(sum) > 1e-9*n {
			t.Fatalf("advantages of %v sum to %v", xs, sum)
		}
		a, b := rapid.Float64Range(0.5, 4).Draw(t, "a"), rapid.Float64Range(-3, 3).Draw(t, "b")
		moved := make([]float64, len(xs))
		for i, x := range xs {
			moved[i] = a*x + b
		}
		_, spread := moments(xs, 1)
		for i, v := range values(g.Advantages(rewards(moved...))) {
			if spread > 1e-6 && math.Abs(v-as[i]) > 1e-6 {
				t.Fatalf("advantage %d of %v: %v, after R→%v·R%+v: %v", i, xs, as[i], a, b, v)
			}
		}
	})
}

func TestGRPOValidate(t *testing.T) {
	require.NoError(t, DefaultGRPO().Validate())
	for _, g := range []GRPO{{DDof: 2, Singleton: SingletonZero}, {Eps: -1, Singleton: SingletonZero}, {Singleton: "some"}} {
		require.Error(t, g.Validate(), "%+v", g)
	}
}
