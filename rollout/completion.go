package rollout

import "time"

// SamplingParams is the law a reply is drawn from. Every field is sent
// explicitly: a server's own defaults never apply.
type SamplingParams struct {
	// Temperature; 0 is greedy. Default 1.
	Temperature float64
	// TopP in (0, 1]; 1 truncates nothing. Default 1.
	TopP float64
	// TopK; 0 truncates nothing. Default 0.
	TopK int
	// MinP in [0, 1]; 0 truncates nothing. Default 0.
	MinP float64
	// MaxTokens is the cap on sampled ids of this request; at least 1.
	MaxTokens int
	// Seed is this request's own; see [DeriveSeed].
	Seed int64
	// StopIDs end the reply; the id that matched is part of it. Stopping is by
	// ids only, never by a server's stop strings.
	StopIDs []TokenID
}

// DefaultSampling is temperature 1 without any truncation, the law under which
// every server's logprobs mean the same.
func DefaultSampling() SamplingParams {
	return SamplingParams{Temperature: 1, TopP: 1}
}

// Truncates reports whether top-p, top-k or min-p cut the distribution, so
// that processed logprobs are renormalised and a trainer's full softmax is not.
func (p SamplingParams) Truncates() bool {
	return p.TopP < 1 || p.TopK > 0 || p.MinP > 0
}

// Finish says why a generation ended.
type Finish string

const (
	// FinishStop: a stop id was sampled; it is the last id.
	FinishStop Finish = "stop"
	// FinishLength: the cap or the window was reached.
	FinishLength Finish = "length"
	// FinishAbort: the server gave up; the ids so far are valid.
	FinishAbort Finish = "abort"
)

// LogprobMode says what a server's logprobs are of.
type LogprobMode string

const (
	// LogprobsRaw: log-softmax of the model's logits, before temperature and
	// truncation.
	LogprobsRaw LogprobMode = "raw"
	// LogprobsProcessed: of the distribution that was sampled from.
	LogprobsProcessed LogprobMode = "processed"
)

// VersionSpan says which weights produced the sampled ids [Start, End).
type VersionSpan struct {
	Version    PolicyVersion
	Start, End int
}

// Completion is what came back from one generate.
type Completion struct {
	// Tokens are the sampled ids, terminator included.
	Tokens []TokenID
	// Logprobs has one entry per id; nil means never scored.
	Logprobs    []float32
	LogprobMode LogprobMode
	Finish      Finish
	// Matched is the stop id that ended the reply, -1 when none did.
	Matched TokenID
	// Versions covers [0, len(Tokens)) in order.
	Versions []VersionSpan
	// Exact is false when the ids are not a faithful record of what the policy
	// did (a server that re-tokenises text, say).
	Exact bool
	// CachedTokens is how much of the prompt the server had; -1 when unknown.
	CachedTokens int
	Server       string
	Latency      time.Duration
}
