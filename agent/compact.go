package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	contexts "focus/context"
	"focus/env"
	"focus/rollout"
)

// Compact rewrites the live conversation by the manager's Compact. It costs one
// step. A fold that produced nothing usable ends the rollout as fold_failed,
// its turns kept. A manager that declines leaves s as it is.
func (a *Agent) Compact(ctx context.Context, s rollout.State) (rollout.State, error) {
	out, err := a.compact(ctx, s, contexts.ReasonManual)
	if errors.Is(err, contexts.ErrDeclined) {
		return s, nil
	}
	return out, err
}

// compact is Compact, with contexts.ErrDeclined when nothing changed.
func (a *Agent) compact(ctx context.Context, s rollout.State, why contexts.Reason) (rollout.State, error) {
	m, ok := a.cfg.Context.(contexts.Compactor)
	if !ok {
		return s, fmt.Errorf("compact task %s: the context manager %T does not compact", s.Task.ID, a.cfg.Context)
	}
	live := s.Messages.AppendTo(nil)
	res, err := m.Compact(ctx, contexts.Compaction{
		Messages: live, Seed: s.Seed, State: s.Env, Workspace: s.Workspace, Agent: a, Rollout: s, Reason: why,
	})
	replaced := rollout.Span{Start: 0, End: len(live)}
	if bad, ok := errors.AsType[*contexts.IncompleteError](err); ok {
		s = s.WithTurn(folds(s, bad.Turns, replaced, false)...)
		s.Compactions++
		return a.end(ctx, s, rollout.StopFoldFailed, &rollout.Failure{Class: rollout.FailureTask, Cause: "fold_failed", Detail: bad.Error()})
	}
	if err != nil {
		return s, fmt.Errorf("compact task %s, branch %q: %w", s.Task.ID, s.Branch, err)
	}
	if res.Replaced != (rollout.Span{}) {
		replaced = res.Replaced
	}
	state := res.State
	if r, ok := a.cfg.Context.(contexts.Reliever); ok {
		if state, err = r.Relieve(state); err != nil {
			return s, fmt.Errorf("relieve task %s, branch %q: %w", s.Task.ID, s.Branch, err)
		}
	}
	s = s.WithTurn(folds(s, res.Turns, replaced, true)...)
	s.Env = state
	s.Compactions++
	s.CompactedAt = s.Len()
	return s.Rewritten(res.Messages), nil
}

// overflow compacts a conversation that fills the model's window, where the
// manager does that, so that the request can be made once more. It ends the
// rollout otherwise, and when a compaction just now did not help.
func (a *Agent) overflow(ctx context.Context, s rollout.State, full error) (rollout.State, error) {
	m, ok := a.cfg.Context.(contexts.OverflowCompactor)
	if !ok || !m.CompactsOnOverflow() || a.stuck(s) {
		return a.full(ctx, s, full)
	}
	out, err := a.compact(ctx, s, contexts.ReasonOverflow)
	if errors.Is(err, contexts.ErrDeclined) {
		return a.full(ctx, s, full)
	}
	return out, err
}

// full ends a rollout whose prompt leaves no room for a reply.
func (a *Agent) full(ctx context.Context, s rollout.State, err error) (rollout.State, error) {
	return a.end(ctx, s, rollout.StopContextFull, &rollout.Failure{Class: rollout.FailureTask, Cause: "context_full", Detail: err.Error()})
}

// folds stamps the turns of one compaction. The turns are the fold's own until
// now, so they are copied rather than edited.
func folds(s rollout.State, turns []*rollout.Turn, replaced rollout.Span, accepted bool) []*rollout.Turn {
	out := make([]*rollout.Turn, len(turns))
	for i, t := range turns {
		c := *t
		c.Tag, c.Transition, c.ContextVersion, c.Covers = rollout.TagFold, nil, s.ContextVersion, 0
		c.Accepted, c.Replaced = accepted, replaced
		out[i] = &c
	}
	return out
}

// stuck reports whether the context was compacted and nothing was decided
// since: the trigger fires again right after its own relief.
func (a *Agent) stuck(s rollout.State) bool {
	return s.Compactions > 0 && s.CompactedAt == s.Len()
}

// Derive is the same policy over another world. A derived agent never folds.
func (a *Agent) Derive(w env.Env, d contexts.Derivation) (contexts.Runner, error) {
	if _, ok := d.Context.(contexts.Compactor); ok {
		if t, ok := d.Context.(triggered); !ok || t.HasTrigger() {
			return nil, fmt.Errorf("agent: a fold never folds, and the context manager %T compacts", d.Context)
		}
	}
	cfg := Config{
		Policy: a.cfg.Policy, Env: w, Context: d.Context, Sampling: a.cfg.Sampling,
		MaxSteps: d.MaxSteps, MaxTokens: d.MaxTokens, GenerateTimeout: d.GenerateTimeout,
		MaxParseFailures: a.cfg.MaxParseFailures, MaxRolloutTokens: a.cfg.MaxRolloutTokens,
		FinalInstruction: d.FinalInstruction, Seed: a.cfg.Seed, tag: d.Tag, spent: d.Spent, scorer: a.cfg.scorer,
	}
	// The model speaks its dialect in a fold too, unless that has no whole replies.
	tools := false
	if t, ok := w.(env.Tooled); ok {
		tools = len(t.Tools()) > 0
	}
	kinds := a.cfg.Parser.Kinds()
	if slices.Contains(kinds, rollout.ActionText) && (!tools || slices.Contains(kinds, rollout.ActionToolCalls)) {
		cfg.Parser = a.cfg.Parser
	}
	if d.Sampling != nil {
		cfg.Sampling = *d.Sampling
	}
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = a.cfg.MaxSteps
	}
	if cfg.GenerateTimeout == 0 {
		cfg.GenerateTimeout = a.cfg.GenerateTimeout
	}
	if cfg.tag == "" {
		cfg.tag = rollout.TagFold
	}
	return New(cfg)
}
