package credit

import "fmt"

// GAE is A_λ(e_t, ℓ) = Σ_j (γλ)^j·δ(e_{t+j}) along row ℓ, with the δ of
// [TDPlain] (arXiv 1506.02438, on a tree). λ = 0 is td, λ = 1 is return-to-go
// less V(p). Over the rows through an edge its ω-mean is td for every λ.
type GAE struct {
	Lambda float64 `yaml:"lambda"`
}

// ID is tree.gae(λ).
func (m GAE) ID() string { return fmt.Sprintf("tree.gae(%v)", m.Lambda) }

// Validate reports a λ out of range.
func (m GAE) Validate() error {
	if !(m.Lambda >= 0 && m.Lambda <= 1) {
		return fmt.Errorf("lambda: %v, must be at least 0 and at most 1", m.Lambda)
	}
	return nil
}

func (m GAE) apply(t *tree, o Options) applied {
	deltas := t.deltas(t.values(o), o)
	rows := make([][]float64, len(t.leaves))
	a := make([]float64, len(t.knots))
	for i, l := range t.leaves {
		ahead := 0.0
		for at := l; at != 0; at = t.knots[at].parent {
			ahead = deltas[at] + o.Gamma*m.Lambda*ahead
			a[at] = ahead
		}
		rows[i] = t.expand(l, func(k int) float64 { return a[k] })
	}
	return applied{rows: rows}
}
