package search

import (
	"fmt"
	"strings"
	"time"
)

// Cost is what expansions take, or may take. As a limit, a zero axis is no
// limit.
type Cost struct {
	// Leaves are rollouts that ended, and expansions that failed.
	Leaves int `yaml:"leaves" json:"leaves"`
	// Turns are generates, fold turns included.
	Turns int `yaml:"turns" json:"turns"`
	// GeneratedTokens were sampled; the tokens of a shared prefix count once.
	GeneratedTokens int `yaml:"generated_tokens" json:"generated_tokens"`
	// PromptTokens were sent, cached or not.
	PromptTokens int `yaml:"prompt_tokens" json:"prompt_tokens"`
	// ToolCalls ran, those of a replay included.
	ToolCalls int `yaml:"tool_calls" json:"tool_calls"`
	// WallTime is the time that expansions took, added up. It is not known
	// before, so what is in flight may pass the limit; a run that is limited by
	// it is not the same twice.
	WallTime time.Duration `yaml:"wall_time" json:"wall_time_ns"`
}

// axes are the numbers of a cost by name.
func (c Cost) axes() [6]int64 {
	return [6]int64{int64(c.Leaves), int64(c.Turns), int64(c.GeneratedTokens), int64(c.PromptTokens), int64(c.ToolCalls), int64(c.WallTime)}
}

var axisNames = [6]string{"leaves", "turns", "generated_tokens", "prompt_tokens", "tool_calls", "wall_time"}

func fromAxes(a [6]int64) Cost {
	return Cost{int(a[0]), int(a[1]), int(a[2]), int(a[3]), int(a[4]), time.Duration(a[5])}
}

// Plus adds two costs.
func (c Cost) Plus(d Cost) Cost { return combine(c, d, 1) }

// Minus takes one cost from another.
func (c Cost) Minus(d Cost) Cost { return combine(c, d, -1) }

func combine(c, d Cost, sign int64) Cost {
	a, b := c.axes(), d.axes()
	for i := range a {
		a[i] += sign * b[i]
	}
	return fromAxes(a)
}

// Validate names each axis below 0.
func (c Cost) Validate() error {
	var bad []string
	for i, v := range c.axes() {
		if v < 0 {
			bad = append(bad, fmt.Sprintf("%s is %d, must be at least 0", axisNames[i], v))
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("%s", strings.Join(bad, "; "))
	}
	return nil
}

// Budget keeps what was used of a limit and what is reserved of it. The zero
// Budget has no limit.
type Budget struct {
	limit, used, reserved Cost
}

// NewBudget is an unused budget.
func NewBudget(limit Cost) Budget { return Budget{limit: limit} }

// Limit is the most that may be used; a zero axis is no limit.
func (b *Budget) Limit() Cost { return b.limit }

// Used is the sum of what was committed.
func (b *Budget) Used() Cost { return b.used }

// Reserved is what is in flight may still use.
func (b *Budget) Reserved() Cost { return b.reserved }

// Fits reports whether c could be reserved; when not, axis names the first
// limit in the way.
func (b *Budget) Fits(c Cost) (axis string, ok bool) {
	limit, used, reserved, want := b.limit.axes(), b.used.axes(), b.reserved.axes(), c.axes()
	for i := range limit {
		if limit[i] > 0 && (used[i]+reserved[i]+want[i] > limit[i] || used[i] >= limit[i]) {
			return axisNames[i], false
		}
	}
	return "", true
}

// Reserve sets c aside; false, and nothing is, when it does not fit.
func (b *Budget) Reserve(c Cost) bool {
	if _, ok := b.Fits(c); !ok {
		return false
	}
	b.reserved = b.reserved.Plus(c)
	return true
}

// Commit charges what a reservation did cost and refunds the rest of it.
func (b *Budget) Commit(reserved, actual Cost) {
	b.reserved = b.reserved.Minus(reserved)
	b.used = b.used.Plus(actual)
}

// Refund gives a reservation back whole.
func (b *Budget) Refund(reserved Cost) { b.Commit(reserved, Cost{}) }
