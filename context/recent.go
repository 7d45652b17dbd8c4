package contexts

import (
	"context"
	"fmt"
	"slices"

	"focus/rollout"
)

// KeepRecent restarts from the seed and the last messages, without asking the
// model. A kept part never begins with the result of a call that is gone: it
// begins later instead, so at most Keep messages are kept.
type KeepRecent struct {
	Base
	// Keep is the most messages kept after the seed.
	Keep int
}

// DefaultKeep is how many messages [NewKeepRecent] keeps when told 0.
const DefaultKeep = 4

// NewKeepRecent keeps the last messages when the trigger fires; 0 means 4, and
// no trigger a [PromptTokens] of its default.
func NewKeepRecent(keep int, trigger Trigger) (KeepRecent, error) {
	if keep < 0 {
		return KeepRecent{}, fmt.Errorf("context keep_recent: keep is %d, must be at least 1", keep)
	}
	if keep == 0 {
		keep = DefaultKeep
	}
	if trigger == nil {
		trigger = PromptTokens{}
	}
	return KeepRecent{Base: Base{Trigger: trigger}, Keep: keep}, nil
}

// Compact drops what lies between the seed and the last messages.
func (m KeepRecent) Compact(_ context.Context, c Compaction) (Result, error) {
	after := c.Messages[min(c.SeedLen(), len(c.Messages)):]
	at := max(0, len(after)-m.Keep)
	for at < len(after) && after[at].Role == rollout.RoleTool {
		at++
	}
	return Result{
		Messages: slices.Concat(c.Seed, after[at:]), State: c.State,
		Replaced: rollout.Span{Start: c.SeedLen(), End: c.SeedLen() + at},
	}, nil
}
