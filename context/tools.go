package contexts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"focus/rollout"
)

// Operation is something the model may do to its own context, offered as a tool.
type Operation struct {
	Schema rollout.ToolSchema
	// Run changes the rollout. What the model got wrong is an [Error], worded
	// for it; another error is an infrastructure failure.
	Run func(context.Context, OperationCall) (Operated, error)
}

// OperationCall is one call of an operation.
type OperationCall struct {
	// Rollout ends with the reply that makes the call; that reply has to stay
	// the last message.
	Rollout   rollout.State
	Name      string
	Arguments json.RawMessage
	Agent     Agent
}

// Operated is a rollout after an operation.
type Operated struct {
	Rollout rollout.State
	// Result is what the model reads as the result of its call.
	Result string
	// Effect is a short word for what was done, for counting.
	Effect string
}

// The causes of the model-visible failures of context tools.
const (
	CauseMixedCalls   = "mixed_context_calls"
	CauseContextError = "context_error"
)

const mixedFeedback = "Not run: a reply either works on the task or on the context. Send the calls of one kind now and those of the other in a later reply."

const endingFeedback = "The context cannot be changed in the last reply."

// ContextTools lets the model change its own context by tool calls. A reply with
// such calls is a turn and a step, and does not advance the task.
type ContextTools struct {
	Base
	operations []Operation
}

// NewContextTools offers operations; none means [Drop] and [Summarise].
func NewContextTools(operations ...Operation) (*ContextTools, error) {
	if len(operations) == 0 {
		operations = []Operation{Drop(), Summarise()}
	}
	seen := map[string]bool{}
	for i, op := range operations {
		if op.Schema.Name == "" || op.Run == nil || seen[op.Schema.Name] {
			return nil, fmt.Errorf("context tools: operation %d, %q: needs a Run and a name of its own", i, op.Schema.Name)
		}
		seen[op.Schema.Name] = true
	}
	return &ContextTools{operations: append([]Operation(nil), operations...)}, nil
}

// Schemas are the tools, in the order given.
func (m *ContextTools) Schemas() []rollout.ToolSchema {
	out := make([]rollout.ToolSchema, len(m.operations))
	for i, op := range m.operations {
		out[i] = op.Schema
	}
	return out
}

// Initialize refuses an operation that has the name of a tool of the task.
func (m *ContextTools) Initialize(ctx context.Context, rs rollout.State, a Agent) (rollout.State, error) {
	seen := map[string]bool{}
	for _, t := range a.Tools() {
		if seen[t.Name] {
			return rs, fmt.Errorf("context tools on task %s: two tools are named %q", rs.Task.ID, t.Name)
		}
		seen[t.Name] = true
	}
	return m.Base.Initialize(ctx, rs, a)
}

func (m *ContextTools) find(name string) (Operation, bool) {
	for _, op := range m.operations {
		if op.Schema.Name == name {
			return op, true
		}
	}
	return Operation{}, false
}

// Operation applies one operation. An [Error] has a message that the model can
// act on, and rs is as it was.
func (m *ContextTools) Operation(ctx context.Context, rs rollout.State, name string, arguments json.RawMessage, a Agent) (Operated, error) {
	op, ok := m.find(name)
	if !ok {
		return Operated{Rollout: rs}, &Error{fmt.Sprintf("there is no context operation %q", name)}
	}
	done, err := op.Run(ctx, OperationCall{Rollout: rs, Name: name, Arguments: arguments, Agent: a})
	if err != nil {
		done.Rollout = rs
	}
	return done, err
}

// Apply runs the operations of a reply, or lets the world answer one without
// any. A reply with both is refused whole.
func (m *ContextTools) Apply(ctx context.Context, rs rollout.State, action rollout.Action, a Agent, ending Ending) (Applied, error) {
	calls, _ := action.(rollout.Calls)
	own := 0
	for _, c := range calls.Calls {
		if _, ok := m.find(c.Name); ok {
			own++
		}
	}
	switch {
	case own == 0:
		return m.Base.Apply(ctx, rs, action, a, ending)
	case bool(ending):
		return m.Base.Apply(ctx, rs, rollout.Invalid{Status: rollout.ParseOK, Feedback: endingFeedback}, a, ending)
	case own < len(calls.Calls):
		return refuseMixed(rs, calls), nil
	}
	return m.operate(ctx, rs, calls, a)
}

func refuseMixed(rs rollout.State, calls rollout.Calls) Applied {
	tr := &rollout.Transition{Action: calls, Failure: &rollout.Failure{Class: rollout.FailureVisible, Cause: CauseMixedCalls}}
	for _, c := range calls.Calls {
		tr.Observations = append(tr.Observations, rollout.ToolResult(c, mixedFeedback))
	}
	return Applied{Rollout: rs.WithMessages(tr.Observations...), Transition: tr}
}

// operate runs the calls one after the other. The results follow at the end, so
// that each operation finds the reply as the last message.
func (m *ContextTools) operate(ctx context.Context, rs rollout.State, calls rollout.Calls, a Agent) (Applied, error) {
	var results []rollout.Message
	var failure *rollout.Failure
	for _, c := range calls.Calls {
		done, err := m.Operation(ctx, rs, c.Name, c.Arguments, a)
		result := done.Result
		if wrong, ok := errors.AsType[*Error](err); ok {
			result = wrong.Message
			failure = &rollout.Failure{Class: rollout.FailureVisible, Cause: CauseContextError, Detail: wrong.Message}
		} else if err != nil {
			return Applied{}, fmt.Errorf("context operation %s: %w", c.Name, err)
		}
		rs = done.Rollout
		results = append(results, rollout.ToolResult(c, result))
	}
	out := Applied{Rollout: rs.WithMessages(results...)}
	if failure != nil {
		out.Transition = &rollout.Transition{Action: calls, Observations: results, Failure: failure}
	}
	return out, nil
}
