package fake

import (
	"net/http"
	"slices"

	"focus/rollout"
)

// Request is a completion as the server understood it.
type Request struct {
	// Number counts the completions of this server from 0, in order of arrival.
	Number int64
	Model  string
	Prompt []rollout.TokenID
	// MaxTokens is the cap after the window was taken into account; Wanted is
	// the cap as it was sent.
	MaxTokens, Wanted int
	Temperature       float64
	TopP, MinP        float64
	TopK              int64
	// Seed is -1 when none was sent.
	Seed           int64
	StopIDs        []rollout.TokenID
	IgnoreEOS      bool
	Logprobs       int64 // -1: not asked for
	PromptLogprobs int64 // -1: not asked for
	Echo           bool
	ReturnIDs      bool
	IDStrings      bool
	Stream         bool
	RequestID      string
	SessionID      string
	CacheSalt      string
	// Header of the request.
	Header http.Header
	// Body is the request as it was sent.
	Body []byte

	// raw is the prompt as it stands in Body.
	raw []byte
	eos rollout.TokenID
	// choices is n as it was sent; only 1 is answered.
	choices int64
}

// reset makes r new, keeping its room.
func (r *Request) reset() {
	*r = Request{
		Prompt: r.Prompt[:0], StopIDs: r.StopIDs[:0], Body: r.Body[:0],
		choices: 1, Wanted: 16, Temperature: 1, TopP: 1, Seed: -1, Logprobs: -1, PromptLogprobs: -1,
	}
}

// clone is a copy that outlives the request.
func (r *Request) clone() Request {
	c := *r
	c.Prompt, c.StopIDs, c.Body = slices.Clone(r.Prompt), slices.Clone(r.StopIDs), slices.Clone(r.Body)
	c.Header, c.raw = r.Header.Clone(), nil
	return c
}

// stops reports whether id ends the reply.
func (r *Request) stops(id rollout.TokenID) bool {
	return id == r.eos && !r.IgnoreEOS || slices.Contains(r.StopIDs, id)
}

// key is a hash of the prompt and the seed: the same request again has the
// same key.
func (r *Request) key() uint64 {
	l := law{h: uint64(r.Seed)}
	for _, id := range r.Prompt {
		l.see(id)
	}
	return scramble(l.h)
}
