package credit

import (
	"errors"
	"fmt"
	"slices"
)

// Leaf is a scored rollout as a [Func] sees it.
type Leaf struct {
	// Branch is the nodes of the forest from below the root to the leaf.
	Branch []int
	// Outcome is the leaf's reward and the edge rewards on its path, without
	// discount.
	Outcome float64
	// Tree is that of the leaf's [Node]. Probe says that the leaf has no row:
	// its advantages are not read.
	Tree  int
	Probe bool
}

// Same is one advantage for the whole rollout.
func (l Leaf) Same(a float64) []float64 { return slices.Repeat([]float64{a}, len(l.Branch)) }

// Func is a method of one's own. The options apply to it as to any other: what
// is masked or dropped, how rows are weighed, and the values, which are V of the
// options.
//
// To keep invariant 3 it must give the nodes of an unbranched run one number,
// and must not count nodes.
type Func struct {
	// Name is its ID. Put the parameters into it: it is written to the data.
	Name string
	// Advantages has for each leaf one number per node of its Branch, or nil for
	// a leaf that gets no advantage. It is pure and safe for concurrent use.
	Advantages func(leaves []Leaf, nodes []Node) [][]float64
}

// ID is the name.
func (m Func) ID() string { return m.Name }

// Validate reports a name or function that is missing.
func (m Func) Validate() error {
	if m.Name == "" || m.Advantages == nil {
		return errors.New("a method of one's own needs a name and a function")
	}
	return nil
}

func (m Func) apply(t *tree, _ Options) applied {
	outcomes, leaves := t.outcomes(), make([]Leaf, len(t.leaves))
	for i, l := range t.leaves {
		end := t.nodes[t.origin(l)]
		leaves[i] = Leaf{Outcome: outcomes[i], Tree: end.Tree, Probe: end.Probe}
		for _, k := range t.path(l) {
			leaves[i].Branch = append(leaves[i].Branch, t.knots[k].run...)
		}
	}
	rows := m.Advantages(slices.Clone(leaves), slices.Clone(t.nodes))
	if len(rows) != len(leaves) {
		return applied{err: fmt.Errorf("%d lists of advantages for %d leaves", len(rows), len(leaves))}
	}
	for i, row := range rows {
		if row != nil && len(row) != len(leaves[i].Branch) {
			return applied{err: fmt.Errorf("%d advantages for leaf %d, whose branch has %d nodes", len(row), i, len(leaves[i].Branch))}
		}
	}
	return applied{rows: rows}
}
