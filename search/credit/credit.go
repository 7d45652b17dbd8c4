package credit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Method is an estimator's formula. Its Validate reports parameters out of
// range.
type Method interface {
	// ID is the name with the parameters, as in tree.td{loo}.
	ID() string
	Validate() error
	// apply credits each leaf of a compressed tree.
	apply(t *tree, o Options) applied
}

// applied is A(e, ℓ): one list per leaf of t.leaves, with one number per
// original node on its path; nil for a leaf that gets no advantage. Values are
// nil when they are those of the options. An error is a method's that is not of
// this package.
type applied struct {
	rows   [][]float64
	values []float64
	err    error
}

// Estimator is a method with its options.
type Estimator struct {
	Method  Method
	Options Options
}

// Credit is what a forest's edges were worth.
type Credit struct {
	Prompt string
	// Nodes has one entry per node of the forest: the credit of edge rows.
	Nodes []NodeCredit
	// Rows has one entry per leaf that is trained, in the order of the leaves in
	// the forest: the credit of leaf rows. Both give the same gradient.
	Rows []Row
	// ZeroSpread says that the outcomes of the prompt (leaf reward and edge
	// rewards together) are all the same; false where nothing was scored.
	ZeroSpread bool
	// Dropped says that the rows were left out for that, by
	// [Options.DropZeroSpread].
	Dropped bool

	forest []Node
}

// NodeCredit is the credit of the edge that leads to a node.
type NodeCredit struct {
	// Value is V of the checkpoint; nil where no leaf below was scored.
	Value *float64
	// Advantage is Σ_ℓ ω_ℓ·A(e,ℓ) / ω_e over the rows through the edge; nil at
	// a root and where no row passes.
	Advantage *float64
	// Omega is ω_e, the sum of ω_ℓ over the rows through the edge.
	Omega float64
	// Leaves is the number of scored leaves at or below.
	Leaves int
	// Masked is a scored leaf that [Options.Overlong] took out.
	Masked bool
}

// Row is the credit of one root-to-leaf line.
type Row struct {
	// Branch is the nodes from below the root to the leaf; Advantages has one
	// number for each.
	Branch     []int
	Advantages []float64
	// Omega is ω_ℓ. Over all rows it sums to 1, less what singleton drop took.
	Omega float64
}

// Validate reports every option and parameter out of range.
func (e Estimator) Validate() error { return errors.Join(e.Options.Validate(), e.Method.Validate()) }

// ID is the method's.
func (e Estimator) ID() string { return e.Method.ID() }

// MarshalJSON is the estimator for the record: {"id": …, "options": {…}}.
func (e Estimator) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID      string  `json:"id"`
		Options Options `json:"options"`
	}{e.ID(), e.Options})
}

// Estimate credits the forest of one prompt. It is an error when the nodes are
// no forest, and when numbers of this size cannot be computed with.
func (e Estimator) Estimate(f Forest) (*Credit, error) {
	if err := e.Validate(); err != nil {
		return nil, fmt.Errorf("estimator %s: %w", e.Method.ID(), err)
	}
	f, masked, err := e.Options.overlong(f)
	if err != nil {
		return nil, err
	}
	t, err := compress(f)
	if err != nil {
		return nil, err
	}
	c := &Credit{
		Prompt: f.Prompt, Nodes: make([]NodeCredit, len(f.Nodes)), forest: f.Nodes,
		ZeroSpread: len(t.leaves) > 0 && equal(t.outcomes()),
	}
	for _, n := range masked {
		c.Nodes[n].Masked = true
	}
	got := e.Method.apply(t, e.Options)
	if got.err != nil {
		return nil, fmt.Errorf("%s of prompt %s: %w", e.ID(), f.Prompt, got.err)
	}
	if got.values == nil {
		got.values = t.values(e.Options)
	}
	c.value(t, got.values)
	if c.Dropped = c.ZeroSpread && e.Options.DropZeroSpread; !c.Dropped {
		c.Rows = t.rows(got.rows, t.omegas(e.Options.Weighting))
	}
	c.join()
	if err := c.check(e.Method); err != nil {
		return nil, err
	}
	return c, nil
}

// rows leaves out probes and what got no advantage.
func (t *tree) rows(as [][]float64, omegas []float64) []Row {
	var out []Row
	for i, l := range t.leaves {
		if as[i] == nil || t.knots[l].trained == 0 {
			continue
		}
		r := Row{Advantages: as[i], Omega: omegas[l]}
		for _, k := range t.path(l) {
			r.Branch = append(r.Branch, t.knots[k].run...)
		}
		out = append(out, r)
	}
	return out
}

// value gives each node its value. Within a run it is that of the end and what
// is still to be earned on the way there.
func (c *Credit) value(t *tree, v []float64) {
	for i := range t.knots {
		k, ahead := &t.knots[i], v[i]
		for j := len(k.run) - 1; j >= 0; j-- {
			n, x := k.run[j], ahead
			c.Nodes[n].Value, c.Nodes[n].Leaves = &x, k.leaves
			ahead += t.nodes[n].EdgeReward
		}
	}
	for i, n := range t.nodes {
		if n.Parent == NoParent && len(t.leaves) > 0 {
			c.Nodes[i].Value = &v[0]
		}
	}
	for _, i := range t.knots[0].children {
		c.Nodes[t.nodes[t.knots[i].run[0]].Parent].Leaves += t.knots[i].leaves
	}
}

// join makes the credit of edges from that of rows.
func (c *Credit) join() {
	as, ws := make([][]float64, len(c.Nodes)), make([][]float64, len(c.Nodes))
	for _, r := range c.Rows {
		for i, n := range r.Branch {
			as[n], ws[n] = append(as[n], r.Advantages[i]), append(ws[n], r.Omega)
		}
	}
	for n := range c.Nodes {
		if len(as[n]) > 0 {
			a := mean(as[n], ws[n])
			c.Nodes[n].Advantage, c.Nodes[n].Omega = &a, sum(ws[n])
		}
	}
}

// check refuses what overflowed.
func (c *Credit) check(m Method) error {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for _, r := range c.Rows {
		for i, a := range r.Advantages {
			if !finite(a) {
				return fmt.Errorf("%s of prompt %s: advantage %v at node %d", m.ID(), c.Prompt, a, r.Branch[i])
			}
		}
	}
	for i, n := range c.Nodes {
		if n.Value != nil && !finite(*n.Value) || n.Advantage != nil && !finite(*n.Advantage) {
			return fmt.Errorf("%s of prompt %s: a value or advantage at node %d is out of range", m.ID(), c.Prompt, i)
		}
	}
	return nil
}
