package search

import (
	"container/heap"
	"slices"
)

// Open starts a pass: all checkpoints that may be gone on from are its frontier.
func (c BestFirst) Open(v *View) Selector {
	s := &frontierSelector{BestFirst: c, v: v, frontier: frontier{at: map[NodeID]int{}}, entropy: map[NodeID]*float64{}, backed: backed{}}
	for n := range v.Tree().Nodes() {
		s.back(n)
	}
	for n := range v.Tree().Nodes() {
		s.push(n)
	}
	return s
}

// frontierSelector keeps the frontier in a heap. What comes back changes the
// scores of the children of its path and no others.
type frontierSelector struct {
	BestFirst
	v        *View
	frontier frontier
	// entropy is H̄ of the edges to checkpoints of the frontier.
	entropy map[NodeID]*float64
	// backed is kept and read where the backup is DeepSearch's.
	backed backed
	// out is how many were asked for and are not back; ended counts rollouts.
	asked, out, ended int
}

func (s *frontierSelector) Next() (Pick, bool) {
	// Whatever is in flight may end.
	if s.ended+s.out >= s.Size || s.asked >= s.Expansions {
		return Pick{}, false
	}
	for s.frontier.Len() > 0 {
		top := s.frontier.list[0]
		if !s.v.Room(s.v.Tree().Node(top.id)) {
			// Widths are never given back.
			heap.Pop(&s.frontier)
			delete(s.entropy, top.id)
			continue
		}
		s.asked++
		s.out++
		pick := Pick{From: top.id, Decisions: 1}
		if s.ToEnd {
			pick.Decisions, pick.Keep = 0, true
		}
		if top.tier != tierNothing {
			pick.Prior = &top.number
		}
		return pick, true
	}
	return Pick{}, false
}

func (s *frontierSelector) Applied(_ Expansion, nodes []*Node) {
	s.out--
	for _, n := range nodes {
		s.push(n)
	}
	end := nodes[len(nodes)-1]
	if !s.v.Room(end) {
		s.ended++
	}
	if s.Rank != ByFrontier || s.ValueWeight == 0 {
		return
	}
	t := s.v.Tree()
	s.back(end)
	for p := range t.Path(end.Parent) {
		for _, id := range p.Children() {
			if i, ok := s.frontier.at[id]; ok {
				s.frontier.list[i] = s.stand(t.Node(id))
				heap.Fix(&s.frontier, i)
			}
		}
	}
}

// push adds a checkpoint to the frontier.
func (s *frontierSelector) push(n *Node) {
	if !s.v.Room(n) {
		return
	}
	if turns, err := s.v.Tree().Edge(n.ID); err == nil && s.Rank == ByFrontier {
		if h, ok := s.Score.Score(slices.Values(turns)); ok {
			s.entropy[n.ID] = &h
		}
	}
	heap.Push(&s.frontier, s.stand(n))
}

func (s *frontierSelector) stand(n *Node) standing {
	if s.Rank != ByFrontier {
		return s.Rank.stand(n, s.Score)
	}
	var q *float64
	if n.ID != Root {
		if v, ok := s.value(s.v.Tree().Node(n.Parent)); ok {
			q = &v
		}
	}
	return standing{n.ID, tierScore, s.score(q, s.entropy[n.ID], n.Depth)}
}

// back tells the path of a rollout that ended, where that is read.
func (s *frontierSelector) back(end *Node) {
	if s.Backup == BackupDeepSearch {
		s.backed.told(end, s.v.Tree().Path(end.ID))
	}
}

// value is Q of a checkpoint; false when nothing was told yet.
func (s *frontierSelector) value(n *Node) (float64, bool) {
	if s.Backup == BackupDeepSearch {
		v, ok := s.backed[n.ID]
		return v, ok
	}
	return n.Q()
}

// frontier is a heap of standings, the best on top.
type frontier struct {
	list []standing
	// at is where a checkpoint is in list.
	at map[NodeID]int
}

func (f *frontier) Len() int           { return len(f.list) }
func (f *frontier) Less(i, j int) bool { return f.list[i].order(f.list[j]) < 0 }

func (f *frontier) Swap(i, j int) {
	f.list[i], f.list[j] = f.list[j], f.list[i]
	f.at[f.list[i].id], f.at[f.list[j].id] = i, j
}

func (f *frontier) Push(x any) {
	s := x.(standing)
	f.at[s.id] = len(f.list)
	f.list = append(f.list, s)
}

func (f *frontier) Pop() any {
	last := f.list[len(f.list)-1]
	f.list = f.list[:len(f.list)-1]
	delete(f.at, last.id)
	return last
}
