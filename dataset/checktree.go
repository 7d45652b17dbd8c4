package dataset

import (
	"math"
	"slices"
	"unicode/utf8"

	"focus/rollout"
)

// checkTree proves what the rows of one tree prove together: nodes form a
// tree, the rows of a rollout belong together, the edges along its branch are
// its rows, and no sampled token has loss twice.
func checkTree(nodes []*Node, samples []*Sample, id rollout.TreeID, into *[]*RefusedError) {
	byNode := checkNodes(nodes, ofTree(id, into))
	trained := map[place]*Sample{}
	for at := 0; at < len(samples); {
		end := at + 1
		for end < len(samples) && samples[end].RolloutID == samples[at].RolloutID {
			end++
		}
		rows := samples[at:end]
		checkRollout(rows, into)
		checkEdges(rows, byNode, into)
		for _, s := range rows {
			checkOwned(s, trained, refusals(s, into))
		}
		at = end
	}
	checkRepeats(samples, into)
}

// checkNodes proves that nodes form one tree; it returns them by id.
func checkNodes(nodes []*Node, say say) map[int32]*Node {
	byNode := make(map[int32]*Node, len(nodes))
	roots := 0
	for _, n := range nodes {
		if byNode[n.Node] != nil || n.Node < 0 {
			say(ErrTree, NoTurn, "node %d is negative or there twice", n.Node)
		}
		byNode[n.Node] = n
		if n.Parent == NoParent {
			roots++
		}
	}
	if roots != 1 {
		say(ErrTree, NoTurn, "%d roots, want 1", roots)
	}
	for _, n := range nodes {
		checkNode(n, byNode[n.Parent], say)
	}
	return byNode
}

func checkNode(n, parent *Node, say say) {
	switch {
	case n.Parent == NoParent && n.Depth != 0:
		say(ErrTree, NoTurn, "root %d has depth %d", n.Node, n.Depth)
	case n.Parent != NoParent && parent == nil:
		say(ErrTree, NoTurn, "node %d has parent %d, which is not there", n.Node, n.Parent)
	case n.Parent != NoParent && n.Depth != parent.Depth+1:
		// Depths that grow by one also rule out a cycle.
		say(ErrTree, NoTurn, "node %d has depth %d, its parent %d has %d", n.Node, n.Depth, n.Parent, parent.Depth)
	}
	if n.Tokens < 0 || int(n.Tokens) > len(n.IDs) || n.Turns < 0 || n.Turns == 0 && len(n.IDs) > 0 {
		say(ErrLength, NoTurn, "node %d: %d sampled tokens in %d turns on an edge of %d ids", n.Node, n.Tokens, n.Turns, len(n.IDs))
	}
	if n.Status == "" {
		say(ErrTree, NoTurn, "node %d has no status", n.Node)
	}
	if failedStatus(n.Status) && n.Reward != nil {
		say(ErrReward, NoTurn, "node %d is %s and has a reward", n.Node, n.Status)
	}
	for _, v := range []*float64{n.Value, n.Prior, n.Reward} {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			say(ErrReward, NoTurn, "node %d has a value, prior or reward of %v", n.Node, *v)
		}
	}
	for _, t := range []string{n.Proposal, n.Allocator, n.Status, n.Server, string(n.Tree)} {
		if !utf8.ValidString(t) {
			say(ErrText, NoTurn, "node %d: %q is not UTF-8", n.Node, t)
		}
	}
}

// failedStatus reports whether a node ended without the right to a reward.
func failedStatus(s string) bool {
	const failed = string(rollout.StopFailed)
	return s == string(rollout.StopCancelled) || s == failed || len(s) > len(failed) && s[:len(failed)+1] == failed+":"
}

// checkRollout proves that the rows of a rollout belong together.
func checkRollout(rows []*Sample, into *[]*RefusedError) {
	first := rows[0]
	for i, s := range rows {
		say := refusals(s, into)
		if int(s.Row) != i || s.IsLastRow != (i == len(rows)-1) {
			say(ErrIdentity, NoTurn, "row %d of %d has number %d and is_last_row %t", i, len(rows), s.Row, s.IsLastRow)
		}
		same := s.GroupID == first.GroupID && s.TaskID == first.TaskID && s.TreeID == first.TreeID &&
			s.Attempt == first.Attempt && s.StopReason == first.StopReason && s.Truncated == first.Truncated &&
			s.OutcomeAdaptive == first.OutcomeAdaptive && (s.Kind == KindProbe) == (first.Kind == KindProbe) &&
			slices.Equal(s.Branch, first.Branch) && equalScores(s, first)
		if !same {
			say(ErrIdentity, NoTurn, "ids, branch, stop or rewards differ from the rollout's first row")
		}
	}
}

func equalScores(a, b *Sample) bool {
	eq := func(x, y *float64) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	return eq(a.Reward, b.Reward) && eq(a.RewardOutcome, b.RewardOutcome) && eq(a.RewardStep, b.RewardStep) && eq(a.Return, b.Return)
}

// checkOwned proves that no turn has loss in two rows of its tree.
func checkOwned(s *Sample, trained map[place]*Sample, say say) {
	for i, t := range s.Info.Turns {
		if t.At+t.N > len(s.LossMask) || t.At < 0 || !slices.Contains(s.LossMask[t.At:t.At+t.N], 1) {
			continue
		}
		at := place{t.Node, t.Turn}
		if other := trained[at]; other != nil {
			say(ErrTrainTwice, i, "turn %d of node %d has loss here and in rollout %s, row %d", t.Turn, t.Node, other.RolloutID, other.Row)
			continue
		}
		trained[at] = s
	}
}

// checkRepeats proves that no rollout comes back after another.
func checkRepeats(samples []*Sample, into *[]*RefusedError) {
	seen := map[rollout.SampleID]bool{}
	for _, s := range samples {
		if seen[s.SampleID] {
			refusals(s, into)(ErrIdentity, NoTurn, "sample_id %s is there twice", s.SampleID)
		}
		seen[s.SampleID] = true
	}
}
