package contexts

import (
	"strings"

	"focus/rollout"
)

// Error is an invalid context operation. Its message goes to the model as
// corrective feedback.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// IncompleteError is a compaction whose output was rejected. It keeps the
// generations that produced it: they are recorded, and may train.
type IncompleteError struct {
	Turns   []*rollout.Turn
	Reasons []string
}

func (e *IncompleteError) Error() string {
	return "compaction produced no usable notes: " + strings.Join(e.Reasons, "; ")
}
