package job

import (
	"errors"
	"fmt"

	"focus/agent"
	contexts "focus/context"
	"focus/env"
	"focus/policy"
	"focus/rollout"
	"focus/search"
)

// fits refuses a strategy that the world or the context manager cannot serve, or
// that lacks a value model.
func fits(s search.Strategy, world env.Env, m contexts.Manager, values bool) error {
	errs := []error{s.Validate()}
	if s.Values() && !values {
		errs = append(errs, fmt.Errorf("%s goes by the estimates of a value model and the job has none; add value: {kind: http, url: …}", s.Name))
	}
	if s.Inner() {
		switch env.BranchingOf(world) {
		case env.RootOnly:
			errs = append(errs, fmt.Errorf("%s branches in the middle of a rollout and the environment %T can only be started over: its state is no value (env.Immutable), its sessions cannot be forked (env.Forker), and it cannot be replayed (env.Replayer); use search: {kind: group}", s.Name, world))
		case env.ByReplay:
			if contexts.Manages(m) {
				errs = append(errs, fmt.Errorf("%s branches by replaying the environment %T, and the context manager %T rewrites the conversation, which cannot be replayed; use context: {kind: append_only}", s.Name, world, m))
			}
		}
	}
	if s.Segments() {
		d, ok := m.(contexts.Defaulter)
		if !ok || d.Defaults().Action != rollout.ActionTokenChunk {
			errs = append(errs, fmt.Errorf("%s branches within a reply and needs context: {kind: segments, tokens: N}", s.Name))
		}
	}
	return errors.Join(errs...)
}

// affords refuses a budget that not even one expansion fits into.
func (l *Live) affords() error {
	s, err := search.New(search.NewTree("", rollout.Task{}), l.Strategy, search.Config{Bound: l.bound})
	if err != nil {
		return err
	}
	axis, need := s.Starved()
	if axis == "" {
		return nil
	}
	return fmt.Errorf("budget: %s is too small for even one expansion: what it may cost is reserved first, here %d turns and %d generated tokens (from agent.max_steps and agent.max_tokens)", axis, need.Turns, need.GeneratedTokens)
}

// laws gives the agent of each law that a strategy may draw.
type laws struct{ scorer policy.Scorer }

// newLaws refuses laws off the anchor where nobody can score them under it.
func newLaws(s search.Strategy, a *agent.Agent) (laws, error) {
	if !s.OffAnchor() {
		return laws{}, nil
	}
	scorer, ok := a.Policy().(policy.Scorer)
	if !ok {
		return laws{}, fmt.Errorf("%s samples edges off the anchor, which owe an importance ratio, and the policy %T cannot score ids under the anchor", s.Name, a.Policy())
	}
	if sp := a.Sampling(); sp.Temperature != 1 || sp.Truncates() {
		return laws{}, fmt.Errorf("%s samples edges off the anchor, and a policy scores ids at temperature 1 without truncation alone: the run's own law must be that, and is temperature %v, top_p %v, top_k %d, min_p %v", s.Name, sp.Temperature, sp.TopP, sp.TopK, sp.MinP)
	}
	if d, ok := a.Policy().(policy.Describer); ok && d.Describe().LogprobMode == string(rollout.LogprobsRaw) {
		return laws{}, fmt.Errorf("%s samples edges off the anchor, and the policy reports raw logprobs, which are not of the law that was sampled: an importance ratio needs processed ones", s.Name)
	}
	return laws{scorer}, nil
}

func (l laws) agent(a *agent.Agent, law search.Law) *agent.Agent {
	if law.Anchor() {
		return a
	}
	return a.Under(*law.Sampling, l.scorer)
}

// branchable reports whether search may go on from a live state.
func (l *Live) branchable(s rollout.State) bool {
	return !s.Done() && l.Strategy.Inner() && l.Agent.BranchPoints().Branchable(s)
}

func (l *Live) checkpoint(s rollout.State, branchable bool) search.Checkpoint {
	return search.Checkpoint{State: s, Branchable: branchable, Replay: l.Agent.ReplayCalls(s)}
}

// bound is the most that an expansion may cost, where that is known before:
// folds are not foreseen, and neither are prompts, tool calls and time.
func (l *Live) bound(from *search.Node, p search.Pick) search.Cost {
	turns, tokens := l.Agent.Bounds(from.State)
	// Where not every decision is a branch point, an edge ends at the next one.
	if _, every := l.Agent.BranchPoints().(rollout.EveryDecision); every && p.Decisions > 0 && p.Decisions < turns {
		turns = p.Decisions
		tokens = min(tokens, turns*l.Agent.MaxTokens())
	}
	return search.Cost{Leaves: 1, Turns: turns, GeneratedTokens: tokens}
}
