package render

import (
	"focus/policy/tokenizer"
	"focus/rollout"
)

// Renderer is a chat template together with the tokenizer its text is encoded
// with. It is safe for concurrent use and keeps none of its arguments.
type Renderer interface {
	// Prompt is the ids of a whole conversation and the prompt for the next
	// assistant turn. An assistant message that was sampled stands in it as its
	// own ids wherever the template renders it as it was sampled.
	Prompt(messages []rollout.Message, tools []rollout.ToolSchema) ([]rollout.TokenID, error)
	// Bridge is what follows a sampled turn up to the next generation prompt.
	Bridge(Gap) (Bridge, error)
	// StopIDs end an assistant turn. The first is the template's own.
	StopIDs() []rollout.TokenID
	// Hash is the SHA-256 that names the template, in hexadecimal.
	Hash() string
}

// Gap is the place between a sampled turn and the next generation prompt.
type Gap struct {
	// Last is the last id that was sampled.
	Last rollout.TokenID
	// Messages is the whole conversation, of which Covered messages are in the
	// ids already, the sampled reply included.
	Messages []rollout.Message
	Covered  int
	Tools    []rollout.ToolSchema
}

// Bridge is the ids that close a gap.
type Bridge struct {
	IDs []rollout.TokenID
	// Rewrites says that the template, given the new messages, renders what
	// came before in another way than it was sent and sampled.
	Rewrites bool
}

// Encoder turns text into ids.
type Encoder interface {
	// EncodeSpans appends the ids of text; inside plain ranges no added token
	// is matched.
	EncodeSpans(dst []rollout.TokenID, text string, plain []tokenizer.Span) []rollout.TokenID
	// ID is the id of a token by its text.
	ID(token string) (rollout.TokenID, bool)
}

// Tokenizer is an Encoder that also reads ids back; *tokenizer.Tokenizer is one.
type Tokenizer interface {
	Encoder
	// AppendBytes appends what ids stand for, added tokens included.
	AppendBytes(dst []byte, ids []rollout.TokenID) []byte
	// Hash names the vocabulary, in hexadecimal.
	Hash() string
}

// Trust says what text from messages and tools may become.
type Trust string

const (
	// Safe encodes it with added-token matching off: it can never become a
	// control id. The default.
	Safe Trust = "safe"
	// HFExact gives HF's ids, in which `<|im_end|>` in a tool's output ends the
	// turn. For parity with other trainers.
	HFExact Trust = "hf-exact"
)

// History says what to do when the template rewrites the history.
type History string

const (
	// Keep appends to the ids as they are.
	Keep History = "keep"
	// Fork renders the conversation anew; a new region starts there.
	Fork History = "fork"
	// Fail refuses with policy.ErrRewritten.
	Fail History = "fail"
)
