package env

import (
	"context"
	"fmt"

	"focus/rollout"
)

// phase says whether more decisions may follow.
type phase int

const (
	playing phase = iota
	finishing
)

// Step applies an action.
func (e *ToolEnv[S]) Step(ctx context.Context, w World, a rollout.Action) (World, *rollout.Transition, error) {
	return e.apply(ctx, w, a, playing)
}

// Finish applies the reply of the final-answer turn: only final tools run,
// words are judged, and the episode ends whatever the reply was.
func (e *ToolEnv[S]) Finish(ctx context.Context, w World, a rollout.Action) (World, *rollout.Transition, error) {
	return e.apply(ctx, w, a, finishing)
}

func (e *ToolEnv[S]) apply(ctx context.Context, w World, a rollout.Action, p phase) (World, *rollout.Transition, error) {
	if err := ctx.Err(); err != nil {
		return w, nil, err
	}
	ep, err := e.episode(w)
	if err != nil {
		return w, nil, err
	}
	if ep.Over {
		return w, nil, fmt.Errorf("%s: a step after the end of the episode", e.cfg.Name)
	}
	tr := &rollout.Transition{Action: a}
	switch a := a.(type) {
	case rollout.Calls:
		if len(a.Calls) == 0 {
			e.words(ep, tr, a.Content, p)
			break
		}
		if ep, err = e.runCalls(ctx, ep, w.Workspace, tr, a.Calls, p); err != nil {
			return w, nil, err
		}
	case rollout.Text:
		e.words(ep, tr, a.Content, p)
	case rollout.TokenChunk:
		if a.Final || p == finishing {
			e.words(ep, tr, a.Reply, p)
		}
	case rollout.Invalid:
		e.observe(tr, a.Feedback)
		tr.Failure = visible(CauseInvalidAction, string(a.Status))
	default:
		return w, nil, fmt.Errorf("%s: action of unknown type %T", e.cfg.Name, a)
	}
	if p == finishing && !tr.Done {
		e.end(ep, tr, rollout.StopMaxSteps)
	}
	ep.Over = tr.Done
	return World{State: ep, Workspace: w.Workspace}, tr, nil
}

// words handles a reply without a call.
func (e *ToolEnv[S]) words(ep Episode[S], tr *rollout.Transition, reply string, p phase) {
	if e.cfg.Answer != nil && (e.cfg.AnswerEnds || p == finishing) {
		score := e.cfg.Answer(ep.State, reply)
		tr.Outcome, tr.Done, tr.Stop = &score, true, rollout.StopAnswered
		return
	}
	e.observe(tr, e.cfg.Nudge)
	tr.Failure = visible(CauseNoCall, "")
}

// end closes an episode that reached no answer.
func (e *ToolEnv[S]) end(ep Episode[S], tr *rollout.Transition, why rollout.StopReason) {
	tr.Done, tr.Stop = true, why
	if tr.Outcome == nil && e.cfg.Score != nil {
		score := e.cfg.Score(ep.State)
		tr.Outcome = &score
	}
}

// Score is the outcome of an episode that ends here without an answer; nil
// when nobody computes one, or when a transition has ended it already.
func (e *ToolEnv[S]) Score(_ context.Context, w World) (*float64, error) {
	ep, err := e.episode(w)
	if err != nil || ep.Over || e.cfg.Score == nil {
		return nil, err
	}
	score := e.cfg.Score(ep.State)
	return &score, nil
}

// observe appends what is said to the model outside any call's result. It is a
// user message: a tool message without a call breaks chat templates.
func (e *ToolEnv[S]) observe(tr *rollout.Transition, text string) {
	tr.Observations = append(tr.Observations, rollout.User(e.bounded(text)))
}

func visible(cause, detail string) *rollout.Failure {
	return &rollout.Failure{Class: rollout.FailureVisible, Cause: cause, Detail: cutUTF8(ValidUTF8(detail), 500)}
}
