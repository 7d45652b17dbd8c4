package credit

import "fmt"

// TDForm says how [TD] scales a difference of values.
type TDForm string

const (
	// TDPlain is the difference itself. It shrinks the gradient by (k−1)/k for
	// the k children of the parent, since a child is part of its own baseline.
	TDPlain TDForm = "plain"
	// TDLOO multiplies by k/(k−1): under child-mean that is V(c) less the mean
	// of its siblings, and unbiased.
	TDLOO TDForm = "loo"
	// TDStd divides by eps and the standard deviation of the siblings'
	// r_pc + γV(c).
	TDStd TDForm = "std"
)

// TD is A(p→c) = r_pc + γV(c) − V(p) on the compressed tree (SPO, arXiv
// 2505.23564; VinePPO, arXiv 2410.01679; std: TreeRPO, arXiv 2506.05183 and
// GRPO-MA, arXiv 2509.24494). An only child gets 0 from loo and std, whatever
// the singleton rule.
type TD struct {
	Form TDForm `yaml:"form"`
}

// ID is tree.td{loo} and so on.
func (m TD) ID() string { return fmt.Sprintf("tree.td{%s}", m.Form) }

// Validate reports an unknown form.
func (m TD) Validate() error {
	switch m.Form {
	case TDPlain, TDLOO, TDStd:
		return nil
	}
	return fmt.Errorf("form: %q, must be plain, loo or std", m.Form)
}

func (m TD) apply(t *tree, o Options) applied {
	v := t.values(o)
	a := t.deltas(v, o)
	for p := range t.knots {
		scale := m.scale(t, p, v, o)
		for _, c := range t.knots[p].children {
			a[c] *= scale
		}
	}
	return applied{rows: t.spreadEdges(a)}
}

// scale is what the differences to the children of p are multiplied by.
func (m TD) scale(t *tree, p int, v []float64, o Options) float64 {
	k := float64(len(t.knots[p].children))
	switch {
	case m.Form == TDPlain:
		return 1
	case k < 2:
		return 0
	case m.Form == TDLOO:
		return k / (k - 1)
	}
	gains, _ := t.gains(p, v, o.Gamma)
	_, std := moments(snap(gains), o.DDof)
	if std == 0 {
		return 0
	}
	return 1 / (std + o.Eps)
}
