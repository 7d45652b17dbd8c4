package search

import (
	"fmt"
	"strconv"

	"focus/rollout"
)

// Config is what a search needs to know beside its strategy.
type Config struct {
	// Seed of the run, for every choice that is drawn.
	Seed string
	// Bound is the most that an expansion from a node may cost; nil reserves a
	// leaf for each.
	Bound func(from *Node, p Pick) Cost
	// Record, when set, is told of every result right before it is applied:
	// with it a tree can be built again, see [Replay].
	Record func(Result)
}

// Search grows one tree. It is not safe for concurrent use.
type Search struct {
	tree     *Tree
	strategy Strategy
	cfg      Config
	budget   Budget

	pass     int
	selector Selector
	view     *View
	spent    Budget // of the pass
	flying   int    // of the pass: asked for and not applied
	held     *Pick  // chosen, and waits for the budget
	short    string // the limit that the last held pick did not fit
	need     Cost   // what that pick may cost

	asked   []Expansion // by ticket
	out     []bool      // by ticket: not applied yet
	next    int         // the first ticket that Next has not handed out
	back    int         // how many results were told
	applied int         // all tickets below were applied; tickets order alone
	waiting map[int]Result
	done    bool
}

// New starts a search on a tree.
func New(t *Tree, s Strategy, cfg Config) (*Search, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("search %s: %w", s.Name, err)
	}
	if cfg.Bound == nil {
		cfg.Bound = func(*Node, Pick) Cost { return Cost{Leaves: 1} }
	}
	out := &Search{tree: t, strategy: s, cfg: cfg, budget: NewBudget(s.Budget), waiting: map[int]Result{}}
	out.open()
	out.fill()
	return out, nil
}

// Tree is the tree so far.
func (s *Search) Tree() *Tree { return s.tree }

// Strategy is what chooses.
func (s *Search) Strategy() Strategy { return s.strategy }

// Budget is what the tree has used of its limits.
func (s *Search) Budget() Budget { return s.budget }

// Next is an expansion to make now; false when there is none until more results
// are applied, or for good.
func (s *Search) Next() (Expansion, bool) {
	if s.next == len(s.asked) {
		return Expansion{}, false
	}
	s.next++
	return s.asked[s.next-1], true
}

// Apply takes the result of an expansion. In ticket order it joins the tree
// once the results of all earlier tickets have.
func (s *Search) Apply(r Result) error {
	if err := s.check(r); err != nil {
		return err
	}
	s.out[r.Ticket] = false
	s.back++
	if s.strategy.Order == Arrival {
		s.join(r)
		s.fill()
		return nil
	}
	s.waiting[r.Ticket] = r
	for {
		next, ok := s.waiting[s.applied]
		if !ok {
			return nil
		}
		delete(s.waiting, s.applied)
		s.applied++
		s.join(next)
		s.fill()
	}
}

func (s *Search) check(r Result) error {
	if r.Ticket < 0 || r.Ticket >= s.next || !s.out[r.Ticket] {
		return fmt.Errorf("tree %s: result of ticket %d, which is not out", s.tree.ID, r.Ticket)
	}
	if len(r.Path) == 0 {
		return fmt.Errorf("tree %s: the result of ticket %d has no checkpoint", s.tree.ID, r.Ticket)
	}
	from := s.tree.Node(s.asked[r.Ticket].From).State
	for _, c := range r.Path {
		if _, err := c.State.Edge(from); err != nil {
			return fmt.Errorf("tree %s: result of ticket %d: %w", s.tree.ID, r.Ticket, err)
		}
		from = c.State
	}
	return nil
}

// InFlight is how many expansions were handed out and have no result yet.
func (s *Search) InFlight() int { return s.next - s.back }

// Starved is the limit that kept a search from asking for anything at all, and
// what one expansion may cost; empty for any other search.
func (s *Search) Starved() (axis string, need Cost) {
	if len(s.asked) > 0 {
		return "", Cost{}
	}
	return s.short, s.need
}

// Done reports whether nothing is in flight and nothing more will be asked for.
func (s *Search) Done() bool { return s.done }

// join adds a result to the tree, charges it and tells the selector.
func (s *Search) join(r Result) {
	if s.cfg.Record != nil {
		s.cfg.Record(r)
	}
	x := s.asked[r.Ticket]
	s.tree.fly(x.From, -1)
	at := x.From
	nodes := make([]*Node, len(r.Path))
	for i, c := range r.Path {
		n := Node{
			Parent: at, State: c.State, Expansion: x, Attempt: r.Attempt, Estimate: c.Estimate, Replay: c.Replay,
			Branchable: c.Branchable && !x.Probe && !c.State.Done(),
		}
		if i == len(r.Path)-1 {
			n.Failure = r.Failure
			n.Branchable = n.Branchable && n.Failure == nil
		}
		nodes[i] = s.tree.add(n)
		at = nodes[i].ID
	}
	s.tree.visited(nodes[len(nodes)-1])
	cost := r.Cost
	cost.Leaves = 0
	if r.Failure != nil || r.End().State.Done() {
		cost.Leaves = 1
	}
	s.spent.Commit(x.Reserved, cost)
	s.budget.Commit(x.Reserved, cost)
	s.flying--
	s.selector.Applied(x, nodes)
}

// open begins a pass.
func (s *Search) open() {
	p := s.strategy.Passes[s.pass]
	s.view = &View{tree: s.tree, gate: p.Gate, seed: s.cfg.Seed}
	s.spent, s.held = NewBudget(p.Budget), nil
	s.selector = p.Allocator.Open(s.view)
}

// fill asks for all that may be asked for now. It runs right after every
// result, so that what is asked for never depends on when somebody looks.
func (s *Search) fill() {
	for !s.done {
		s.ask()
		if s.flying > 0 {
			return
		}
		if s.pass == len(s.strategy.Passes)-1 {
			s.finish()
			return
		}
		s.pass++
		s.open()
	}
}

// ask issues the picks of the present pass up to its gate and budgets.
func (s *Search) ask() {
	p := s.strategy.Passes[s.pass]
	for p.Gate.InFlight == 0 || s.flying < p.Gate.InFlight {
		pick, ok := s.pick()
		if !ok {
			return
		}
		cost := s.cfg.Bound(s.tree.Node(pick.From), pick)
		axis, fits := s.budget.Fits(cost)
		if fits {
			axis, fits = s.spent.Fits(cost)
		}
		if !fits {
			// What is in flight may refund enough. When nothing is, the pass is over.
			s.held, s.short, s.need = &pick, axis, cost
			return
		}
		s.spent.Reserve(cost)
		s.budget.Reserve(cost)
		s.issue(p, pick, cost)
	}
}

func (s *Search) pick() (Pick, bool) {
	if s.held != nil {
		pick := *s.held
		s.held = nil
		return pick, true
	}
	return s.selector.Next()
}

func (s *Search) issue(p Pass, pick Pick, cost Cost) {
	ticket := len(s.asked)
	law := Law{Name: AnchorName}
	if p.Proposal != nil {
		law = p.Proposal.Draw(s.view.Rand("law " + strconv.Itoa(ticket)))
	}
	s.asked = append(s.asked, Expansion{
		Pick: pick, Ticket: ticket, Branch: strconv.Itoa(ticket), Pass: s.pass, Allocator: p.Allocator.Name(),
		Law: law, Reserved: cost,
	})
	s.out = append(s.out, true)
	s.flying++
	s.tree.fly(pick.From, 1)
}

// finish ends the search.
func (s *Search) finish() {
	s.done = true
	if s.strategy.Prune == nil {
		return
	}
	for _, id := range s.strategy.Prune(s.tree, s.view) {
		s.tree.nodes[id].Pruned = true
	}
}

// Replay builds a tree again from the results that [Config.Record] was told, in
// that order. It is an error when the strategy does not ask for them.
func Replay(id rollout.TreeID, task rollout.Task, s Strategy, cfg Config, results []Result) (*Search, error) {
	out, err := New(NewTree(id, task), s, cfg)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		for {
			if _, ok := out.Next(); !ok {
				break
			}
		}
		if err := out.Apply(r); err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
	}
	return out, nil
}
