package contexts

import (
	"fmt"

	"focus/rollout"
)

// Segments continues one assistant response in exact chunks of at most Tokens
// ids. Each chunk is a decision, so search can branch in the middle of a long
// answer.
type Segments struct {
	AppendOnly
	// Tokens is the most ids of one chunk; at least 1.
	Tokens int
}

// NewSegments checks tokens and makes the manager.
func NewSegments(tokens int) (Segments, error) {
	if tokens < 1 {
		return Segments{}, fmt.Errorf("context segments: tokens is %d, must be at least 1", tokens)
	}
	return Segments{AppendOnly: AppendOnly{Continuation: true}, Tokens: tokens}, nil
}

// Defaults caps each request at Tokens, takes token chunks, branches at every
// decision and adds no final-answer turn.
func (s Segments) Defaults() Defaults {
	return Defaults{
		MaxTokens:    s.Tokens,
		FinalAnswer:  false,
		Action:       rollout.ActionTokenChunk,
		BranchPoints: rollout.EveryDecision{},
	}
}
