package dataset

import "slices"

// checkEdges proves that the edges along the branch of a rollout, joined, are
// its rows, joined: each row holds what its nodes say was seen and sampled.
func checkEdges(rows []*Sample, nodes map[int32]*Node, into *[]*RefusedError) {
	first := rows[0]
	say := refusals(first, into)
	var edges []*Node
	parent := NoParent
	for _, id := range first.Branch {
		n := nodes[id]
		if n == nil || n.Parent != parent {
			say(ErrTree, NoTurn, "branch %v does not follow the tree at node %d", first.Branch, id)
			return
		}
		edges = append(edges, n)
		parent = id
	}
	if len(edges) == 0 {
		say(ErrTree, NoTurn, "the branch is empty")
		return
	}
	leaf := edges[len(edges)-1]
	if (leaf.Reward == nil) != (first.Reward == nil) || leaf.Reward != nil && *leaf.Reward != *first.Reward {
		say(ErrReward, NoTurn, "the reward differs from that of node %d", leaf.Node)
	}
	joinTurns(rows, edges, into)
	joinEdges(rows, edges, into)
}

// joinTurns proves that the turns of a rollout's rows are all the turns of its
// edges, in order. So a turn's node and place name one turn of the tree, and
// cannot be made up to have loss twice.
func joinTurns(rows []*Sample, edges []*Node, into *[]*RefusedError) {
	k, turn, sampled := 0, 0, 0
	for _, s := range rows {
		say := refusals(s, into)
		for i, t := range s.Info.Turns {
			for k < len(edges) && turn == int(edges[k].Turns) {
				if sampled != int(edges[k].Tokens) {
					say(ErrTree, i, "the turns of node %d sampled %d tokens, its row says %d", edges[k].Node, sampled, edges[k].Tokens)
				}
				k, turn, sampled = k+1, 0, 0
			}
			if k == len(edges) || t.Node != edges[k].Node || t.Turn != turn {
				say(ErrTree, i, "turn %d of node %d is not the next on branch %v", t.Turn, t.Node, s.Branch)
				return
			}
			turn, sampled = turn+1, sampled+t.N
		}
	}
	left := -turn
	for ; k < len(edges); k++ {
		left += int(edges[k].Turns)
	}
	if left != 0 {
		refusals(rows[len(rows)-1], into)(ErrTree, NoTurn, "%d turns of branch %v are in no row", left, rows[0].Branch)
	}
}

// joinEdges walks rows and edges side by side.
func joinEdges(rows []*Sample, edges []*Node, into *[]*RefusedError) {
	k, off := 0, 0
	for _, s := range rows {
		rest := s.TokenIDs
		for len(rest) > 0 {
			for k < len(edges) && off == len(edges[k].IDs) {
				k, off = k+1, 0
			}
			if k == len(edges) {
				refusals(s, into)(ErrPrefix, NoTurn, "the edges along branch %v end %d tokens before the row does", s.Branch, len(rest))
				return
			}
			part := edges[k].IDs[off:]
			n := min(len(part), len(rest))
			if !slices.Equal(part[:n], rest[:n]) {
				refusals(s, into)(ErrPrefix, NoTurn, "tokens [%d, %d) differ from the edge of node %d", len(s.TokenIDs)-len(rest), len(s.TokenIDs)-len(rest)+n, edges[k].Node)
				return
			}
			rest, off = rest[n:], off+n
		}
	}
	for k < len(edges) && off == len(edges[k].IDs) {
		k, off = k+1, 0
	}
	if k < len(edges) {
		last := rows[len(rows)-1]
		refusals(last, into)(ErrPrefix, NoTurn, "the edge of node %d goes on after the last row", edges[k].Node)
	}
}
