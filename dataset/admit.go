package dataset

import (
	"errors"
	"fmt"
	"slices"

	"focus/rollout"
)

// maxRowBytes keeps the int32 offsets of a batch of one row from overflowing.
const maxRowBytes = 1 << 30

// maxRefusals is how many reasons one refused group is given.
const maxRefusals = 8

// admit runs every check on a group and returns the info column of its rows.
func (w *Writer) admit(r Rows) ([][]byte, error) {
	var found []*RefusedError
	trees := splitTrees(r, &found)
	for _, t := range trees {
		if w.trees[t.id] {
			ofTree(t.id, &found)(ErrTrainTwice, NoTurn, "the tree is in the run already, in an earlier group")
		}
		for _, s := range t.samples {
			checkSample(s, refusals(s, &found))
		}
		checkTree(t.nodes, t.samples, t.id, &found)
	}
	infos := make([][]byte, 0, len(r.Samples))
	for _, s := range r.Samples {
		info, err := marshal(s.Info)
		if err != nil {
			refusals(s, &found)(ErrText, NoTurn, "info: %v", err)
		}
		if n := s.bytes(info); n > maxRowBytes {
			refusals(s, &found)(ErrLength, NoTurn, "the row takes %d bytes, more than %d", n, maxRowBytes)
		}
		infos = append(infos, info)
	}
	return infos, joinRefusals(found)
}

func joinRefusals(found []*RefusedError) error {
	var errs []error
	for _, e := range found[:min(len(found), maxRefusals)] {
		errs = append(errs, e)
	}
	if more := len(found) - len(errs); more > 0 {
		errs = append(errs, fmt.Errorf("and %d more", more))
	}
	return errors.Join(errs...)
}

// treeRows are the rows of one tree.
type treeRows struct {
	id      rollout.TreeID
	nodes   []*Node
	samples []*Sample
}

// splitTrees cuts a group by tree and finds rows that have no place.
func splitTrees(r Rows, found *[]*RefusedError) []treeRows {
	var out []treeRows
	samples := r.Samples
	for at := 0; at < len(r.Nodes); {
		id := r.Nodes[at].Tree
		end := at
		for end < len(r.Nodes) && r.Nodes[end].Tree == id {
			end++
		}
		if slices.ContainsFunc(out, func(t treeRows) bool { return t.id == id }) {
			ofTree(id, found)(ErrTree, NoTurn, "its nodes are not together")
		}
		t := treeRows{id: id, nodes: r.Nodes[at:end]}
		t.samples, samples = cutTree(samples, id)
		out = append(out, t)
		at = end
	}
	for _, s := range samples {
		refusals(s, found)(ErrTree, NoTurn, "its tree has no nodes in the group, or its rows are not in the order of the nodes")
	}
	return out
}

// cutTree splits off the leading samples of a tree.
func cutTree(samples []*Sample, id rollout.TreeID) (mine, rest []*Sample) {
	n := 0
	for n < len(samples) && samples[n].TreeID == id {
		n++
	}
	return samples[:n], samples[n:]
}
