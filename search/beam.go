package search

import (
	"encoding/binary"
	"errors"
	"slices"

	"focus/rollout"
)

// Beam keeps the best checkpoints of each depth and goes on from those alone.
// Rollouts that end leave the beam and are leaves; what is not kept is never
// finished and has no outcome. Of checkpoints that hold the same ids only one is
// kept: a sure policy says the same again. A depth waits for all of its edges:
// which are the best is not known before.
type Beam struct {
	// Keep is how many checkpoints of a depth are gone on from. Default 4.
	Keep int `yaml:"keep"`
	// Children of each of them; the root has Keep times as many, so that each
	// depth has as many candidates. Default 4.
	Children int `yaml:"children"`
	// Depth is the last where the beam chooses: paths kept there are played to
	// their end, one edge each. Default (0): it always chooses.
	Depth int `yaml:"depth"`
	// Rank orders the candidates: [ByConfidence], the default, or [ByEstimate],
	// which needs a value model and looks at outcomes.
	Rank Rank `yaml:"rank"`
	// Score is what confidence goes by. Default [MeanSurprise].
	Score Uncertainty
}

// DefaultBeam is sixteen candidates at each depth.
func DefaultBeam() Beam {
	return Beam{Keep: 4, Children: 4, Rank: ByConfidence, Score: MeanSurprise{}}
}

// Validate reports every field out of range.
func (c Beam) Validate() error {
	errs := []error{
		atLeast(map[string]bound{"keep": {c.Keep, 1}, "children": {c.Children, 1}, "depth": {c.Depth, 0}}),
		limited("keep × children", c.Keep, c.Children), c.Rank.validate(ByConfidence, ByEstimate),
	}
	if c.Score == nil {
		errs = append(errs, errors.New("score is missing"))
	}
	return errors.Join(errs...)
}

// Strategy is one pass. How many rollouts end is not known before.
func (c Beam) Strategy() Strategy {
	return Strategy{Name: "beam", Credit: "td", Passes: []Pass{{Allocator: c}}}
}

// Name is "beam".
func (Beam) Name() string { return "beam" }

// Traits: a value model's estimates are of outcomes, logprobs are not.
func (c Beam) Traits() Traits {
	return Traits{Inner: true, OutcomeAdaptive: c.Rank == ByEstimate, Values: c.Rank == ByEstimate}
}

// Open starts a pass.
func (c Beam) Open(v *View) Selector {
	s := &beamSelector{Beam: c, v: v, queue: queue{view: v}}
	s.queue.add(Pick{From: Root, Decisions: 1}, c.Keep*c.Children)
	return s
}

// beamSelector has the candidates of the depth that is under way.
type beamSelector struct {
	Beam
	v     *View
	queue queue
	// out is how many were asked for and are not back.
	out   int
	level []standing
}

func (s *beamSelector) Next() (Pick, bool) {
	next, ok := s.queue.Next()
	if !ok && s.out == 0 {
		s.choose()
		next, ok = s.queue.Next()
	}
	if ok {
		s.out++
	}
	return next, ok
}

func (s *beamSelector) Applied(_ Expansion, nodes []*Node) {
	s.out--
	if end := nodes[len(nodes)-1]; s.v.Room(end) {
		s.level = append(s.level, s.Rank.stand(end, s.Score))
	}
}

// choose goes on from the best of a depth.
func (s *beamSelector) choose() {
	slices.SortFunc(s.level, standing.order)
	kept, said := 0, map[string][]*Node{}
	for _, at := range s.level {
		n := s.v.Tree().Node(at.id)
		if kept == s.Keep {
			break
		}
		key := reply(n)
		if slices.ContainsFunc(said[key], func(k *Node) bool { return alike(k, n) }) {
			continue
		}
		said[key] = append(said[key], n)
		kept++
		if s.Depth > 0 && n.Depth >= s.Depth {
			s.queue.add(Pick{From: n.ID}, 1)
		} else {
			s.queue.add(Pick{From: n.ID, Decisions: 1}, s.Children)
		}
	}
	s.level = nil
}

// alike reports whether two live checkpoints hold the same ids, and the world
// answered the last of them alike.
func alike(a, b *Node) bool {
	x, y := a.State.Last(), b.State.Last()
	return x.Context.Equal(y.Context) && slices.EqualFunc(observed(x), observed(y), func(m, n rollout.Message) bool { return m.Content == n.Content })
}

// reply is the ids of the last turn, as a key: what is alike has the same.
func reply(n *Node) string {
	var b []byte
	for _, id := range n.State.Last().Sampled() {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return string(b)
}

func observed(t *rollout.Turn) []rollout.Message {
	if t.Transition == nil {
		return nil
	}
	return t.Transition.Observations
}
