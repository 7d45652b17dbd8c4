package contexts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"focus/env"
	"focus/rollout"
)

// The reasons why a fold's last reply is no usable notes, as [IncompleteError]
// words them.
const (
	ReasonNoTurn        = "the fold made no turn"
	ReasonEarly         = "the fold ended early"
	ReasonCut           = "the notes were cut off at the cap"
	ReasonAborted       = "the server gave the notes up"
	ReasonEmpty         = "the notes are empty"
	ReasonOpenReasoning = "the reply is reasoning that never closes"
	ReasonToolCall      = "the last reply calls a tool"
	ReasonUnreadable    = "the last reply cannot be read"
	ReasonTooLong       = "the notes are too long"
	ReasonMalformed     = "the notes are malformed"
)

// MalformedPenalty is what each malformed structured reply takes off the return.
const MalformedPenalty = 0.1

// fold is one compaction by [Summarize].
type fold struct {
	m     *Summarize
	c     Compaction
	ws    rollout.Workspace
	world foldWorld
	turns []*rollout.Turn
	// stored names what the fold put into the rollout's workspace.
	stored []string
}

// run plays the fold and returns its notes.
func (f *fold) run(ctx context.Context) (string, error) {
	cfg := f.m.cfg
	seed := []rollout.Message{
		rollout.System(f.instruction()),
		rollout.User(strings.Replace(cfg.TranscriptTemplate, "{transcript}", transcript(f.c.Messages), 1)),
	}
	start := rollout.NewState(f.c.Rollout.Task, seed, env.Episode[foldState]{}, f.ws)
	start.Branch = foldBranch(f.c.Rollout)
	end, err := f.play(ctx, start, cfg.MaxInteractions)
	if err != nil {
		return "", err
	}
	text, why := f.judge(end)
	if why != "" {
		return "", f.incomplete(why)
	}
	if !cfg.StructuredSummary {
		return text, nil
	}
	return f.structured(ctx, end, text)
}

// play runs the fold's agent from a state of the fold, for so many steps more,
// and keeps the turns.
func (f *fold) play(ctx context.Context, from rollout.State, steps int) (rollout.State, error) {
	cfg := f.m.cfg
	runner, err := f.c.Agent.Derive(f.world, Derivation{
		Sampling: cfg.Sampling, MaxSteps: from.Len() + steps, MaxTokens: cfg.MaxReplyTokens,
		FinalInstruction: finalNotesInstruction, Spent: f.c.Rollout.Generated(),
	})
	if err != nil {
		return rollout.State{}, fmt.Errorf("fold task %s: %w", f.c.Rollout.Task.ID, err)
	}
	end, err := runner.Run(ctx, from)
	if err != nil {
		return rollout.State{}, fmt.Errorf("fold: %w", err)
	}
	f.turns = slices.Collect(end.Turns())
	if ep, ok := end.Env.(env.Episode[foldState]); ok && f.m.cfg.FoldWorkspace == nil {
		for _, name := range ep.State.Stored {
			if !slices.Contains(f.stored, name) {
				f.stored = append(f.stored, name)
			}
		}
	}
	return end, nil
}

// foldBranch names the fold's requests: no two folds of a line, and no folds of
// two branches, draw the same noise.
func foldBranch(s rollout.State) string {
	return fmt.Sprintf("%s/fold-%d-%d", s.Branch, s.Len(), s.Compactions)
}

// reopened is a fold that has ended, as it is when the model is asked for one
// reply more. The conversation goes on by its ids.
func (f *fold) reopened(end rollout.State, ask string) rollout.State {
	last := *f.turns[len(f.turns)-1]
	went := *last.Transition
	went.Done, went.Stop = false, ""
	last.Transition = &went
	s := rollout.NewState(end.Task, end.Seed, env.Episode[foldState]{State: foldState{Final: true}}, f.ws)
	s.Branch, s.Messages = end.Branch, end.Messages.Append(rollout.User(ask))
	return s.WithTurn(f.turns[:len(f.turns)-1]...).WithTurn(&last)
}

// judge is the text of the fold's last reply, or why it cannot be used.
func (f *fold) judge(end rollout.State) (text, why string) {
	last := end.Last()
	switch {
	case last == nil:
		return "", ReasonNoTurn
	case end.Reason() != rollout.StopAnswered:
		return "", ReasonEarly + ": " + end.Reason().Sentence()
	case last.Finish == rollout.FinishAbort:
		return "", ReasonAborted
	case last.Finish == rollout.FinishLength && f.m.cfg.RequireCompleteReply:
		return "", ReasonCut
	}
	reply := end.Messages.At(end.Messages.Len() - 1)
	if reply.Reasoning != "" && reply.Content == "" {
		return "", ReasonOpenReasoning
	}
	switch a := last.Transition.Action.(type) {
	case rollout.Calls:
		return "", ReasonToolCall
	case rollout.Text:
		if text = strings.TrimSpace(a.Content); text == "" {
			return "", ReasonEmpty
		}
		return text, ""
	}
	if len(last.Attempts) > 0 {
		return "", ReasonUnreadable + ": " + last.Attempts[len(last.Attempts)-1].Reason
	}
	return "", ReasonUnreadable
}

// structured reads notes of the fixed form, and lets the model repair them once.
func (f *fold) structured(ctx context.Context, end rollout.State, text string) (string, error) {
	notes, err := ParseStructuredNotes(text)
	if err == nil {
		return notes.String(), nil
	}
	f.penalise(err)
	if end, err = f.play(ctx, f.reopened(end, repairInstruction(err)), 1); err != nil {
		return "", err
	}
	text, why := f.judge(end)
	if why != "" {
		return "", f.incomplete(why)
	}
	if notes, err = ParseStructuredNotes(text); err != nil {
		f.penalise(err)
		return "", f.incomplete(ReasonMalformed + ": " + err.Error())
	}
	return notes.String(), nil
}

// penalise marks the last turn as malformed. The penalties of an episode do not
// add up to more than the cap.
func (f *fold) penalise(issue error) {
	penalty := MalformedPenalty
	if limit := f.m.cfg.PenaltyCap; limit != nil {
		had := f.c.Rollout.Scores().Penalty
		for _, t := range f.turns {
			had += t.Penalty
		}
		penalty = max(0, min(penalty, *limit+had))
	}
	f.mark(ReasonMalformed+": "+issue.Error(), -penalty)
}

// mark notes an issue on the last turn. Turns of a log are not edited: it is
// copied.
func (f *fold) mark(issue string, penalty float64) {
	if len(f.turns) == 0 {
		return
	}
	t := *f.turns[len(f.turns)-1]
	t.Issue, t.Penalty = issue, t.Penalty+penalty
	f.turns[len(f.turns)-1] = &t
}

// incomplete is the error of a fold that came to nothing.
func (f *fold) incomplete(why string) error {
	f.mark(why, 0)
	return &IncompleteError{Turns: f.turns, Reasons: []string{why}}
}

// errNoStore is a defect of this package: tools are offered only over a store.
var errNoStore = errors.New("fold: the workspace stores nothing")
