package contexts

import (
	"errors"
	"fmt"

	"focus/env"
	"focus/rollout"
)

// Trigger says when to compact. It sees the prompt that would be sent and the
// environment's state. A trigger is shared by all rollouts and holds nothing of
// any of them.
type Trigger interface {
	Fires(prompt rollout.Tokens, state any) bool
}

// StateChecker is a trigger that needs fields of the task state. Check is
// called once, before generation, and its error names what is missing.
type StateChecker interface{ Check(state any) error }

// PromptTokens fires when a prompt is longer than Max ids: above, not at.
type PromptTokens struct {
	// Max in ids; 0 means 8,192.
	Max int
}

// DefaultPromptTokens is the threshold of a zero [PromptTokens].
const DefaultPromptTokens = 8192

func (t PromptTokens) Fires(prompt rollout.Tokens, _ any) bool {
	limit := t.Max
	if limit == 0 {
		limit = DefaultPromptTokens
	}
	return prompt.Len() > limit
}

// StateCounter fires when a counter of the task state is spent, and refills it
// from its maximum. It reads any state that is an [env.Counters], such as that
// of a [env.ToolEnv] with a round's allowance of calls.
type StateCounter struct {
	// Remaining and Maximum name the counters; empty means
	// [env.CallsRemaining] and [env.CallsMax].
	Remaining, Maximum string
}

func (t StateCounter) names() (remaining, maximum string) {
	remaining, maximum = t.Remaining, t.Maximum
	if remaining == "" {
		remaining = env.CallsRemaining
	}
	if maximum == "" {
		maximum = env.CallsMax
	}
	return remaining, maximum
}

// Fires reports whether nothing remains.
func (t StateCounter) Fires(_ rollout.Tokens, state any) bool {
	c, ok := state.(env.Counters)
	if !ok {
		return false
	}
	remaining, _ := t.names()
	left, ok := c.Counter(remaining)
	return ok && left <= 0
}

// Check names the counters that the state lacks, and refuses an allowance that
// refills nothing: the trigger would fire for ever.
func (t StateCounter) Check(state any) error {
	remaining, maximum := t.names()
	c, ok := state.(env.Counters)
	if !ok {
		return fmt.Errorf("state counter: a state of type %T has no counters, needs %q and %q", state, remaining, maximum)
	}
	var errs []error
	if _, ok := c.Counter(remaining); !ok {
		errs = append(errs, fmt.Errorf("state counter: the state has no %q", remaining))
	}
	switch allowance, ok := c.Counter(maximum); {
	case !ok:
		errs = append(errs, fmt.Errorf("state counter: the state has no %q", maximum))
	case allowance < 1:
		errs = append(errs, fmt.Errorf("state counter: %q is %d, must be at least 1", maximum, allowance))
	}
	return errors.Join(errs...)
}

// Relieve refills the counter.
func (t StateCounter) Relieve(state any) (any, error) {
	if err := t.Check(state); err != nil {
		return state, err
	}
	remaining, maximum := t.names()
	c := state.(env.Counters)
	allowance, _ := c.Counter(maximum)
	return c.WithCounter(remaining, allowance), nil
}

// AnyOf fires when any of its triggers does. A compaction relieves them all.
type AnyOf struct{ triggers []Trigger }

// NewAnyOf combines triggers; a list is spread into it. None never fire.
func NewAnyOf(triggers ...Trigger) AnyOf {
	return AnyOf{append([]Trigger(nil), triggers...)}
}

// Fires asks each trigger.
func (t AnyOf) Fires(prompt rollout.Tokens, state any) bool {
	for _, each := range t.triggers {
		if each.Fires(prompt, state) {
			return true
		}
	}
	return false
}

// Check joins what every trigger misses.
func (t AnyOf) Check(state any) error {
	var errs []error
	for _, each := range t.triggers {
		if c, ok := each.(StateChecker); ok {
			errs = append(errs, c.Check(state))
		}
	}
	return errors.Join(errs...)
}

// Relieve lets every trigger reset what it reads, in order.
func (t AnyOf) Relieve(state any) (any, error) {
	for _, each := range t.triggers {
		r, ok := each.(Reliever)
		if !ok {
			continue
		}
		var err error
		if state, err = r.Relieve(state); err != nil {
			return state, err
		}
	}
	return state, nil
}
