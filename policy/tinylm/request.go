package tinylm

import (
	"errors"
	"fmt"
	"math"
)

// Request asks an Engine for a continuation of ids, for the scores of ids, or for both.
type Request struct {
	IDs       []int32  // the prompt; at least one id
	MaxTokens int      // most ids to sample, clamped to the room the window leaves; 0 samples none
	Law       Sampling // how they are drawn
	Stop      []int32  // ids that end the continuation; the matched one is kept in it
	Mode      Mode     // which logprobs are reported
	Score     bool     // also report the raw logprob of every prompt id
}

// Finish says why a continuation ended.
type Finish string

const (
	// FinishStop means that an id of Request.Stop was sampled; it is the last of Result.IDs.
	FinishStop Finish = "stop"
	// FinishLength means that MaxTokens, or the window, was reached.
	FinishLength Finish = "length"
)

// Result is what came of a Request.
type Result struct {
	IDs      []int32   // sampled ids
	Logprobs []float32 // of IDs, in the mode asked for
	Scores   []float32 // of the prompt, with Score: raw, one per id; the first, which nothing predicts, is NaN
	Finish   Finish
	Matched  int32 // the stop id that was sampled; -1 with FinishLength
	Cached   int   // prompt positions taken from the prefix cache
}

var (
	// ErrClosed is returned by an engine that was closed.
	ErrClosed = errors.New("tinylm engine is closed")
	// ErrRequest marks a request that can never be served; nothing about trying again helps.
	ErrRequest = errors.New("bad tinylm request")
)

// WindowError says that a prompt leaves no room in the model's window. It is an ErrRequest.
type WindowError struct {
	Prompt, Window int // ids
}

func (e *WindowError) Error() string {
	return fmt.Sprintf("prompt of %d ids leaves no room in a window of %d", e.Prompt, e.Window)
}

// Is makes every WindowError an ErrRequest.
func (e *WindowError) Is(target error) bool { return target == ErrRequest }

// check refuses what the model cannot compute.
func (r *Request) check(c *Config) error {
	room := c.Window - len(r.IDs)
	if room < 0 || (room == 0 && r.MaxTokens > 0) {
		return &WindowError{Prompt: len(r.IDs), Window: c.Window}
	}
	l := r.Law
	switch {
	case len(r.IDs) == 0:
		return fmt.Errorf("%w: empty prompt", ErrRequest)
	case r.MaxTokens < 0:
		return fmt.Errorf("%w: max tokens %d", ErrRequest, r.MaxTokens)
	case !(l.Temperature >= 0) || math.IsInf(l.Temperature, 1):
		return fmt.Errorf("%w: temperature %g", ErrRequest, l.Temperature)
	case !(l.TopP >= 0 && l.TopP <= 1):
		return fmt.Errorf("%w: top_p %g is not in [0,1]", ErrRequest, l.TopP)
	case !(l.MinP >= 0 && l.MinP <= 1):
		return fmt.Errorf("%w: min_p %g is not in [0,1]", ErrRequest, l.MinP)
	}
	for i, id := range r.IDs {
		if id < 0 || int(id) >= c.Vocab {
			return fmt.Errorf("%w: id %d at %d is outside a vocabulary of %d", ErrRequest, id, i, c.Vocab)
		}
	}
	return nil
}
