package agent

import (
	"fmt"

	"focus/rollout"
)

// SetupError says that the context manager cannot work with the world of a task:
// a counter that its trigger reads is not there, say. Trying again does not help.
type SetupError struct {
	Task rollout.TaskID
	Err  error
}

func (e *SetupError) Error() string { return fmt.Sprintf("start task %s: %v", e.Task, e.Err) }
func (e *SetupError) Unwrap() error { return e.Err }

// Cause is the word it is counted under.
func (e *SetupError) Cause() string { return "setup" }

// Temporary reports false.
func (e *SetupError) Temporary() bool { return false }
