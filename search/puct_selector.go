package search

import (
	"math"
	"slices"
)

// Open starts a search on what the tree has.
func (c treePolicy) Open(v *View) Selector {
	s := &puctSelector{PUCT: c.PUCT, view: v, left: c.Simulations}
	for n := range v.Tree().Nodes() {
		s.add(n)
	}
	for id := v.Tree().Len() - 1; id >= 0; id-- {
		s.settle(NodeID(id))
	}
	return s
}

// puctSelector keeps of each node whether a simulation may go through it.
type puctSelector struct {
	PUCT
	view  *View
	left  int
	nodes []puctNode
	// picked is where the last simulation started; its counts have changed since.
	picked *NodeID
}

type puctNode struct {
	// open says that a simulation may start here or below.
	open bool
	// ways are the children that are open.
	ways int
	// logp is the mean logprob of the edge, for a policy prior; NaN when there is
	// none.
	logp float64
}

func (s *puctSelector) Next() (Pick, bool) {
	if s.picked != nil {
		s.settlePath(*s.picked)
		s.picked = nil
	}
	if s.left == 0 || !s.nodes[Root].open {
		return Pick{}, false
	}
	s.left--
	at := s.view.Tree().Node(Root)
	for !s.widens(at) && s.nodes[at.ID].ways > 0 {
		at = s.best(at)
	}
	s.picked = &at.ID
	return Pick{From: at.ID, Decisions: s.Step, Keep: s.Step == 0}, true
}

func (s *puctSelector) Applied(_ Expansion, nodes []*Node) {
	for _, n := range nodes {
		s.add(n)
	}
	s.settlePath(nodes[len(nodes)-1].ID)
}

func (s *puctSelector) add(n *Node) {
	own := puctNode{logp: math.NaN()}
	if s.Prior == PriorPolicy && n.ID != Root {
		// A node of the tree has its edge: it was checked when it was told.
		turns, _ := s.view.Tree().Edge(n.ID)
		if h, ok := (MeanSurprise{}).Score(slices.Values(turns)); ok {
			own.logp = -h
		}
	}
	s.nodes = append(s.nodes, own)
}

// settlePath brings what is kept of a path up to date, from its end: nothing
// else changes with a simulation.
func (s *puctSelector) settlePath(end NodeID) {
	for n := range s.view.Tree().Path(end) {
		s.settle(n.ID)
	}
}

func (s *puctSelector) settle(id NodeID) {
	n, own := s.view.Tree().Node(id), &s.nodes[id]
	was := own.open
	// A node that is wide enough and has no way on waits for what is in flight
	// below it. When nothing is, it is widened after all: else a tree whose ends
	// were all seen would stop short of its simulations.
	own.open = own.ways > 0 || s.widens(n) || n.InFlight == 0 && s.view.Room(n)
	if n.Parent != NoParent && own.open != was {
		if own.open {
			s.nodes[n.Parent].ways++
		} else {
			s.nodes[n.Parent].ways--
		}
	}
}

// widens reports whether a simulation starts at a node that it reached.
func (s *puctSelector) widens(n *Node) bool {
	width := math.Ceil(s.Widen * math.Pow(float64(n.Visits+n.InFlight), s.Alpha))
	return s.view.Room(n) && float64(len(n.children)+n.Pending) < max(1, width)
}

// best is the open child that the rule prefers, the first of equals.
func (s *puctSelector) best(p *Node) *Node {
	a := arm{above: p.Visits, parentFlying: p.InFlight}
	a.parentMean, _ = p.Q()
	prior := s.priors(p)
	var out *Node
	top := math.Inf(-1)
	for _, id := range p.children {
		if !s.nodes[id].open {
			continue
		}
		n := s.view.Tree().Node(id)
		a.returns, a.scored, a.visits, a.flying = n.Returns, n.Scored, n.Visits, n.InFlight
		a.prior = prior(id)
		if score := s.score(a); out == nil || score > top {
			out, top = n, score
		}
	}
	return out
}

// priors gives those of a node's children. Children that failed are none.
func (s *puctSelector) priors(p *Node) func(NodeID) float64 {
	count, sum := 0, 0.0
	for _, id := range p.children {
		if s.view.Tree().Node(id).Failure == nil {
			count++
			sum += math.Exp(s.nodes[id].logp)
		}
	}
	if s.Prior == PriorUniform || math.IsNaN(sum) || sum == 0 {
		return func(NodeID) float64 { return 1 / float64(count) }
	}
	return func(id NodeID) float64 { return math.Exp(s.nodes[id].logp) / sum }
}
