package search

import (
	"math"
	"slices"
	"strconv"

	"focus/rollout"
)

// Open starts a pass: what is in the tree already is the first rollout of a root
// split.
func (c ARPO) Open(v *View) Selector {
	s := &arpoSelector{ARPO: c, v: v}
	for n := range v.Tree().Leaves() {
		if n.State.Done() {
			s.started++
		}
	}
	roots := c.Roots
	if c.RootSplit > 0 {
		roots = s.measure()
	}
	for s.started < roots {
		s.start(Pick{From: Root, Decisions: 1})
	}
	for n := range v.Tree().Nodes() {
		s.try(n)
	}
	s.close()
	return s
}

// arpoSelector lets every path go on by itself: a path does not wait for others.
type arpoSelector struct {
	ARPO
	v     *View
	queue []Pick
	// asked and back count picks and their results; started counts rollouts.
	asked, back, started int
	// A round is what was asked for when the one before was back: mark results.
	// rounds counts those in a row, before this one, that branched.
	mark, rounds int
	branched     bool
}

func (s *arpoSelector) Next() (Pick, bool) {
	for {
		root := s.v.Tree().Node(Root)
		if len(s.queue) == 0 && s.asked == s.back && s.started < s.Size && s.v.Room(root) {
			// Nothing lives: one more from the root.
			s.start(Pick{From: Root, Decisions: 1})
		}
		if len(s.queue) == 0 {
			return Pick{}, false
		}
		next := s.queue[0]
		s.queue = s.queue[1:]
		if s.v.Room(s.v.Tree().Node(next.From)) {
			s.asked++
			return next, true
		}
		// Only rollouts that start here can find no room: a path that goes on is
		// the first child of its checkpoint.
		s.started--
	}
}

func (s *arpoSelector) Applied(_ Expansion, nodes []*Node) {
	s.back++
	for _, n := range nodes {
		s.try(n)
	}
	if end := nodes[len(nodes)-1]; s.v.Room(end) {
		s.queue = append(s.queue, Pick{From: end.ID, Decisions: 1})
	}
	if s.back == s.mark {
		s.close()
	}
}

// close ends a round.
func (s *arpoSelector) close() {
	if s.branched {
		s.rounds++
	} else {
		s.rounds = 0
	}
	s.branched, s.mark = false, s.asked+len(s.queue)
}

// start queues another rollout.
func (s *arpoSelector) start(p Pick) {
	s.started++
	s.queue = append(s.queue, p)
}

// try branches at the tool result that an edge goes on from, now that it is
// known how sure the policy was after it. Only the first edge from there tries,
// and one that failed tells nothing.
func (s *arpoSelector) try(n *Node) {
	t := s.v.Tree()
	if n.ID == Root || n.Failure != nil || !s.toolResult(n.Parent) || t.Node(n.Parent).Children()[0] != n.ID {
		return
	}
	p := s.probability(s.delta(n.ID), s.rounds)
	r := s.v.Rand("arpo " + strconv.Itoa(int(n.Parent)))
	for range s.Beam - 1 {
		if r.Float64() < p && s.started < s.Size && s.v.Room(t.Node(n.Parent)) {
			s.branched = true
			s.start(Pick{From: n.Parent, Decisions: 1, Prior: &p})
		}
	}
}

// toolResult reports whether a tool ran on the edge to a node.
func (s *arpoSelector) toolResult(id NodeID) bool {
	turns, err := s.v.Tree().Edge(id)
	return err == nil && slices.ContainsFunc(turns, func(t *rollout.Turn) bool { return t.Transition != nil && t.Transition.ToolCalls > 0 })
}

// delta is how much the entropy of an edge is above that of its rollout's first;
// 0 when one of them was never scored, so that chance alone decides.
func (s *arpoSelector) delta(id NodeID) float64 {
	now, ok := s.entropy(id, s.Score)
	first, scored := s.entropy(s.v.Tree().Branch(id)[1], s.Score)
	if !ok || !scored {
		return 0
	}
	return now - first
}

func (s *arpoSelector) entropy(id NodeID, u Uncertainty) (float64, bool) {
	turns, err := s.v.Tree().Edge(id)
	if err != nil {
		return 0, false
	}
	h, ok := u.Score(slices.Values(turns))
	return h / math.Log(float64(s.Vocabulary)), ok
}

// measure is how many rollouts start at the root by the entropies of the first
// rollout; as configured when it has no tool result or was not scored.
func (s *arpoSelector) measure() int {
	var root []float64
	var tool []float64
	for n := range s.v.Tree().Nodes() {
		switch {
		case n.ID == Root || n.Failure != nil:
		case n.Depth == 1:
			if h, ok := s.entropy(n.ID, FirstSurprise{Tokens: splitTokens}); ok {
				root = append(root, h)
			}
		case s.toolResult(n.Parent):
			if h, ok := s.entropy(n.ID, s.Score); ok {
				tool = append(tool, h)
			}
		}
	}
	if len(root) == 0 || len(tool) == 0 {
		return s.Roots
	}
	return s.split(mean(root), mean(tool))
}
