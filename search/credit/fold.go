package credit

import (
	"errors"
	"fmt"
	"math"
)

// FoldShape adds what an edge did to its context to what its rollout was worth:
//
//	A(e, ℓ) = (clip(R_ℓ + Q_e, Lo, Hi) − μ) / (σ + eps)
//
// with Q_e the [Node.Shaping] of the original edge and μ, σ over the outcomes of
// the prompt's rollouts, however many rows each has (FoldGRPO, arXiv
// 2510.11967). With [BaseDrGRPO] σ is left out. Where all outcomes are the same
// every A is 0, whatever Q.
type FoldShape struct {
	// Base is grpo or drgrpo.
	Base Base `yaml:"base"`
	// Lo and Hi bound R + Q; the paper's are 0 and 1.
	Lo float64 `yaml:"lo"`
	Hi float64 `yaml:"hi"`
}

// DefaultFoldShape is the paper's: grpo, between 0 and 1.
func DefaultFoldShape() FoldShape { return FoldShape{Base: BaseGRPO, Lo: 0, Hi: 1} }

// ID is fold.shape{grpo}(lo,hi) or fold.shape{drgrpo}(lo,hi).
func (m FoldShape) ID() string { return fmt.Sprintf("fold.shape{%s}(%v,%v)", m.Base, m.Lo, m.Hi) }

// Validate reports parameters out of range.
func (m FoldShape) Validate() error {
	var errs []error
	if m.Base != BaseGRPO && m.Base != BaseDrGRPO {
		errs = append(errs, fmt.Errorf("base: %q, must be grpo or drgrpo", m.Base))
	}
	if !(m.Lo < m.Hi) || math.IsInf(m.Hi-m.Lo, 0) {
		errs = append(errs, fmt.Errorf("hi: %v, must be a number above lo, %v", m.Hi, m.Lo))
	}
	return errors.Join(errs...)
}

func (m FoldShape) apply(t *tree, o Options) applied {
	outcomes := t.outcomes()
	mid, scale, ok := m.moments(outcomes, o)
	rows := make([][]float64, len(t.leaves))
	for i, l := range t.leaves {
		if !ok {
			continue
		}
		for _, k := range t.path(l) {
			for _, n := range t.knots[k].run {
				r := min(max(outcomes[i]+t.nodes[n].Shaping, m.Lo), m.Hi)
				rows[i] = append(rows[i], (r-mid)*scale)
			}
		}
	}
	return applied{rows: rows}
}

// moments are the mean and what to multiply by; not ok when a group of one is
// dropped.
func (m FoldShape) moments(outcomes []float64, o Options) (mid, scale float64, ok bool) {
	if len(outcomes) == 1 {
		switch o.Singleton {
		case SingletonDrop:
			return 0, 0, false
		case SingletonRaw:
			return 0, 1, true
		}
		return 0, 0, true
	}
	mid, std := moments(outcomes, o.DDof)
	switch {
	case std == 0:
		return mid, 0, true
	case m.Base == BaseDrGRPO:
		return mid, 1, true
	}
	return mid, 1 / (std + o.Eps), true
}
