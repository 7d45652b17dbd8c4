package contexts

import (
	"context"
	"fmt"

	"focus/policy"
	"focus/rollout"
)

// AppendOnly keeps the full conversation, tool results included, and never
// compacts. It is the agent's default.
type AppendOnly struct {
	Base
	// Continuation goes on with an unfinished reply by its exact ids instead of
	// treating every reply as a turn of its own; see [Segments].
	Continuation bool
}

// CheckPolicy refuses continuation with a policy that does not exchange ids.
func (m AppendOnly) CheckPolicy(p policy.Policy) error {
	if !m.Continuation {
		return nil
	}
	if _, ok := p.(policy.ExactTokens); !ok {
		return fmt.Errorf("context continuation: %w; choose a token-id policy such as vllm or tinylm", policy.ErrInexact)
	}
	return nil
}

// Initialize checks, in continuation mode, that the policy takes exact ids.
func (m AppendOnly) Initialize(ctx context.Context, rs rollout.State, a Agent) (rollout.State, error) {
	if err := m.CheckPolicy(a.Policy()); err != nil {
		return rs, err
	}
	return m.Base.Initialize(ctx, rs, a)
}

// Prepare goes on with an unfinished reply exactly, and otherwise as [Base].
func (m AppendOnly) Prepare(rs rollout.State, a Agent, tools []rollout.ToolSchema) (policy.Prompt, error) {
	if prev := m.unfinished(rs); prev != nil {
		return policy.Prompt{Tokens: prev.Context, Covers: prev.Covers, Exact: true}, nil
	}
	return m.Base.Prepare(rs, a, tools)
}

// unfinished is the turn whose reply is still being written; nil when there is
// none. A reply is finished by its terminator, or by a message after it.
func (m AppendOnly) unfinished(rs rollout.State) *rollout.Turn {
	if !m.Continuation {
		return nil
	}
	prev := rs.Live()
	if prev == nil || prev.Finish == rollout.FinishStop || prev.Covers != rs.Messages.Len() {
		return nil
	}
	return prev
}

// RecordReply joins a continued reply with what it continues; the message keeps
// the ids of all its segments.
func (m AppendOnly) RecordReply(rs rollout.State, p policy.Prompt, reply rollout.Message, a Agent) rollout.State {
	if !p.Exact {
		return m.Base.RecordReply(rs, p, reply, a)
	}
	n := rs.Messages.Len() - 1
	whole := rs.Messages.At(n)
	whole.Content += reply.Content
	whole.Reasoning += reply.Reasoning
	whole.ToolCalls = append(whole.ToolCalls[:len(whole.ToolCalls):len(whole.ToolCalls)], reply.ToolCalls...)
	whole.Sampled = append(whole.Sampled[:len(whole.Sampled):len(whole.Sampled)], reply.Sampled...)
	rs.Messages = rs.Messages.Truncate(n).Append(whole)
	return rs
}

// Defaults of an append-only context: a final-answer turn, and sparse
// checkpoints. No compaction ever happens.
func (AppendOnly) Defaults() Defaults {
	return Defaults{FinalAnswer: true, BranchPoints: rollout.SparseCheckpoints{}}
}
