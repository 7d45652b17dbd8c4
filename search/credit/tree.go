package credit

// knot is a node of the compressed tree with the edge that leads to it: a run
// of original nodes of which only the last may have more than one child.
type knot struct {
	parent   int
	children []int
	run      []int
	// earned is the sum of the run's edge rewards, without discount: where a
	// run is cut must not matter.
	earned float64
	// reward is the leaf's.
	reward float64
	// leaves and trained count the leaves below, a leaf itself included; probes
	// are not trained.
	leaves, trained int
}

func (k *knot) isLeaf() bool { return len(k.children) == 0 }

// tree is a forest without what was masked, with its roots made one (knot 0)
// and its unbranched runs made edges. Parents come before children.
type tree struct {
	nodes []Node
	knots []knot
	// leaves are the knots with a reward, by index of the original leaf.
	leaves []int
}

// compress deletes masked leaves, and what had no other leaves, then cuts the
// rest into maximal unbranched runs.
func compress(f Forest) (*tree, error) {
	kids, err := f.children()
	if err != nil {
		return nil, err
	}
	kids = alive(f, kids)
	t := &tree{nodes: f.Nodes, knots: []knot{{parent: NoParent}}}
	ends := []int{NoParent}
	for i, n := range f.Nodes {
		if n.Parent == NoParent {
			for _, c := range kids[i] {
				ends = append(ends, t.grow(0, c, kids))
			}
		}
	}
	for at := 1; at < len(t.knots); at++ {
		for _, c := range kids[ends[at]] {
			ends = append(ends, t.grow(at, c, kids))
		}
	}
	t.count(ends)
	return t, nil
}

// alive are the children with a scored leaf at or below them.
func alive(f Forest, kids [][]int) [][]int {
	up := make([]bool, len(f.Nodes))
	for i, n := range f.Nodes {
		for at := i; n.Reward != nil && at != NoParent && !up[at]; at = f.Nodes[at].Parent {
			up[at] = true
		}
	}
	out := make([][]int, len(kids))
	for i := range kids {
		for _, c := range kids[i] {
			if up[c] {
				out[i] = append(out[i], c)
			}
		}
	}
	return out
}

// grow adds the run that starts at an original node; it returns its last node.
func (t *tree) grow(parent, first int, kids [][]int) (end int) {
	k := knot{parent: parent}
	for end = first; ; end = kids[end][0] {
		k.run = append(k.run, end)
		k.earned += t.nodes[end].EdgeReward
		if len(kids[end]) != 1 {
			break
		}
	}
	k.reward = t.nodes[end].reward()
	t.knots[parent].children = append(t.knots[parent].children, len(t.knots))
	t.knots = append(t.knots, k)
	return end
}

func (t *tree) count(ends []int) {
	leafOf := make([]int, len(t.nodes))
	for i := len(t.knots) - 1; i > 0; i-- {
		k := &t.knots[i]
		if k.isLeaf() {
			k.leaves, leafOf[ends[i]] = 1, i
			if !t.nodes[ends[i]].Probe {
				k.trained = 1
			}
		}
		t.knots[k.parent].leaves += k.leaves
		t.knots[k.parent].trained += k.trained
	}
	for _, i := range leafOf {
		if i > 0 {
			t.leaves = append(t.leaves, i)
		}
	}
}

// path is the knots from below the root to a leaf.
func (t *tree) path(leaf int) []int {
	n := 0
	for at := leaf; at != 0; at = t.knots[at].parent {
		n++
	}
	out := make([]int, n)
	for at := leaf; at != 0; at = t.knots[at].parent {
		n--
		out[n] = at
	}
	return out
}

// origin is the original node of a leaf.
func (t *tree) origin(leaf int) int {
	run := t.knots[leaf].run
	return run[len(run)-1]
}

// outcomes is what each leaf was worth: R_ℓ plus the edge rewards on its path,
// without discount.
func (t *tree) outcomes() []float64 {
	got := make([]float64, len(t.knots))
	for i := 1; i < len(t.knots); i++ {
		got[i] = got[t.knots[i].parent] + t.knots[i].earned
	}
	out := make([]float64, len(t.leaves))
	for i, l := range t.leaves {
		out[i] = got[l] + t.knots[l].reward
	}
	return snap(out)
}

// under is, for each knot, the positions in t.leaves of the leaves below it.
func (t *tree) under() [][]int {
	out := make([][]int, len(t.knots))
	for i, l := range t.leaves {
		for at := l; at != NoParent; at = t.knots[at].parent {
			out[at] = append(out[at], i)
		}
	}
	return out
}
