package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	contexts "focus/context"
	"focus/env"
	"focus/policy"
	"focus/rollout"
)

// Start resets the world for a task and prepares the state of a rollout on the
// named branch. Nothing is generated.
func (a *Agent) Start(ctx context.Context, task rollout.Task, branch string) (rollout.State, error) {
	start, err := a.cfg.Env.Reset(ctx, task)
	if err != nil {
		return rollout.State{}, fmt.Errorf("reset task %s: %w", task.ID, err)
	}
	s := rollout.NewState(task, start.Messages, start.World.State, start.World.Workspace)
	s.Branch = branch
	if m, ok := a.cfg.Context.(contexts.Initializer); ok {
		if s, err = m.Initialize(ctx, s, a); err != nil {
			_ = start.World.Close()
			return rollout.State{}, &SetupError{Task: task.ID, Err: err}
		}
	}
	return s, nil
}

// Run plays from s to the end of the rollout: steps while any are left, then a
// final-answer turn where the manager wants one. On an error the state is the
// last good one.
func (a *Agent) Run(ctx context.Context, s rollout.State) (rollout.State, error) {
	for !s.Done() {
		next, err := a.Advance(ctx, s)
		if err != nil {
			return s, err
		}
		s = next
	}
	return s, nil
}

// Advance does what comes next for s: a step, or the final-answer turn, or the
// end of a rollout that is out of steps. It returns s when the rollout is done.
func (a *Agent) Advance(ctx context.Context, s rollout.State) (rollout.State, error) {
	switch {
	case s.Done():
		return s, nil
	case a.steps(s) < a.cfg.MaxSteps:
		return a.Step(ctx, s)
	case *a.cfg.FinalAnswer:
		return a.Finish(ctx, s)
	}
	return a.end(ctx, s, rollout.StopMaxSteps, nil)
}

// steps is how much of the step budget is spent. The turns of a derived agent
// have another tag than those of the task.
func (a *Agent) steps(s rollout.State) int { return s.Compactions + s.Tagged(a.cfg.tag) }

// Step makes one decision, or compacts the context instead.
func (a *Agent) Step(ctx context.Context, s rollout.State) (rollout.State, error) {
	if s.Done() {
		return s, fmt.Errorf("step task %s, branch %q: the rollout has ended", s.Task.ID, s.Branch)
	}
	p, err := a.prepare(s, a.tools)
	if err != nil {
		return s, err
	}
	if m, ok := a.cfg.Context.(contexts.Compactor); ok && m.ShouldCompact(s, p, a) {
		if a.stuck(s) {
			return a.end(ctx, s, rollout.StopFoldStuck, nil)
		}
		out, err := a.compact(ctx, s, contexts.ReasonThreshold)
		if !errors.Is(err, contexts.ErrDeclined) {
			return out, err
		}
	}
	out, err := a.decide(ctx, s, p, false)
	if errors.Is(err, policy.ErrContextFull) {
		return a.overflow(ctx, s, err)
	}
	return out, err
}

// Finish is the final-answer turn: the policy is told to answer and its reply
// ends the rollout.
func (a *Agent) Finish(ctx context.Context, s rollout.State) (rollout.State, error) {
	if s.Done() {
		return s, fmt.Errorf("finish task %s, branch %q: the rollout has ended", s.Task.ID, s.Branch)
	}
	out, err := a.ask(ctx, s)
	if errors.Is(err, policy.ErrContextFull) {
		if s, err = a.overflow(ctx, s, err); err != nil || s.Done() {
			return s, err
		}
		if out, err = a.ask(ctx, s); errors.Is(err, policy.ErrContextFull) {
			return a.full(ctx, s, err)
		}
	}
	if err != nil {
		return s, err
	}
	if !out.Done() {
		return a.end(ctx, out, rollout.StopMaxSteps, nil)
	}
	return out, nil
}

// ask is the final-answer turn.
func (a *Agent) ask(ctx context.Context, s rollout.State) (rollout.State, error) {
	s = a.told(s)
	p, err := a.prepare(s, a.tools)
	if err != nil {
		return s, err
	}
	return a.decide(ctx, s, p, true)
}

// told is s with the word that no steps are left.
func (a *Agent) told(s rollout.State) rollout.State {
	return s.WithMessages(rollout.User(a.cfg.FinalInstruction))
}

// Next is the prompt of the next generate from s. A compaction that would come
// before it is not foreseen.
func (a *Agent) Next(s rollout.State) (policy.Prompt, error) {
	if a.steps(s) >= a.cfg.MaxSteps && *a.cfg.FinalAnswer {
		s = a.told(s)
	}
	return a.prepare(s, a.tools)
}

// prepare asks the manager for the prompt.
func (a *Agent) prepare(s rollout.State, tools []rollout.ToolSchema) (policy.Prompt, error) {
	p, err := a.cfg.Context.Prepare(s, a, tools)
	if err != nil {
		return p, fmt.Errorf("prepare turn %d of task %s, branch %q: %w", s.Len(), s.Task.ID, s.Branch, err)
	}
	return p, nil
}

// decide generates a reply to p and lets the world answer it. Its error is
// policy.ErrContextFull when the window has no room for a reply.
func (a *Agent) decide(ctx context.Context, s rollout.State, p policy.Prompt, ending contexts.Ending) (rollout.State, error) {
	sp, ok := a.request(s)
	if !ok {
		return a.end(ctx, s, rollout.StopMaxTokens, nil)
	}
	turn, err := a.generate(ctx, s, p, sp)
	if err != nil {
		return s, err
	}
	return a.apply(ctx, s, p, turn, ending)
}

// request is the law of the next reply; false when the rollout's tokens are spent.
func (a *Agent) request(s rollout.State) (rollout.SamplingParams, bool) {
	sp := a.cfg.Sampling
	sp.MaxTokens, sp.StopIDs = a.cfg.MaxTokens, a.stop
	if budget := a.cfg.MaxRolloutTokens; budget > 0 {
		sp.MaxTokens = min(sp.MaxTokens, budget-a.cfg.spent-s.Generated())
	}
	sp.Seed = rollout.DeriveSeed(fmt.Sprint(a.cfg.Seed), string(s.Task.ID), s.Branch, fmt.Sprint(s.Len()), string(a.cfg.tag))
	return sp, sp.MaxTokens >= 1
}

// generate samples one reply and makes a turn of it.
func (a *Agent) generate(ctx context.Context, s rollout.State, p policy.Prompt, sp rollout.SamplingParams) (*rollout.Turn, error) {
	gctx := ctx
	if a.cfg.GenerateTimeout > 0 {
		var cancel context.CancelFunc
		gctx, cancel = context.WithTimeout(ctx, a.cfg.GenerateTimeout)
		defer cancel()
	}
	gctx = policy.WithOrigin(gctx, origin(s))
	started := time.Now()
	c, err := a.cfg.Policy.Generate(gctx, p, sp)
	if err != nil {
		return nil, fmt.Errorf("turn %d of task %s, branch %q: %w", s.Len(), s.Task.ID, s.Branch, a.timely(ctx, err))
	}
	t := rollout.NewTurn(p.Tokens, c)
	t.Tag, t.Sampling, t.ContextVersion = a.cfg.tag, sp, s.ContextVersion
	t.Timing = rollout.Timing{Started: started, Generate: time.Since(started)}
	if a.cfg.scorer != nil {
		if t.Anchor, err = a.anchor(gctx, t); err != nil {
			return nil, fmt.Errorf("score turn %d of task %s, branch %q, under the anchor: %w", s.Len(), s.Task.ID, s.Branch, a.timely(ctx, err))
		}
	}
	return t, nil
}

// timely is err, with the cause of a generate timeout where that ran out.
func (a *Agent) timely(ctx context.Context, err error) error {
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &policy.Error{Kind: policy.KindTimeout, Server: fmt.Sprintf("%T", a.cfg.Policy), Detail: fmt.Sprintf("no reply within %s", a.cfg.GenerateTimeout), Err: err}
}

// origin names the request after the rollout and its turn, and keeps all
// branches of a task together: they share its prompt.
func origin(s rollout.State) policy.Origin {
	session := string(s.Task.ID)
	return policy.Origin{Request: fmt.Sprintf("%s-%s-%d", session, s.Branch, s.Len()), Session: session}
}

// end stops a rollout for a reason of the agent's and asks the world for its
// score. Without one completed turn the policy cannot have caused the end: the
// rollout failed instead.
func (a *Agent) end(ctx context.Context, s rollout.State, why rollout.StopReason, f *rollout.Failure) (rollout.State, error) {
	if s.Len() == 0 {
		failed := &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: string(why), Detail: "the rollout ended before its first turn: " + why.Sentence()}
		if f != nil {
			failed.Detail = f.Detail
		}
		return s.Ended(rollout.StopFailed, failed), nil
	}
	s, err := a.settle(ctx, s)
	if err != nil {
		return s, fmt.Errorf("settle task %s, branch %q: %w", s.Task.ID, s.Branch, err)
	}
	return s.Ended(why, f), nil
}

// settle asks the world for the score of a rollout that never answered: by its
// Score, or by a Finish without anything usable.
func (a *Agent) settle(ctx context.Context, s rollout.State) (rollout.State, error) {
	w := env.World{State: s.Env, Workspace: s.Workspace}
	if sc, ok := a.cfg.Env.(env.Scorer); ok {
		outcome, err := sc.Score(ctx, w)
		s.Settled = &rollout.Transition{Done: true, Outcome: outcome}
		return s, err
	}
	w, tr, err := a.cfg.Env.Finish(ctx, w, rollout.Invalid{Status: rollout.ParseNone})
	s.Env, s.Workspace, s.Settled = w.State, w.Workspace, tr
	return s, err
}
