package credit

import (
	"errors"
	"fmt"
	"math"
)

// Shrunk is [TDPlain] with the values of inner nodes drawn to their parents',
//
//	V̂(n) = (κ·V̂(parent) + Σ_{ℓ∈L(n)} R_ℓ) / (κ + |L(n)|)
//
// so that a node of one leaf is not all noise; leaves keep R (near RTMC, arXiv
// 2604.11037). R counts from the node on: edge rewards below it, and γ. The
// advantages of siblings do not sum to zero; a row's still telescope.
type Shrunk struct {
	// Kappa is the leaves that the parent counts as; at least 0. 0 is leaf-mean.
	Kappa float64 `yaml:"kappa"`
	// Prior stands for the parent of the root: ½, or the mean of the prompt so
	// far. nil is the mean of this forest. It is not read where all rewards are
	// the same and no edge has one: such a forest is worth nothing.
	Prior *float64 `yaml:"prior"`
}

// ID is tree.shrunk(κ) or tree.shrunk(κ,prior).
func (m Shrunk) ID() string {
	if m.Prior == nil {
		return fmt.Sprintf("tree.shrunk(%v)", m.Kappa)
	}
	return fmt.Sprintf("tree.shrunk(%v,%v)", m.Kappa, *m.Prior)
}

// Validate reports parameters out of range.
func (m Shrunk) Validate() error {
	var errs []error
	if !(m.Kappa >= 0 && m.Kappa <= maxParameter) {
		errs = append(errs, fmt.Errorf("kappa: %v, must be a number of at least 0 and at most %g", m.Kappa, maxParameter))
	}
	if m.Prior != nil && !(math.Abs(*m.Prior) <= maxParameter) {
		errs = append(errs, fmt.Errorf("prior: %v, must be a number of at most %g", *m.Prior, maxParameter))
	}
	return errors.Join(errs...)
}

func (m Shrunk) apply(t *tree, o Options) applied {
	o.Weighting = LeafMean
	v := t.values(o)
	if !t.flat(v) {
		m.shrink(t, v)
	}
	return applied{rows: t.spreadEdges(t.deltas(v, o)), values: v}
}

// flat says that no two knots differ in value and no edge has a reward.
func (t *tree) flat(v []float64) bool {
	for _, k := range t.knots {
		if k.earned != 0 {
			return false
		}
	}
	return equal(v)
}

// shrink turns leaf-means into V̂: their sum is the mean times the leaves.
func (m Shrunk) shrink(t *tree, v []float64) {
	above := v[0]
	if m.Prior != nil {
		above = *m.Prior
	}
	for i := range t.knots {
		k := &t.knots[i]
		if k.isLeaf() {
			continue
		}
		if i > 0 {
			above = v[k.parent]
		}
		n := float64(k.leaves)
		v[i] = mean([]float64{above, v[i]}, []float64{m.Kappa, n})
	}
}
