package credit

import "fmt"

// TreeGRPOForm says how the two levels of [TreeGRPO] meet.
type TreeGRPOForm string

const (
	// TreeGRPOSum is z_tree(R) + z_prompt(R), the paper's. A tree of one leaf
	// adds 0 to it, whatever the singleton rule.
	TreeGRPOSum TreeGRPOForm = "sum"
	// TreeGRPOSeq is z_tree(z_prompt(R)), the released code's: z undoes any
	// affine map, so that it is intra but for trees of one leaf, which keep
	// z_prompt whatever the singleton rule.
	TreeGRPOSeq TreeGRPOForm = "seq"
	// TreeGRPOIntra is z_tree(R).
	TreeGRPOIntra TreeGRPOForm = "intra"
	// TreeGRPOInter is z_prompt(R).
	TreeGRPOInter TreeGRPOForm = "inter"
)

// TreeGRPO compares a leaf with those of its [Node.Tree] and with those of its
// prompt, z being that of [GRPO] (Tree-GRPO, arXiv 2509.21240). Every edge of
// row ℓ gets A_ℓ.
type TreeGRPO struct {
	Form TreeGRPOForm `yaml:"form"`
}

// ID is tree.grpo{sum} and so on.
func (m TreeGRPO) ID() string { return fmt.Sprintf("tree.grpo{%s}", m.Form) }

// Validate reports an unknown form.
func (m TreeGRPO) Validate() error {
	switch m.Form {
	case TreeGRPOSum, TreeGRPOSeq, TreeGRPOIntra, TreeGRPOInter:
		return nil
	}
	return fmt.Errorf("form: %q, must be sum, seq, intra or inter", m.Form)
}

func (m TreeGRPO) apply(t *tree, o Options) applied {
	outcomes := t.outcomes()
	inter := BaseGRPO.advantages(outcomes, o)
	var as []*float64
	switch m.Form {
	case TreeGRPOInter:
		as = inter
	case TreeGRPOIntra:
		as = t.within(pointers(outcomes), o)
	case TreeGRPOSeq:
		o.Singleton = SingletonRaw
		as = t.within(inter, o)
	default:
		o.Singleton = SingletonZero
		as = t.within(pointers(outcomes), o)
		for i := range as {
			as[i] = add(as[i], inter[i])
		}
	}
	return applied{rows: t.spreadLeaves(as)}
}

// within is z over the leaves of each tree.
func (t *tree) within(xs []*float64, o Options) []*float64 {
	trees := map[int][]int{}
	for i, l := range t.leaves {
		id := t.nodes[t.origin(l)].Tree
		trees[id] = append(trees[id], i)
	}
	out := make([]*float64, len(xs))
	for _, members := range trees {
		group := make([]*float64, len(members))
		for j, i := range members {
			group[j] = xs[i]
		}
		for j, a := range o.group().Advantages(group) {
			out[members[j]] = a
		}
	}
	return out
}

// add is nil when either has no advantage.
func add(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	x := *a + *b
	return &x
}
