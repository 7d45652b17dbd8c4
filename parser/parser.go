package parser

import "focus/rollout"

// Reply is a finished generation to be read.
type Reply struct {
	// Tokens are the sampled ids; Text is their decoding, added tokens and
	// terminator included; Ends[i] is the byte offset in Text where id i ends.
	Tokens []rollout.TokenID
	Text   string
	Ends   []int
	Finish rollout.Finish
	// Matched is the stop id that ended the reply, -1 when none did. Its text
	// is the last piece of Text and is not content.
	Matched rollout.TokenID
	Tools   []rollout.ToolSchema
	// Thinking says that the prompt ended inside an open think block.
	Thinking bool
	// Before is the text of the same assistant turn that earlier segments
	// produced.
	Before string
}

// Parsed is what a reply says.
type Parsed struct {
	// Message is the assistant message; its Sampled is Reply.Tokens.
	Message rollout.Message
	// Action is never nil: an attempt that must not run is [rollout.Invalid].
	Action   rollout.Action
	Status   rollout.ParseStatus
	Attempts []rollout.Attempt
}

// Parser turns replies into actions. It holds no state, is safe for concurrent
// use, and has a verdict on every input.
type Parser interface {
	// Kinds are the kinds of action it can produce besides invalid.
	Kinds() []rollout.ActionKind
	Parse(Reply) Parsed
}
