package credit

import "fmt"

// SubgroupForm says what an ancestor counts in [Subgroup].
type SubgroupForm string

const (
	// SubgroupAvg counts every ancestor the same; TreePO's choice.
	SubgroupAvg SubgroupForm = "avg"
	// SubgroupSize counts it by its leaves.
	SubgroupSize SubgroupForm = "size"
)

// Subgroup compares a leaf with the leaves of each of its ancestors g:
// a_{ℓ,g} = R_ℓ − mean_{L(g)} R, and A_ℓ = mean_g a_{ℓ,g} or
// Σ_g |L(g)|·a_{ℓ,g} / Σ_g |L(g)|, at every edge of row ℓ (TreePO, arXiv
// 2508.17445). Ancestors are those of the compressed tree; two with the same
// leaves are one. It need not sum to zero where leaves differ in depth.
//
// TreePO whitens the result over a batch: see [Whiten].
type Subgroup struct {
	Form SubgroupForm `yaml:"form"`
}

// ID is tree.subgroup{avg} or tree.subgroup{size}.
func (m Subgroup) ID() string { return fmt.Sprintf("tree.subgroup{%s}", m.Form) }

// Validate reports an unknown form.
func (m Subgroup) Validate() error {
	if m.Form != SubgroupAvg && m.Form != SubgroupSize {
		return fmt.Errorf("form: %q, must be avg or size", m.Form)
	}
	return nil
}

func (m Subgroup) apply(t *tree, o Options) applied {
	outcomes := t.outcomes()
	means := make([]float64, len(t.knots))
	for k, under := range t.under() {
		rs := make([]float64, len(under))
		for j, i := range under {
			rs[j] = outcomes[i]
		}
		means[k] = mean(rs, nil)
	}
	as := make([]float64, len(t.leaves))
	for i, l := range t.leaves {
		var gaps, sizes []float64
		for g := t.knots[l].parent; g != NoParent; g = t.knots[g].parent {
			if g != 0 && t.knots[g].leaves == t.knots[0].leaves {
				continue
			}
			gaps, sizes = append(gaps, outcomes[i]-means[g]), append(sizes, float64(t.knots[g].leaves))
		}
		if m.Form == SubgroupAvg {
			sizes = nil
		}
		as[i] = mean(gaps, sizes)
	}
	return applied{rows: t.spreadLeaves(pointers(as))}
}
