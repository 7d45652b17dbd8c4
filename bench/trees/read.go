package trees

import (
	"cmp"
	"fmt"
	"slices"

	"focus/dataset"
	"focus/rollout"
	"focus/search/credit"
)

// Task is what the search of one task cost and got.
type Task struct {
	ID rollout.TaskID
	// Tokens were sampled on all edges.
	Tokens int
	// Leaves are the trained rollouts that have a score, in the order they were
	// asked for.
	Leaves []Leaf
	// Effective is the number of independent rollouts that the leaves weigh
	// like: (Σω)²/Σω² under child-mean (tree-rl.md §7).
	Effective float64
}

// Leaf is a rollout.
type Leaf struct {
	Node   int32
	Reward float64
	// Reply is the ids that were sampled last, without a break.
	Reply string
	// Tokens were sampled on the rollout's own edge, the last.
	Tokens int
}

// Read gathers the tasks of a run.
func Read(dir string) (map[rollout.TaskID]*Task, error) {
	run, err := dataset.Read(dir)
	if err != nil {
		return nil, err
	}
	forests, edges := map[rollout.TreeID]*credit.Forest{}, map[rollout.TreeID][]int{}
	for n, err := range run.Nodes() {
		if err != nil {
			return nil, err
		}
		f := forests[n.Tree]
		if f == nil {
			f = &credit.Forest{}
			forests[n.Tree] = f
		}
		if int(n.Node) != len(f.Nodes) {
			return nil, fmt.Errorf("tree %s of %s: node %d is not the next of its rows", n.Tree, dir, n.Node)
		}
		f.Nodes = append(f.Nodes, credit.Node{Parent: int(n.Parent), Turns: int(n.Turns), Tokens: int(n.Tokens)})
		edges[n.Tree] = append(edges[n.Tree], int(n.Tokens))
	}
	out, trees := map[rollout.TaskID]*Task{}, map[rollout.TaskID]rollout.TreeID{}
	for s, err := range run.Samples() {
		if err != nil {
			return nil, err
		}
		t := out[s.TaskID]
		if t == nil {
			t = &Task{ID: s.TaskID}
			out[s.TaskID], trees[s.TaskID] = t, s.TreeID
		}
		if !s.Valid || !s.IsLastRow || s.Reward == nil {
			continue
		}
		leaf := s.Branch[len(s.Branch)-1]
		t.Leaves = append(t.Leaves, Leaf{Node: leaf, Reward: *s.Reward, Reply: reply(s), Tokens: edges[s.TreeID][leaf]})
		reward := *s.Reward
		forests[s.TreeID].Nodes[leaf].Reward = &reward
	}
	for id, t := range out {
		f := forests[trees[id]]
		for _, n := range edges[trees[id]] {
			t.Tokens += n
		}
		slices.SortFunc(t.Leaves, func(a, b Leaf) int { return cmp.Compare(a.Node, b.Node) })
		c, err := credit.Estimator{Method: credit.TD{Form: credit.TDPlain}, Options: credit.DefaultOptions()}.Estimate(*f)
		if err != nil {
			return nil, fmt.Errorf("task %s of %s: %w", id, dir, err)
		}
		t.Effective = c.Stats().EffectiveLeaves
	}
	return out, nil
}

// reply is the last unbroken stretch of sampled ids.
func reply(s *dataset.Sample) string {
	end := len(s.SampledMask)
	for end > 0 && s.SampledMask[end-1] == 0 {
		end--
	}
	from := end
	for from > 0 && s.SampledMask[from-1] == 1 {
		from--
	}
	return fmt.Sprint(s.TokenIDs[from:end])
}
