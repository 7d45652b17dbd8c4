package search

import "strconv"

// treePOSelector works in rounds: the next segment of all paths is planned when
// all of the one before are back, for its forks depend on who ended.
type treePOSelector struct {
	TreePO
	v     *View
	round int
	queue queue
	// out is how many were asked for and are not back.
	out int
	// ended counts rollouts that ended or failed; of them, justEnded in this
	// round.
	ended, justEnded int
	// live are the paths that this round left.
	live []*Node
	// whole are the rollouts that came to an end of their own: what a fallback
	// may cut back.
	whole []NodeID
}

func (s *treePOSelector) Next() (Pick, bool) {
	next, ok := s.queue.Next()
	for !ok && s.out == 0 && s.plan() {
		next, ok = s.queue.Next()
	}
	if ok {
		s.out++
	}
	return next, ok
}

func (s *treePOSelector) Applied(_ Expansion, nodes []*Node) {
	s.out--
	end := nodes[len(nodes)-1]
	if s.v.Room(end) {
		s.live = append(s.live, end)
		return
	}
	s.ended++
	s.justEnded++
	if end.Failure == nil && !end.State.Truncated {
		s.whole = append(s.whole, end.ID)
	}
}

// plan queues the next round; false when the tree is finished.
func (s *treePOSelector) plan() bool {
	live, justEnded := s.live, s.justEnded
	s.live, s.justEnded = nil, 0
	s.round++
	switch {
	case s.round == 1:
		r := s.v.Rand("treepo width")
		s.add(s.v.Tree().Node(Root), min(s.Size, s.FirstMin+r.IntN(s.FirstMax-s.FirstMin+1)))
	case len(live) > 0:
		s.deepen(live, justEnded)
	case s.ended < s.Size:
		s.fallBack()
	}
	return len(s.queue.picks) > 0
}

// deepen shares the children of a segment out over the paths that live. Each
// gets one, so there are never more paths than rollouts are left.
func (s *treePOSelector) deepen(live []*Node, justEnded int) {
	var forking []*Node
	for _, n := range live {
		if n.Depth < s.Depth {
			forking = append(forking, n)
		} else {
			s.add(n, 1)
		}
	}
	if len(forking) == 0 {
		return
	}
	total := min(s.Size-s.ended-len(s.queue.picks), s.Fork*(len(forking)+justEnded))
	for i, k := range apportion(s.weights(forking), max(total, len(forking))) {
		s.add(forking[i], k)
	}
}

// fallBack forks rollouts that ended, in random order, each at a random end of
// one of its segments, the root included; the root alone when there is none.
func (s *treePOSelector) fallBack() {
	r := s.v.Rand("treepo fallback " + strconv.Itoa(s.round))
	rest := s.Size - s.ended
	for i := 0; i < len(s.whole) && rest > 0; {
		j := i + r.IntN(len(s.whole)-i)
		s.whole[i], s.whole[j] = s.whole[j], s.whole[i]
		var cuts []*Node
		for n := range s.v.Tree().Path(s.v.Tree().Node(s.whole[i]).Parent) {
			if n.Depth < s.Depth && s.v.Room(n) {
				cuts = append(cuts, n)
			}
		}
		if len(cuts) == 0 {
			// Widths are never given back: it cannot be cut later either.
			last := len(s.whole) - 1
			s.whole[i] = s.whole[last]
			s.whole = s.whole[:last]
			continue
		}
		k := min(s.Fork, rest)
		s.add(cuts[r.IntN(len(cuts))], k)
		rest -= k
		i++
	}
	if root := s.v.Tree().Node(Root); len(s.queue.picks) == 0 && s.v.Room(root) {
		s.add(root, min(s.Fork, rest))
	}
}

// add queues k children of a node.
func (s *treePOSelector) add(n *Node, k int) {
	pick := Pick{From: n.ID, Decisions: 1}
	if n.Depth >= s.Depth {
		pick.Decisions = 0
	}
	s.queue.add(pick, k)
}
