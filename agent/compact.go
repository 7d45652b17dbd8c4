package agent

import (
	"context"
	"errors"
	"fmt"

	contexts "focus/context"
	"focus/env"
	"focus/rollout"
)

// Compact rewrites the live conversation by the manager's Compact. It costs one
// step. A fold that produced nothing usable ends the rollout as fold_failed,
// its turns kept.
func (a *Agent) Compact(ctx context.Context, s rollout.State) (rollout.State, error) {
	m, ok := a.cfg.Context.(contexts.Compactor)
	if !ok {
		return s, fmt.Errorf("compact task %s: the context manager %T does not compact", s.Task.ID, a.cfg.Context)
	}
	live := s.Messages.AppendTo(nil)
	res, err := m.Compact(ctx, contexts.Compaction{
		Messages: live, Seed: s.Seed, State: s.Env, Workspace: s.Workspace, Agent: a, Rollout: s,
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
		MaxParseFailures: a.cfg.MaxParseFailures, Seed: a.cfg.Seed, tag: d.Tag,
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
