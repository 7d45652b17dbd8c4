package credit

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Term is a method and what it is multiplied by.
type Term struct {
	Weight float64
	Method Method
}

// Combine is Σ_i w_i·A_i, as in [Broadcast] + [TD] (AT²PO's local and global,
// arXiv 2601.04767). All terms have the same options. A row that one term drops
// is dropped; the values are the first term's.
type Combine struct{ Terms []Term }

// ID is combine(w·id + w·id).
func (m Combine) ID() string {
	var parts []string
	for _, x := range m.Terms {
		parts = append(parts, fmt.Sprintf("%v·%s", x.Weight, x.Method.ID()))
	}
	return "combine(" + strings.Join(parts, " + ") + ")"
}

// maxParameter is beyond any weight that is meant: rows hold advantages as
// float32, and a run would be lost when it is written.
const maxParameter = 1e9

// Validate reports no terms, weights that are no numbers, and what is wrong
// with each method.
func (m Combine) Validate() error {
	var errs []error
	if len(m.Terms) == 0 {
		errs = append(errs, errors.New("terms: none"))
	}
	for i, x := range m.Terms {
		if !(math.Abs(x.Weight) <= maxParameter) {
			errs = append(errs, fmt.Errorf("terms[%d].weight: %v, must be a number of at most %g", i, x.Weight, maxParameter))
		}
		if err := x.Method.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("terms[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

func (m Combine) apply(t *tree, o Options) applied {
	var out applied
	for i, x := range m.Terms {
		got := x.Method.apply(t, o)
		if got.err != nil {
			return applied{err: fmt.Errorf("terms[%d]: %w", i, got.err)}
		}
		if i == 0 {
			out.values, out.rows = got.values, t.spreadEdges(make([]float64, len(t.knots)))
		}
		for l := range out.rows {
			if got.rows[l] == nil {
				out.rows[l] = nil
			}
			for j := range out.rows[l] {
				out.rows[l][j] += x.Weight * got.rows[l][j]
			}
		}
	}
	return out
}
