package dataset

import (
	"iter"
	"maps"
	"slices"

	"focus/rollout"
)

// pair walks the samples and nodes of one number side by side, a tree at a
// time: both hold the same trees in the same order.
type pair struct {
	v                        *verifier
	samplesShard, nodesShard Shard
	kinds                    map[Kind]int
	// failed is the file that could not be read.
	failed string

	// read counts the samples so far; rowOf has their place in the file.
	read  int
	rowOf map[*Sample]int
}

func (p *pair) walk() error {
	nextNode, stopNodes := iter.Pull2(p.nodes())
	defer stopNodes()
	nextSample, stopSamples := iter.Pull2(p.samples())
	defer stopSamples()
	node, nerr, haveNode := nextNode()
	sample, serr, haveSample := nextSample()
	for haveNode || haveSample {
		if err := p.check(nerr, serr); err != nil {
			return err
		}
		t := treeRows{}
		if haveNode {
			t.id = node.Tree
		}
		p.rowOf = map[*Sample]int{}
		for haveNode && nerr == nil && node.Tree == t.id {
			t.nodes = append(t.nodes, node)
			node, nerr, haveNode = nextNode()
		}
		// Without nodes left, what remains is misplaced and reported as such.
		for haveSample && serr == nil && (sample.TreeID == t.id || len(t.nodes) == 0) {
			p.rowOf[sample] = p.read - 1
			t.samples = append(t.samples, sample)
			sample, serr, haveSample = nextSample()
		}
		p.tree(t)
	}
	if p.samplesShard.Name != "" && !maps.Equal(p.kinds, p.samplesShard.Kinds) {
		p.v.problem(p.samplesShard.Name, -1, checkCounts, "rows by kind are %v, the manifest says %v", p.kinds, p.samplesShard.Kinds)
	}
	return p.check(nerr, serr)
}

func (p *pair) check(nerr, serr error) error {
	if nerr != nil {
		p.failed = p.nodesShard.Name
		return nerr
	}
	if serr != nil {
		p.failed = p.samplesShard.Name
	}
	return serr
}

// nodes yields the rows of the nodes shard and counts them.
func (p *pair) nodes() iter.Seq2[*Node, error] {
	return func(yield func(*Node, error) bool) {
		if p.nodesShard.Name == "" {
			return
		}
		for n, err := range rowsIn(p.v.run, tableNodes, p.nodesShard, readNode) {
			if err == nil {
				p.v.report.Nodes++
				p.v.digest.addNode(n)
			}
			if !yield(n, err) {
				return
			}
		}
	}
}

// samples yields the rows of the samples shard and counts them.
func (p *pair) samples() iter.Seq2[*Sample, error] {
	return func(yield func(*Sample, error) bool) {
		if p.samplesShard.Name == "" {
			return
		}
		for s, err := range rowsIn(p.v.run, tableSamples, p.samplesShard, readSample) {
			if err == nil {
				err = p.count(s)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

func (p *pair) count(s *Sample) error {
	r := &p.v.report
	p.kinds[s.Kind]++
	r.Kinds[s.Kind]++
	r.Samples++
	r.Tokens += int64(len(s.TokenIDs))
	for i, m := range s.SampledMask {
		r.SampledTokens += int64(m)
		if i < len(s.LossMask) {
			r.LossTokens += int64(s.LossMask[i])
		}
	}
	p.v.ids.Write(appendIDs(nil, s.TokenIDs))
	p.read++
	return p.v.digest.addSample(s)
}

// tree runs every check on the rows of one tree.
func (p *pair) tree(t treeRows) {
	var found []*RefusedError
	if len(t.nodes) == 0 {
		for _, s := range t.samples {
			refusals(s, &found)(ErrTree, NoTurn, "its tree has no nodes, or its rows are not in the order of the nodes")
		}
	}
	if len(t.nodes) > 0 && p.v.trees[t.id] {
		ofTree(t.id, &found)(ErrTrainTwice, NoTurn, "the tree is in the run already")
	}
	for _, s := range t.samples {
		say := refusals(s, &found)
		checkSample(s, say)
		if text, err := marshal(s.Info); err != nil || string(text) != s.infoText {
			say(ErrText, NoTurn, "info is not in the form that focus writes")
		}
	}
	if len(t.nodes) > 0 {
		p.v.trees[t.id] = true
		checkTree(t.nodes, t.samples, t.id, &found)
	}
	p.rollouts(t, &found)
	for _, e := range found {
		p.report(t, e)
	}
}

// rollouts counts, and proves that no rollout is in two trees.
func (p *pair) rollouts(t treeRows, found *[]*RefusedError) {
	leaves := map[int32]bool{}
	here := map[rollout.RolloutID]bool{}
	for _, s := range t.samples {
		p.v.groups[s.GroupID] = true
		if len(s.Branch) > 0 {
			leaves[s.Branch[len(s.Branch)-1]] = true
		}
		if here[s.RolloutID] {
			continue
		}
		here[s.RolloutID] = true
		if p.v.rollouts[s.RolloutID] {
			refusals(s, found)(ErrIdentity, NoTurn, "the rollout is in another tree too")
		}
		p.v.rollouts[s.RolloutID] = true
		switch {
		case !s.StopReason.Scored():
			p.v.report.Failed++
		case s.Reward == nil:
			p.v.report.Unscored++
		}
	}
	for _, n := range t.nodes {
		if failedStatus(n.Status) && !leaves[n.Node] {
			p.v.report.Failed++
			p.v.report.Rollouts++
		}
	}
}

// report names the file and the row of what was found.
func (p *pair) report(t treeRows, e *RefusedError) {
	file, row := p.nodesShard.Name, -1
	if e.Row >= 0 {
		file = p.samplesShard.Name
		i := slices.IndexFunc(t.samples, func(s *Sample) bool { return s.RolloutID == e.Rollout && int(s.Row) == e.Row })
		if i >= 0 {
			row = p.rowOf[t.samples[i]]
		}
	}
	p.v.problem(file, row, e.Err.Error(), "%v", e)
}
