package search

import (
	"fmt"

	"focus/rollout"
)

// Expansion asks for one more edge.
type Expansion struct {
	// Ticket numbers the expansions of a tree from 0.
	Ticket int
	// From is the node to go on from. At a root without a state the world is
	// reset.
	From NodeID
	// Branch is the new line's name; see [rollout.State].
	Branch string
	// Allocator and Pass say who asks.
	Allocator string
	Pass      int
}

// Result is what came of an expansion.
type Result struct {
	Ticket int
	// State is the checkpoint that was reached, also when the infrastructure
	// failed on the way.
	State rollout.State
	// Attempt counts the tries it took, from 1.
	Attempt int
	// Failure is set when the infrastructure failed for good.
	Failure *rollout.Failure
}

// Strategy decides what to expand. It holds no state: the tree and the number
// of expansions asked for so far are all it knows.
type Strategy interface {
	Name() string
	// Next is the next expansion of a tree of which asked were asked for; false
	// when there is nothing to ask for until more results are applied.
	Next(t *Tree, asked int) (Expansion, bool)
	// OutcomeAdaptive says whether it looks at outcomes.
	OutcomeAdaptive() bool
}

// Search grows one tree. It is not safe for concurrent use.
type Search struct {
	tree     *Tree
	strategy Strategy
	asked    []Expansion
	applied  int
	waiting  map[int]Result
}

// New starts a search on a tree.
func New(t *Tree, s Strategy) *Search {
	return &Search{tree: t, strategy: s, waiting: map[int]Result{}}
}

// Tree is the tree so far.
func (s *Search) Tree() *Tree { return s.tree }

// Next is an expansion to make now; false when there is none until more results
// are applied, or for good.
func (s *Search) Next() (Expansion, bool) {
	x, ok := s.strategy.Next(s.tree, len(s.asked))
	if !ok {
		return Expansion{}, false
	}
	x.Ticket, x.Allocator = len(s.asked), s.strategy.Name()
	s.asked = append(s.asked, x)
	return x, true
}

// Apply takes the result of an expansion. It joins the tree once the results
// of all earlier tickets have.
func (s *Search) Apply(r Result) error {
	if r.Ticket < s.applied || r.Ticket >= len(s.asked) {
		return fmt.Errorf("tree %s: result of ticket %d, which is not out", s.tree.ID, r.Ticket)
	}
	if _, twice := s.waiting[r.Ticket]; twice {
		return fmt.Errorf("tree %s: second result of ticket %d", s.tree.ID, r.Ticket)
	}
	s.waiting[r.Ticket] = r
	for {
		next, ok := s.waiting[s.applied]
		if !ok {
			return nil
		}
		delete(s.waiting, s.applied)
		x := s.asked[s.applied]
		s.tree.add(Node{Parent: x.From, State: next.State, Attempt: next.Attempt, Allocator: x.Allocator, Pass: x.Pass, Failure: next.Failure})
		s.applied++
	}
}

// InFlight is how many expansions have no result yet.
func (s *Search) InFlight() int { return len(s.asked) - s.applied - len(s.waiting) }

// Done reports whether nothing is in flight and nothing more will be asked for.
func (s *Search) Done() bool {
	if s.applied != len(s.asked) {
		return false
	}
	_, more := s.strategy.Next(s.tree, len(s.asked))
	return !more
}
