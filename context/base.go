package contexts

import (
	"context"
	"fmt"

	"focus/env"
	"focus/policy"
	"focus/rollout"
)

// Base is every default of a manager. Embed it.
type Base struct {
	// Trigger asks for a compaction; nil never does. A manager with a trigger
	// must have a Compact of its own: the agent refuses one without.
	Trigger Trigger
}

// Prepare continues the last turn of this context version exactly where the
// policy can, and renders the whole conversation where there is no such turn.
func (Base) Prepare(rs rollout.State, a Agent, tools []rollout.ToolSchema) (policy.Prompt, error) {
	pol := a.Policy()
	messages := rs.Messages.AppendTo(nil)
	if prev := continued(rs); prev != nil {
		if c, ok := pol.(policy.Continuer); ok {
			return c.Continue(prev, messages, tools)
		}
	}
	return pol.Prepare(messages, tools)
}

// continued is the turn that the next prompt goes on from; nil when the
// conversation is new, or was rewritten since. Within a fold it is a fold turn.
func continued(rs rollout.State) *rollout.Turn {
	last := rs.Last()
	if last == nil || last.ContextVersion != rs.ContextVersion || last.Covers == 0 {
		return nil
	}
	return last
}

// RecordReply appends the reply.
func (Base) RecordReply(rs rollout.State, _ policy.Prompt, reply rollout.Message, _ Agent) rollout.State {
	return rs.WithMessages(reply)
}

// Apply delegates to the environment and appends its observations.
func (Base) Apply(ctx context.Context, rs rollout.State, action rollout.Action, a Agent, ending Ending) (Applied, error) {
	apply := a.Env().Step
	if ending {
		apply = a.Env().Finish
	}
	w, tr, err := apply(ctx, env.World{State: rs.Env, Workspace: rs.Workspace}, action)
	if err != nil {
		return Applied{}, err
	}
	rs.Env, rs.Workspace = w.State, w.Workspace
	return Applied{Rollout: rs.WithMessages(tr.Observations...), Transition: tr}, nil
}

// ShouldCompact asks the trigger.
func (b Base) ShouldCompact(rs rollout.State, p policy.Prompt, _ Agent) bool {
	return b.Trigger != nil && b.Trigger.Fires(p.Tokens, rs.Env)
}

// Initialize lets the trigger check the task state it reads.
func (b Base) Initialize(_ context.Context, rs rollout.State, _ Agent) (rollout.State, error) {
	if c, ok := b.Trigger.(StateChecker); ok {
		if err := c.Check(rs.Env); err != nil {
			return rs, fmt.Errorf("context trigger on task %s: %w", rs.Task.ID, err)
		}
	}
	return rs, nil
}

// Relieve lets the trigger reset what it reads.
func (b Base) Relieve(state any) (any, error) {
	if r, ok := b.Trigger.(Reliever); ok {
		return r.Relieve(state)
	}
	return state, nil
}

// HasTrigger reports whether the manager may ask for a compaction.
func (b Base) HasTrigger() bool { return b.Trigger != nil }
