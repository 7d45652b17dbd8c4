package contexts

import (
	"focus/rollout"
)

// Trigger says when to compact. It sees the prompt that would be sent and the
// environment's state.
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
