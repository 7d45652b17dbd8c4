package value

import (
	"fmt"
	"maps"
)

// Cause is why a score is missing.
type Cause string

const (
	// CausePrompt: the state could not be rendered.
	CausePrompt Cause = "prompt"
	// CauseUnreachable: no answer, or the connection broke.
	CauseUnreachable Cause = "unreachable"
	// CauseTimeout: no answer within the timeout.
	CauseTimeout Cause = "timeout"
	// CauseStatus: an answer other than 200.
	CauseStatus Cause = "status"
	// CauseBadReply: the answer, or this score in it, is not of the form asked for.
	CauseBadReply Cause = "bad_reply"
	// CauseLength: more or fewer scores than states.
	CauseLength Cause = "wrong_length"
	// CauseNull: the server has no score for this state.
	CauseNull Cause = "null"
	// CauseNotFinite: NaN, or an infinity.
	CauseNotFinite Cause = "not_finite"
	// CauseClosed: the client was closed first.
	CauseClosed Cause = "closed"
)

// Error is a request, or a score, that came to nothing.
type Error struct {
	Why    Cause
	Detail string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Why, e.Detail) }

func bad(why Cause, format string, args ...any) *Error {
	return &Error{why, fmt.Sprintf(format, args...)}
}

// Failures counts the missing scores so far by their cause.
func (c *Client) Failures() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.failures)
}

func (c *Client) count(why Cause) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures[string(why)]++
}
