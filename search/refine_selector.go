package search

import (
	"container/heap"
	"math"
)

// refineSelector keeps the best score at or below every node, relative to that
// node: ω is a product along the path, so that a result changes nothing off its
// path. Each node has a heap of its children, and a result costs the depth times
// the logarithm of the width.
type refineSelector struct {
	ValueRefinement
	view   *View
	left   int
	nodes  []refineNode
	picked *NodeID // where the last rollout starts; its counts have changed since
}

type refineNode struct {
	spread
	// value is what the parent was last told; nil for nothing.
	value *float64
	// tokens were sampled from the root to here, edge of them since the parent,
	// below on the edges to the children.
	tokens, edge, below int
	// ahead is the tokens sampled after here by ends rollouts that ended.
	ahead, ends int
	// own is the score of a rollout from here and best the highest at or below,
	// both relative to here; below 0 when there is none.
	own, best float64
	// heap has the children that search may go through, the best first; at is
	// this node's place in its parent's.
	heap []NodeID
	at   int
}

func (s *refineSelector) Next() (Pick, bool) {
	if s.picked != nil {
		s.settlePath(*s.picked)
		s.picked = nil
	}
	if s.left == 0 || s.nodes[Root].best < 0 {
		return Pick{}, false
	}
	s.left--
	at := Root
	for s.nodes[at].own < s.nodes[at].best {
		at = s.nodes[at].heap[0]
	}
	s.picked = &at
	return Pick{From: at, Keep: !s.Probes, Probe: s.Probes}, true
}

func (s *refineSelector) Applied(_ Expansion, nodes []*Node) {
	for _, n := range nodes {
		s.add(n)
	}
	s.came(nodes[len(nodes)-1])
}

// add keeps a node of the tree.
func (s *refineSelector) add(n *Node) {
	own := refineNode{own: -1, best: -1}
	if n.ID == Root {
		own.own, own.best = s.score(n, &own), s.score(n, &own)
	} else {
		// A node of the tree has its edge: it was checked when it was told.
		turns, _ := s.view.Tree().Edge(n.ID)
		for _, t := range turns {
			own.edge += t.Context.Len() - t.PrefixLen
		}
		parent := &s.nodes[n.Parent]
		parent.below += own.edge
		own.tokens = parent.tokens + own.edge
	}
	s.nodes = append(s.nodes, own)
	if n.ID != Root && n.Branchable {
		heap.Push(children{s, n.Parent}, n.ID)
	}
}

// came takes a rollout that came back, by its end.
func (s *refineSelector) came(end *Node) {
	if end.State.Done() && end.Failure == nil {
		for n := range s.view.Tree().Path(end.ID) {
			s.nodes[n.ID].ahead += s.nodes[end.ID].tokens - s.nodes[n.ID].tokens
			s.nodes[n.ID].ends++
		}
	}
	s.settlePath(end.ID)
}

// settlePath brings what is kept of a path up to date, from its end.
func (s *refineSelector) settlePath(end NodeID) {
	for n := range s.view.Tree().Path(end) {
		s.settle(n)
	}
}

func (s *refineSelector) settle(n *Node) {
	own := &s.nodes[n.ID]
	own.own = s.score(n, own)
	own.best = own.own
	if own.k > 0 && len(own.heap) > 0 {
		if top := s.nodes[own.heap[0]].best; top >= 0 {
			own.best = max(own.best, top*own.dilution())
		}
	}
	if n.Parent == NoParent {
		return
	}
	parent := &s.nodes[n.Parent]
	if v, ok := n.V(); ok && n.Failure == nil {
		if own.value != nil {
			parent.tell(*own.value, n.State.Done(), -1)
		}
		parent.tell(v, n.State.Done(), 1)
		own.value = &v
	}
	if n.Branchable {
		heap.Fix(children{s, n.Parent}, own.at)
	}
}

// score is what a rollout from a node is worth to the node's own value for its
// cost; below 0 when none may start there, or nothing is known to go by. At a
// root that knows nothing there is no better place.
func (s *refineSelector) score(n *Node, own *refineNode) float64 {
	known := own.k > 0 && own.ends > 0
	switch {
	case !s.view.Room(n), !known && n.ID != Root:
		return -1
	case !known:
		return math.MaxFloat64
	}
	mass := 1.0
	if s.Mass == MassTokens {
		mass = float64(own.edge + own.below)
	}
	cost := float64(own.ahead)/float64(own.ends) + float64(s.ReplayTokens*n.Replay)
	// A try that failed has no value and counts as one: what keeps failing is
	// tried ever less.
	return mass * own.gain(len(n.children)+n.Pending) / max(1, cost)
}

// children are the heap of a node.
type children struct {
	s  *refineSelector
	of NodeID
}

func (h children) ids() []NodeID { return h.s.nodes[h.of].heap }
func (h children) Len() int      { return len(h.ids()) }

// Less puts the better first, and the older of equals.
func (h children) Less(i, j int) bool {
	a, b := h.ids()[i], h.ids()[j]
	if x, y := h.s.nodes[a].best, h.s.nodes[b].best; x != y {
		return x > y
	}
	return a < b
}

func (h children) Swap(i, j int) {
	ids := h.ids()
	ids[i], ids[j] = ids[j], ids[i]
	h.s.nodes[ids[i]].at, h.s.nodes[ids[j]].at = i, j
}

func (h children) Push(id any) {
	own := &h.s.nodes[h.of]
	h.s.nodes[id.(NodeID)].at = len(own.heap)
	own.heap = append(own.heap, id.(NodeID))
}

func (h children) Pop() any { panic("search: children never leave") }
