package search

import "fmt"

// Group is a number of independent rollouts of one task, the sampling of GRPO
// (arXiv 2402.03300).
type Group struct {
	// Size is the number of rollouts; at least 1.
	Size int `yaml:"size"`
}

// Strategy is one pass of Size rollouts.
func (g Group) Strategy() Strategy {
	return Strategy{Name: "group", Passes: []Pass{{Allocator: Roots{Count: g.Size}}}, Rollouts: g.Size}
}

// maxGroup is beyond any group that could be held and credited as one.
const maxGroup = 1 << 16

// Validate reports a size out of range.
func (g Group) Validate() error {
	if g.Size < 1 {
		return fmt.Errorf("size is %d, must be at least 1", g.Size)
	}
	if g.Size > maxGroup {
		return fmt.Errorf("size is %d, must be at most %d", g.Size, maxGroup)
	}
	return nil
}

// Roots asks for a number of rollouts from the root, each to its end.
type Roots struct {
	Count int
	// Keep makes nodes of the branch points on their way.
	Keep bool
}

// Name is "roots".
func (Roots) Name() string { return "roots" }

// Traits: it looks at nothing.
func (Roots) Traits() Traits { return Traits{} }

// Open starts a pass.
func (r Roots) Open(*View) Selector { return &rootSelector{left: r.Count, keep: r.Keep} }

type rootSelector struct {
	left int
	keep bool
}

func (s *rootSelector) Next() (Pick, bool) {
	if s.left == 0 {
		return Pick{}, false
	}
	s.left--
	return Pick{From: Root, Keep: s.keep}, true
}

func (*rootSelector) Applied(Expansion, []*Node) {}
