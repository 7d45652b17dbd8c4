package env

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"focus/rollout"
)

// Call is one tool call as its handler sees it.
type Call[S any] struct {
	// State is the world's state when the call runs. Handlers do not change it.
	State S
	// Workspace is the rollout's own; nil when the world has none.
	Workspace rollout.Workspace
	// ID is the call's own id, often empty.
	ID string
}

// Effect is what a call did to the world.
type Effect[S any] struct {
	// State is the next state; a handler that changes nothing returns the one
	// it was given.
	State S
	// Result is what the model reads.
	Result string
	// Reward of this call beside the outcome; nil means nobody computed it.
	Reward *float64
	// Outcome is the score of the episode; nil means nobody computed it.
	Outcome *float64
	// Done ends the episode, for the reason in Stop; an empty reason means
	// [rollout.StopEnvDone].
	Done bool
	Stop rollout.StopReason
}

// Tool is something a policy can call in a world of state S. Make one with
// [ReadTool] or [WriteTool].
//
// A handler reports what the policy can act on with [Refuse]; any other error
// means that the world broke. It must return soon after its context ends.
type Tool[S any] struct {
	Schema rollout.ToolSchema
	// Timeout of one call; 0 means [Limits.CallTime].
	Timeout time.Duration
	// Final marks a tool that gives the answer: it also runs in the
	// final-answer turn, and no call budget holds it back.
	Final bool

	concurrent bool
	run        func(context.Context, Call[S], json.RawMessage) (Effect[S], error)
}

// ReadTool is a tool that looks and changes nothing, neither the state nor the
// workspace: neighbouring calls of one turn run side by side. A is what the
// arguments decode into.
func ReadTool[S, A any](schema rollout.ToolSchema, handle func(context.Context, Call[S], A) (string, error)) Tool[S] {
	return Tool[S]{Schema: schema, concurrent: true, run: decoded(func(ctx context.Context, c Call[S], args A) (Effect[S], error) {
		result, err := handle(ctx, c, args)
		return Effect[S]{State: c.State, Result: result}, err
	})}
}

// WriteTool is a tool that may change the world. It runs alone, after the
// calls before it.
func WriteTool[S, A any](schema rollout.ToolSchema, handle func(context.Context, Call[S], A) (Effect[S], error)) Tool[S] {
	return Tool[S]{Schema: schema, run: decoded(handle)}
}

func decoded[S, A any](handle func(context.Context, Call[S], A) (Effect[S], error)) func(context.Context, Call[S], json.RawMessage) (Effect[S], error) {
	return func(ctx context.Context, c Call[S], raw json.RawMessage) (Effect[S], error) {
		var args A
		if err := json.Unmarshal(raw, &args); err != nil {
			return Effect[S]{}, &Refusal{Cause: CauseBadArguments, Text: decodeProblem(err)}
		}
		return handle(ctx, c, args)
	}
}

// decodeProblem words a decoding error without naming Go types.
func decodeProblem(err error) string {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
		return fmt.Sprintf("%s cannot be a %s", t.Field, t.Value)
	}
	return "arguments do not fit"
}

// The causes of model-visible failures that a [ToolEnv] reports.
const (
	CauseUnknownTool   = "unknown_tool"
	CauseBadArguments  = "bad_arguments"
	CauseToolPanic     = "tool_panic"
	CauseToolTimeout   = "tool_timeout"
	CauseToolStuck     = "tool_stuck"
	CauseResultTooLong = "result_too_long"
	CauseRefused       = "tool_refused"
	CauseBudgetSpent   = "calls_spent"
	CauseTooManyCalls  = "too_many_calls"
	CauseInvalidAction = "invalid_action"
	CauseNoCall        = "no_call"
	CauseNotRun        = "not_run"
	CauseTimeLimit     = "time_limit"
)

// Refusal is an error that the model reads and can act on.
type Refusal struct {
	// Cause is a short stable word for counting.
	Cause string
	// Text is what the model reads.
	Text string
}

func (r *Refusal) Error() string { return r.Text }

// Refuse makes a [Refusal] of cause [CauseRefused].
func Refuse(format string, args ...any) error {
	return &Refusal{Cause: CauseRefused, Text: fmt.Sprintf(format, args...)}
}

// ToolError says that a tool broke in a way the policy cannot have caused.
type ToolError struct {
	Tool string
	Err  error
}

func (e *ToolError) Error() string { return fmt.Sprintf("tool %s: %v", e.Tool, e.Err) }
func (e *ToolError) Unwrap() error { return e.Err }

// Cause is the inner error's own word for itself, else "tool_broken".
func (e *ToolError) Cause() string {
	if c, ok := errors.AsType[interface {
		error
		Cause() string
	}](e.Err); ok {
		return c.Cause()
	}
	return "tool_broken"
}
