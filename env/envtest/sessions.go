package envtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"focus/env"
	"focus/rollout"
)

// Sessions is a toy world whose sessions live outside of its states and change
// in place, for tests of whoever plays or branches them. The tool `note` adds a
// word to the session's list and says the whole list; a reply in words ends the
// episode, and the length of the list is the outcome. It cannot be branched:
// [Forked] and [Replayed] can. The zero value is ready for use.
type Sessions struct {
	// OnReset, when set, may fail a reset; n counts them from 0.
	OnReset func(n int) error
	// OnStep, when set, may fail a step in a session with these words.
	OnStep func(words []string) error

	mu                 sync.Mutex
	resets, made, open int
	misused            error
}

// Forked is [Sessions] that fork.
type Forked struct {
	Sessions
	// OnFork, when set, may fail the fork of a session with these words.
	OnFork func(words []string) error
}

// Replayed is [Sessions] that are replayed.
type Replayed struct {
	Sessions
	// DriftFrom is the first reset whose session observes otherwise than those
	// before; 0 is never.
	DriftFrom int
}

// session is what lives outside; it is the state of all its worlds.
type session struct {
	owner  *Sessions
	words  []string
	prefix string // of what it observes
	over   bool
	closed bool
}

// Count is how many sessions there were, and how many of them are not closed.
func (w *Sessions) Count() (made, open int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made, w.open
}

// Misused is the first session that was closed twice, or used after its end.
func (w *Sessions) Misused() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.misused
}

// begin makes a session; the lock is held.
func (w *Sessions) begin(words []string, prefix string) *session {
	w.made, w.open = w.made+1, w.open+1
	return &session{owner: w, words: slices.Clone(words), prefix: prefix}
}

func (w *Sessions) misuse(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if w.misused == nil {
		w.misused = err
	}
	return err
}

// Close ends the session.
func (s *session) Close() error {
	s.owner.mu.Lock()
	defer s.owner.mu.Unlock()
	if s.closed {
		return s.owner.misuse("session %v is closed twice", s.words)
	}
	s.closed = true
	s.owner.open--
	return nil
}

// Tools is note.
func (*Sessions) Tools() []rollout.ToolSchema {
	return []rollout.ToolSchema{{
		Name: "note", Description: "Add a word to the list.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
	}}
}

// Reset begins a session.
func (w *Sessions) Reset(ctx context.Context, task rollout.Task) (env.Start, error) {
	return w.reset(ctx, task, 0)
}

// Reset begins a session.
func (w *Replayed) Reset(ctx context.Context, task rollout.Task) (env.Start, error) {
	return w.reset(ctx, task, w.DriftFrom)
}

func (w *Sessions) reset(ctx context.Context, _ rollout.Task, drift int) (env.Start, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.resets
	w.resets++
	err := ctx.Err()
	if err == nil && w.OnReset != nil {
		err = w.OnReset(n)
	}
	if err != nil {
		return env.Start{}, err
	}
	prefix := ""
	if drift > 0 && n >= drift {
		prefix = "again "
	}
	return env.Start{World: env.World{State: w.begin(nil, prefix)}, Messages: []rollout.Message{rollout.User("keep a list")}}, nil
}

// Fork begins a session with the words of another.
func (w *Forked) Fork(ctx context.Context, from env.World) (env.World, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := from.State.(*session)
	if s.closed {
		return env.World{}, w.misuse("session %v is forked after it was closed", s.words)
	}
	err := ctx.Err()
	if err == nil && w.OnFork != nil {
		err = w.OnFork(s.words)
	}
	if err != nil {
		return env.World{}, err
	}
	return env.World{State: w.begin(s.words, s.prefix)}, nil
}

// ObservationHash leaves out nothing.
func (*Replayed) ObservationHash(t *rollout.Transition) string { return env.HashObservations(t) }

// Step changes the session.
func (w *Sessions) Step(ctx context.Context, at env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	return w.apply(ctx, at, a, false)
}

// Finish ends the session's episode.
func (w *Sessions) Finish(ctx context.Context, at env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	return w.apply(ctx, at, a, true)
}

func (w *Sessions) apply(ctx context.Context, at env.World, a rollout.Action, last bool) (env.World, *rollout.Transition, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := at.State.(*session)
	if s.closed || s.over {
		return at, nil, w.misuse("session %v is stepped after its end", s.words)
	}
	err := ctx.Err()
	if err == nil && w.OnStep != nil {
		err = w.OnStep(s.words)
	}
	if err != nil {
		return at, nil, err
	}
	tr := &rollout.Transition{Action: a}
	switch a := a.(type) {
	case rollout.Calls:
		for _, c := range a.Calls {
			tr.Observations = append(tr.Observations, rollout.ToolResult(c, s.call(c, tr)))
		}
	case rollout.Text, rollout.TokenChunk:
		chunk, part := a.(rollout.TokenChunk)
		last = last || !part || chunk.Final
	case rollout.Invalid:
		tr.Failure = &rollout.Failure{Class: rollout.FailureVisible, Cause: env.CauseInvalidAction}
		tr.Observations = []rollout.Message{rollout.User(env.ValidUTF8(a.Feedback))}
	default:
		return at, nil, errors.New("an action of unknown type")
	}
	if calls, ok := a.(rollout.Calls); ok && len(calls.Calls) == 0 {
		last = true
	}
	if last {
		score := float64(len(s.words))
		s.over = true
		tr.Done, tr.Stop, tr.Outcome = true, rollout.StopAnswered, &score
	}
	return at, tr, nil
}

// call runs one call and says what came of it.
func (s *session) call(c rollout.ToolCall, tr *rollout.Transition) string {
	var arguments struct{ Word *string }
	if c.Name != "note" || json.Unmarshal(c.Arguments, &arguments) != nil || arguments.Word == nil {
		tr.Failure = &rollout.Failure{Class: rollout.FailureVisible, Cause: env.CauseBadArguments}
		return "error: call note with a word"
	}
	tr.ToolCalls++
	s.words = append(s.words, *arguments.Word)
	return s.prefix + strings.Join(s.words, " ")
}
