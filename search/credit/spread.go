package credit

// spreadEdges makes one number per knot the rows of all leaves.
func (t *tree) spreadEdges(a []float64) [][]float64 {
	out := make([][]float64, len(t.leaves))
	for i, l := range t.leaves {
		out[i] = t.expand(l, func(k int) float64 { return a[k] })
	}
	return out
}

// spreadLeaves makes one number per leaf the number of its whole row.
func (t *tree) spreadLeaves(a []*float64) [][]float64 {
	out := make([][]float64, len(t.leaves))
	for i, l := range t.leaves {
		if a[i] != nil {
			out[i] = t.expand(l, func(int) float64 { return *a[i] })
		}
	}
	return out
}

// expand is a leaf's row: each original node has the number of its run.
func (t *tree) expand(leaf int, of func(knot int) float64) []float64 {
	row := []float64{}
	for _, k := range t.path(leaf) {
		x := of(k)
		for range t.knots[k].run {
			row = append(row, x)
		}
	}
	return row
}
