package serve

import (
	"context"

	"focus/rollout"
)

// Backend samples. It is called by up to MaxSeqs goroutines at once and must
// return soon after ctx ends. What else it can do is found by type assertion:
// policy.Scorer gives prompt logprobs and echo, [CacheUsage] a gauge.
type Backend interface {
	Generate(ctx context.Context, r Request) (Reply, error)
}

// Request is one sequence. MaxTokens is at least 1 and fits the window; StopIDs
// hold the model's own end ids unless the client asked to ignore them.
type Request struct {
	Prompt   []rollout.TokenID
	Sampling rollout.SamplingParams
	// MinTokens is how many ids come before a stop id may be sampled: until
	// then they are masked out. Always 0 unless [Config.MinTokens].
	MinTokens int
	// Alternatives is how many of the likeliest ids are wanted beside each
	// sampled one; at most [Config.MaxAlternatives].
	Alternatives int
	// OnToken, when a backend calls it, is told each token as it is sampled,
	// in order, from one goroutine at a time. It never blocks.
	OnToken func(Token)
}

// Token is a sampled id with its logprob.
type Token struct {
	ID      rollout.TokenID
	Logprob float32
	// Top are the likeliest ids at this position, the likeliest first.
	Top []Alternative
}

// Alternative is an id that might have been sampled.
type Alternative struct {
	ID      rollout.TokenID
	Logprob float32
}

// Reply is all that was sampled for one request, the stop id included.
type Reply struct {
	Tokens []Token
	Finish rollout.Finish
	// Cached is how many ids of the prompt were not computed again; -1 when
	// the backend does not know.
	Cached int
}

// Tokenizer lets the endpoint take and show text. Without one, prompts are ids,
// text is empty, and /tokenize and /detokenize answer 404.
type Tokenizer interface {
	// Encode reads special text in a prompt as special ids, as vLLM does.
	Encode(text string) ([]rollout.TokenID, error)
	// Decode keeps special ids; an id it does not know is empty text.
	Decode(ids []rollout.TokenID) string
	// Special reports whether an id is hidden under skip_special_tokens.
	Special(id rollout.TokenID) bool
}

// Pieces is a tokenizer that can show an id as its vocabulary entry.
type Pieces interface {
	Piece(id rollout.TokenID) string
}

// CacheUsage is a backend that knows how full its KV memory is, from 0 to 1.
type CacheUsage interface{ CacheUsage() float64 }
