package contexts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"focus/rollout"
)

// Phase is what a [PrefixSummary] compaction does next.
type Phase string

const (
	// PhaseSelect chooses what to keep and asks the hooks.
	PhaseSelect Phase = "select"
	// PhaseSummarize makes the request.
	PhaseSummarize Phase = "summarize"
	// PhaseRetry waits until it may be made again.
	PhaseRetry Phase = "retry"
)

// PrefixCheckpoint is all that a compaction has decided, before a phase runs: a
// plain value, written as JSON, from which [PrefixSummary.Resume] goes on.
type PrefixCheckpoint struct {
	Phase  Phase  `json:"phase"`
	Reason Reason `json:"reason"`
	SummaryRequest
	// Until is when a retry may start.
	Until time.Time `json:"until,omitzero"`
}

// SummaryRequest is the request for a summary, the same for every attempt.
type SummaryRequest struct {
	// Attempt counts from 1.
	Attempt   int `json:"attempt,omitempty"`
	MaxTokens int `json:"max_tokens,omitempty"`
	// Tail is the length of the conversation that the selection was made on.
	Tail int `json:"tail,omitempty"`
	// FirstKept is the position of the first message that is kept.
	FirstKept int `json:"first_kept,omitempty"`
}

// PrefixFailure names why a summary came to nothing.
type PrefixFailure string

const (
	// FailureNoTurn: the request did not fit the window, or no ids were left.
	FailureNoTurn PrefixFailure = "no_turn"
	// FailureModel: the server gave the reply up.
	FailureModel PrefixFailure = "model_error"
	// FailureLength: the summary was cut off at its cap.
	FailureLength PrefixFailure = "token_limit"
	// FailureToolCall: the reply is a call, or an attempt at one.
	FailureToolCall PrefixFailure = "tool_call"
	// FailureNoText: nothing was written.
	FailureNoText PrefixFailure = "no_text"
)

var failureSentences = map[PrefixFailure]string{
	FailureNoTurn:   "the summary was never started",
	FailureModel:    "the server gave the summary up",
	FailureLength:   "the summary reached its token limit and is not whole",
	FailureToolCall: "the summary tried to call a tool",
	FailureNoText:   "the summary has no text",
}

// Sentence says in words what the failure means.
func (f PrefixFailure) Sentence() string { return failureSentences[f] }

// SummaryText accepts a reply as a summary: one that ended by itself, has text
// and calls nothing. Otherwise it says why not.
func SummaryText(finish rollout.Finish, action rollout.Action) (string, PrefixFailure) {
	switch finish {
	case rollout.FinishStop:
	case rollout.FinishLength:
		return "", FailureLength
	default:
		return "", FailureModel
	}
	switch a := action.(type) {
	case rollout.Text:
		if text := strings.TrimSpace(a.Content); text != "" {
			return text, ""
		}
		return "", FailureNoText
	case rollout.Calls:
		if len(a.Calls) > 0 {
			return "", FailureToolCall
		}
		return SummaryText(finish, rollout.Text{Content: a.Content})
	}
	return "", FailureToolCall
}

// Resume goes on with a compaction in the phase it was in. The conversation must
// be the one that the checkpoint was made for.
func (m *PrefixSummary) Resume(ctx context.Context, c Compaction, at PrefixCheckpoint) (Result, error) {
	if at.Phase != PhaseSelect && (at.Tail != len(c.Messages) || at.FirstKept < c.SeedLen() || at.FirstKept > at.Tail) {
		return Result{}, fmt.Errorf("resume the compaction of task %s: the checkpoint is of %d messages with %d kept first, there are %d", c.Rollout.Task.ID, at.Tail, at.FirstKept, len(c.Messages))
	}
	for {
		if m.cfg.OnPhase != nil {
			if err := m.cfg.OnPhase(ctx, c.Rollout, at); err != nil {
				return Result{}, fmt.Errorf("record phase %s of the compaction of task %s: %w", at.Phase, c.Rollout.Task.ID, err)
			}
		}
		var done *Result
		var err error
		switch at.Phase {
		case PhaseSelect:
			at, done, err = m.selectKept(ctx, c, at)
		case PhaseSummarize:
			at, done, err = m.summarize(ctx, c, at)
		case PhaseRetry:
			at, err = wait(ctx, at)
		default:
			err = fmt.Errorf("compaction of task %s: unknown phase %q", c.Rollout.Task.ID, at.Phase)
		}
		if err != nil {
			return Result{}, err
		}
		if done != nil {
			return *done, nil
		}
	}
}

// selectKept cuts, and asks the hooks.
func (m *PrefixSummary) selectKept(ctx context.Context, c Compaction, at PrefixCheckpoint) (PrefixCheckpoint, *Result, error) {
	view := viewOf(c.Seed, c.Messages, c.Rollout.ContextVersion)
	cut, ok := SelectCut(view, m.cfg.KeepRecentTokens)
	if !ok {
		return at, nil, ErrDeclined
	}
	at.FirstKept, at.Tail = c.SeedLen()+cut, len(c.Messages)
	asked := PrefixCompaction{
		Reason: at.Reason, Messages: Summarized(view, cut), Kept: slices.Clone(c.Messages[at.FirstKept:]),
		FirstKept: at.FirstKept, Instructions: m.cfg.Instructions,
	}
	var decision PrefixDecision
	for _, hook := range m.cfg.BeforeCompact {
		d, err := hook(ctx, asked)
		if err != nil {
			return at, nil, fmt.Errorf("hook before the compaction of task %s: %w", c.Rollout.Task.ID, err)
		}
		if decision == (PrefixDecision{}) {
			decision = d
		}
	}
	switch {
	case decision.Decline:
		return at, nil, ErrDeclined
	case decision.Summary != nil:
		res := m.placed(c, at.FirstKept, *decision.Summary, nil)
		return at, &res, nil
	}
	at.Phase, at.Attempt = PhaseSummarize, 1
	at.MaxTokens = max(1, m.cfg.ReserveTokens*4/5)
	if m.cfg.MaxReplyTokens > 0 {
		at.MaxTokens = min(at.MaxTokens, m.cfg.MaxReplyTokens)
	}
	return at, nil, nil
}

// summarize makes the request. A failure of the server that may pass leads to a
// retry; any other, and the last, is returned.
func (m *PrefixSummary) summarize(ctx context.Context, c Compaction, at PrefixCheckpoint) (PrefixCheckpoint, *Result, error) {
	view := viewOf(c.Seed, c.Messages, c.Rollout.ContextVersion)
	// The seed stays in the conversation; without the task in it, nobody could
	// tell what of the record matters.
	record := slices.Concat(c.Seed, Summarized(view, at.FirstKept-c.SeedLen()))
	messages := []rollout.Message{rollout.System(SummarizationSystemPrompt), rollout.User(SummaryPrompt(record, m.cfg.Instructions))}
	runner, err := c.Agent.Derive(m.world, Derivation{
		Sampling: m.cfg.Sampling, MaxSteps: 1, MaxTokens: at.MaxTokens, Spent: c.Rollout.Generated(),
	})
	if err != nil {
		return at, nil, fmt.Errorf("summarise task %s: %w", c.Rollout.Task.ID, err)
	}
	end, err := runner.Run(ctx, m.start(c, messages))
	if err != nil {
		if ctx.Err() == nil && passing(err) && at.Attempt <= m.cfg.Retry.MaxRetries {
			at.Phase, at.Until = PhaseRetry, time.Now().Add(m.cfg.Retry.Delay(at.Attempt))
			return at, nil, nil
		}
		return at, nil, fmt.Errorf("summarise task %s, attempt %d: %w", c.Rollout.Task.ID, at.Attempt, err)
	}
	turns := slices.Collect(end.Turns())
	summary, why := "", FailureNoTurn
	if last := end.Last(); last != nil && last.Transition != nil {
		summary, why = SummaryText(last.Finish, last.Transition.Action)
		// A parser also refuses reasoning that never closes: that is no call.
		if said := end.Messages.At(end.Messages.Len() - 1); why == FailureToolCall && said.Content == "" && said.Reasoning != "" {
			why = FailureNoText
		}
	}
	if why != "" {
		if n := len(turns); n > 0 {
			t := *turns[n-1]
			t.Issue = string(why)
			turns[n-1] = &t
		}
		return at, nil, &IncompleteError{Turns: turns, Reasons: []string{string(why) + ": " + why.Sentence()}}
	}
	res := m.placed(c, at.FirstKept, summary, turns)
	return at, &res, nil
}

// passing reports whether the same request may succeed later.
func passing(err error) bool {
	t, ok := errors.AsType[interface {
		error
		Temporary() bool
	}](err)
	return ok && t.Temporary()
}

// wait sleeps until a retry may start.
func wait(ctx context.Context, at PrefixCheckpoint) (PrefixCheckpoint, error) {
	timer := time.NewTimer(time.Until(at.Until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return at, ctx.Err()
	case <-timer.C:
	}
	at.Phase, at.Until = PhaseSummarize, time.Time{}
	at.Attempt++
	return at, nil
}
