package credit

import "math"

// TreeRL is TreeRL's process reward, in the paper's form (arXiv 2506.11902):
// with R̃ the RLOO of the leaves and V the mean of R̃ over the leaves below,
// whatever the weighting of the options,
//
//	A(n) = (V(n) − V(ε) + V(n) − V(parent)) / √|L(n)|
//
// On independent rollouts it is 2·rloo. The values it reports are those of the
// options, of R and not of R̃.
type TreeRL struct{}

// ID is tree.rl.
func (TreeRL) ID() string { return "tree.rl" }

// Validate has nothing to report.
func (TreeRL) Validate() error { return nil }

func (TreeRL) apply(t *tree, o Options) applied {
	leaf := BaseRLOO.advantages(t.outcomes(), o)
	v, a := make([]float64, len(t.knots)), make([]float64, len(t.knots))
	for k, under := range t.under() {
		var rs []float64
		for _, i := range under {
			if leaf[i] == nil {
				return applied{rows: make([][]float64, len(t.leaves))}
			}
			rs = append(rs, *leaf[i])
		}
		v[k] = mean(rs, nil)
		if k > 0 {
			a[k] = (2*v[k] - v[0] - v[t.knots[k].parent]) / math.Sqrt(float64(t.knots[k].leaves))
		}
	}
	return applied{rows: t.spreadEdges(a)}
}
