package policy

import (
	"errors"
	"fmt"
)

// Sentinels, one per decision a caller makes.
var (
	// ErrContextFull: the prompt leaves no room for a reply. The rollout ends,
	// or is compacted.
	ErrContextFull = errors.New("prompt leaves no room in the model's window")
	// ErrRewritten: the template renders the history in another way than it was
	// sampled, and the run says `history: fail`.
	ErrRewritten = errors.New("chat template rewrites the history")
	// ErrInexact: the engine cannot take or give exact ids.
	ErrInexact = errors.New("policy does not exchange exact token ids")
	// ErrEcho: the server says that it was sent another prompt than it was.
	// Every reply of it is in doubt, so the run must stop.
	ErrEcho = errors.New("server works on another prompt than it was sent")
)

// Kind sorts the failures of a request.
type Kind string

const (
	// KindUnreachable: no answer, or the connection broke.
	KindUnreachable Kind = "unreachable"
	// KindOverloaded: 429 or 503.
	KindOverloaded Kind = "overloaded"
	// KindServer: any other 5xx.
	KindServer Kind = "server_error"
	// KindRefused: 4xx; the same request would be refused again.
	KindRefused Kind = "refused"
	// KindTimeout: the generate timeout ran out.
	KindTimeout Kind = "generate_timeout"
	// KindAborted: the server gave the request up without a usable reply.
	KindAborted Kind = "aborted"
	// KindBadReply: the reply failed a check: ids and logprobs of different
	// length, an unknown logprob, an echo that differs, a finish that cannot be.
	KindBadReply Kind = "bad_reply"
)

// Error is a failed request.
type Error struct {
	Kind   Kind
	Server string
	// Status is the HTTP status, 0 when there was none.
	Status int
	// Detail says what was seen.
	Detail string
	Err    error
}

func (e *Error) Error() string {
	s := fmt.Sprintf("generate on %s: %s", e.Server, e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Cause is the short stable word that failures are counted under.
func (e *Error) Cause() string { return string(e.Kind) }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool { return e.Kind != KindRefused }
