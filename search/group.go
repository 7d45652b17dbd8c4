package search

import (
	"fmt"
	"strconv"
)

// Group is a number of independent rollouts of one task, the sampling of GRPO.
// It does not look at outcomes.
type Group struct {
	// Size is the number of rollouts; at least 1.
	Size int
}

// Name is "group".
func (Group) Name() string { return "group" }

// OutcomeAdaptive is false.
func (Group) OutcomeAdaptive() bool { return false }

// Next asks for Size rollouts from the root; branch i is named "i".
func (g Group) Next(_ *Tree, asked int) (Expansion, bool) {
	return Expansion{From: 0, Branch: strconv.Itoa(asked)}, asked < g.Size
}

// maxGroup is beyond any group that could be held and credited as one.
const maxGroup = 1 << 16

// Validate reports a size below 1.
func (g Group) Validate() error {
	if g.Size < 1 {
		return fmt.Errorf("size is %d, must be at least 1", g.Size)
	}
	if g.Size > maxGroup {
		return fmt.Errorf("size is %d, must be at most %d", g.Size, maxGroup)
	}
	return nil
}
