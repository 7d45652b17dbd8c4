package credit

import "fmt"

// Base is a baseline over the leaves of a prompt. R is a leaf's outcome: its
// reward and the edge rewards on its path, without discount.
type Base string

const (
	// BaseGRPO is A_i = (R_i − mean)/(std + eps); see [GRPO].
	BaseGRPO Base = "grpo"
	// BaseDrGRPO is A_i = R_i − mean (Dr. GRPO, arXiv 2503.20783).
	BaseDrGRPO Base = "drgrpo"
	// BaseRLOO is A_i = R_i − mean of the others = n/(n−1)·(R_i − mean) (RLOO,
	// arXiv 2402.14740).
	BaseRLOO Base = "rloo"
)

// Validate reports an unknown baseline.
func (b Base) Validate() error {
	switch b {
	case BaseGRPO, BaseDrGRPO, BaseRLOO:
		return nil
	}
	return fmt.Errorf("base: %q, must be grpo, drgrpo or rloo", b)
}

// advantages has one number per outcome, or nil for a group of one that is
// dropped.
func (b Base) advantages(outcomes []float64, o Options) []*float64 {
	g := o.group()
	if b == BaseGRPO || len(outcomes) == 1 {
		return g.Advantages(pointers(outcomes))
	}
	mid, scale := mean(outcomes, nil), 1.0
	if n := float64(len(outcomes)); b == BaseRLOO {
		scale = n / (n - 1)
	}
	out := make([]float64, len(outcomes))
	for i, r := range outcomes {
		out[i] = scale * (r - mid)
	}
	return pointers(out)
}

func pointers(xs []float64) []*float64 {
	out := make([]*float64, len(xs))
	for i := range xs {
		out[i] = &xs[i]
	}
	return out
}

// Chain is the baseline of independent rollouts: A_ℓ at every token of rollout
// ℓ. On a tree it is [Broadcast].
type Chain struct{ Base Base }

// ID is chain.grpo, chain.drgrpo or chain.rloo.
func (m Chain) ID() string { return "chain." + string(m.Base) }

// Validate reports an unknown baseline.
func (m Chain) Validate() error { return m.Base.Validate() }

func (m Chain) apply(t *tree, o Options) applied { return Broadcast(m).apply(t, o) }

// Broadcast gives every edge of row ℓ the base's A_ℓ (ARPO soft, arXiv
// 2507.19849; MemAgent, arXiv 2507.02259; ReSum, arXiv 2509.13313).
type Broadcast struct {
	Base Base `yaml:"base"`
}

// ID is leaf.broadcast{grpo} and so on.
func (m Broadcast) ID() string { return fmt.Sprintf("leaf.broadcast{%s}", m.Base) }

// Validate reports an unknown baseline.
func (m Broadcast) Validate() error { return m.Base.Validate() }

func (m Broadcast) apply(t *tree, o Options) applied {
	return applied{rows: t.spreadLeaves(m.Base.advantages(t.outcomes(), o))}
}

// Redistribute is A(e) = Σ_{ℓ∈e} ω_ℓ·A_ℓ / ω_e, the same in all rows through e
// (ARPO hard, arXiv 2507.19849; TreeAdv, arXiv 2601.03703).
type Redistribute struct {
	Base Base `yaml:"base"`
}

// ID is leaf.redistribute{grpo} and so on.
func (m Redistribute) ID() string { return fmt.Sprintf("leaf.redistribute{%s}", m.Base) }

// Validate reports an unknown baseline.
func (m Redistribute) Validate() error { return m.Base.Validate() }

func (m Redistribute) apply(t *tree, o Options) applied {
	leaf := m.Base.advantages(t.outcomes(), o)
	omegas := t.omegas(o.Weighting)
	edges := make([]float64, len(t.knots))
	for k, under := range t.under() {
		var as, ws []float64
		for _, i := range under {
			if w := omegas[t.leaves[i]]; leaf[i] != nil && w > 0 {
				as, ws = append(as, *leaf[i]), append(ws, w)
			}
		}
		edges[k] = mean(as, ws)
	}
	rows := t.spreadEdges(edges)
	for i := range rows {
		if leaf[i] == nil {
			rows[i] = nil
		}
	}
	return applied{rows: rows}
}
