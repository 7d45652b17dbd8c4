package rollout

import "errors"

// FailureClass decides what becomes of a rollout when something fails.
type FailureClass string

const (
	// FailureVisible became an observation; the policy may recover.
	FailureVisible FailureClass = "model_visible"
	// FailureTask ends this rollout, which is kept with its reason.
	FailureTask FailureClass = "task"
	// FailureInfrastructure is what the policy cannot have caused. The rollout
	// is tried again, then reported as failed, and never scored.
	FailureInfrastructure FailureClass = "infrastructure"
)

// Failure is a value in a result, not a Go error: Go errors mean that focus or
// its infrastructure broke.
type Failure struct {
	Class FailureClass
	// Cause is a short stable word for counting, such as "tool_timeout".
	Cause string
	// Detail is for a person.
	Detail string
}

func (f *Failure) Error() string {
	if f.Detail == "" {
		return f.Cause
	}
	return f.Cause + ": " + f.Detail
}

// causer is implemented by errors that know their short stable cause.
type causer interface {
	error
	Cause() string
}

// InfrastructureFailure turns an error of a policy or a world into a failure.
// The cause is the error's own word for itself, or fallback.
func InfrastructureFailure(err error, fallback string) *Failure {
	cause := fallback
	if c, ok := errors.AsType[causer](err); ok {
		cause = c.Cause()
	}
	return &Failure{Class: FailureInfrastructure, Cause: cause, Detail: err.Error()}
}
