package credit

import (
	"cmp"
	"math"
	"slices"
)

// sum adds in ascending order, so that the order of siblings moves no bit.
func sum(xs []float64) float64 {
	total := 0.0
	for _, x := range slices.Sorted(slices.Values(xs)) {
		total += x
	}
	return total
}

// mean weighs each x by its w; nil weighs all the same. The mean of equal
// numbers is that number, exactly.
func mean(xs, ws []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	if equal(xs) {
		return xs[0]
	}
	if ws == nil {
		return sum(xs) / float64(len(xs))
	}
	weighed := make([]float64, len(xs))
	for i, x := range xs {
		weighed[i] = ws[i] * x
	}
	return sum(weighed) / sum(ws)
}

func equal(xs []float64) bool {
	for _, x := range xs {
		if x != xs[0] {
			return false
		}
	}
	return true
}

// roundoff is how far apart, relative to the largest of them, numbers that were
// computed may be when they would be equal without rounding.
const roundoff = 1e-12

// snap makes equal what rounding alone set apart: a deviation of rounding
// errors, divided by, would turn noise into an advantage.
func snap(xs []float64) []float64 {
	out, order, size := slices.Clone(xs), make([]int, len(xs)), 0.0
	for i, x := range xs {
		order[i], size = i, max(size, math.Abs(x))
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(xs[i], xs[j]) })
	for at := 1; at < len(order); at++ {
		if below := out[order[at-1]]; out[order[at]]-below <= roundoff*size {
			out[order[at]] = below
		}
	}
	return out
}

// gains are r_pc + γV(c) of the children c of a knot, and the shares of
// their leaves.
func (t *tree) gains(p int, v []float64, gamma float64) (gains, leaves []float64) {
	for _, c := range t.knots[p].children {
		gains = append(gains, t.knots[c].earned+gamma*v[c])
		leaves = append(leaves, float64(t.knots[c].leaves))
	}
	return gains, leaves
}

// values is V per knot: V(ℓ) = R_ℓ, V(p) = Σ_c ω(c|p)·(r_pc + γV(c)).
func (t *tree) values(o Options) []float64 {
	v := make([]float64, len(t.knots))
	for i := len(t.knots) - 1; i >= 0; i-- {
		if t.knots[i].isLeaf() {
			v[i] = t.knots[i].reward
			continue
		}
		gains, leaves := t.gains(i, v, o.Gamma)
		if o.Weighting == ChildMean {
			leaves = nil
		}
		v[i] = mean(gains, leaves)
	}
	return v
}

// deltas is δ(p→c) = r_pc + γV(c) − V(p) per knot c; 0 at the root.
func (t *tree) deltas(v []float64, o Options) []float64 {
	out := make([]float64, len(t.knots))
	for i := 1; i < len(t.knots); i++ {
		k := t.knots[i]
		out[i] = k.earned + o.Gamma*v[i] - v[k.parent]
	}
	return out
}

// omegas is ω per knot over the leaves that have rows: ω_ε = 1, ω_c =
// ω(c|p)·ω_p; 0 where nothing below is trained.
func (t *tree) omegas(w Weighting) []float64 {
	out := make([]float64, len(t.knots))
	for i := range t.knots {
		k := &t.knots[i]
		if i == 0 && k.trained > 0 {
			out[i] = 1
		}
		width := 0
		for _, c := range k.children {
			if t.knots[c].trained > 0 {
				width++
			}
		}
		for _, c := range k.children {
			switch {
			case t.knots[c].trained == 0:
			case w == ChildMean:
				out[c] = out[i] / float64(width)
			default:
				out[c] = out[i] * float64(t.knots[c].trained) / float64(k.trained)
			}
		}
	}
	return out
}
