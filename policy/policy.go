package policy

import (
	"context"

	"focus/rollout"
)

// Policy is the model: it renders prompts to ids and samples from ids. It is
// safe for concurrent use.
type Policy interface {
	// Prepare renders a whole conversation and its tools, with the prompt for
	// the next assistant turn.
	Prepare(messages []rollout.Message, tools []rollout.ToolSchema) (Prompt, error)
	// Generate samples one reply. Errors are *[Error] or the context's own.
	Generate(ctx context.Context, p Prompt, sp rollout.SamplingParams) (rollout.Completion, error)
	// Version names the weights that the next request will most likely meet;
	// what produced a reply is in the reply.
	Version() rollout.PolicyVersion
}

// Prompt is what a generate is sent.
type Prompt struct {
	Tokens rollout.Tokens
	// Covers is how many messages of the conversation Tokens renders.
	Covers int
	// Exact marks the continuation of an unfinished reply: Tokens ends with ids
	// that were sampled, and the next id goes on with the same reply. A policy
	// that cannot send ids as they are must refuse it. The prompt of a new turn
	// is not marked, whatever it begins with.
	Exact bool
	// Rewrote says that the template renders the history in another way than
	// it was sampled, so that a new region starts here.
	Rewrote bool
}

// ExactTokens is a policy that sends ids as they are and returns the ids that
// were sampled.
type ExactTokens interface{ ExactTokens() }

// Reproducible is a policy that gives the same ids for the same prompt, law and
// seed, whatever else it is doing.
type Reproducible interface{ Reproducible() }

// Continuer extends an earlier turn exactly.
type Continuer interface {
	// Continue is the prompt of the next generate after prev: its ids, what the
	// template puts after an assistant turn, the messages that came since, and
	// the next generation prompt. all is the whole conversation, of which
	// prev.Covers messages are in prev already.
	Continue(prev *rollout.Turn, all []rollout.Message, tools []rollout.ToolSchema) (Prompt, error)
}

// Scorer gives the logprobs of given ids under the present weights, at
// temperature 1 without truncation.
type Scorer interface {
	// Score returns one logprob per id of ids, given all before it. An id that
	// nothing precedes has no logprob: NaN.
	Score(ctx context.Context, prefix rollout.Tokens, ids []rollout.TokenID) ([]float32, error)
}

// Decoder reads ids back.
type Decoder interface {
	// Decode is the text of ids, added tokens included, and for each id the
	// byte offset in the text at which it ends.
	Decode(ids []rollout.TokenID) (text string, ends []int)
}

// Window is a policy that knows how many ids prompt and reply may have together.
type Window interface{ Window() int }

// Terminators is a policy that knows which ids end an assistant turn.
type Terminators interface{ StopIDs() []rollout.TokenID }

// Describer says what a run should record of a policy: hashes of tokenizer and
// template, model, the server's capability sheet.
type Describer interface{ Describe() Description }

// Description is written to the run and to the metadata of its files.
type Description struct {
	Kind          string         `json:"kind"`
	Model         string         `json:"model"`
	TokenizerHash string         `json:"tokenizer_sha256"`
	TemplateHash  string         `json:"template_sha256"`
	LogprobMode   string         `json:"logprob_mode"`
	Window        int            `json:"window"`
	Capabilities  map[string]any `json:"capabilities,omitempty"`
}
