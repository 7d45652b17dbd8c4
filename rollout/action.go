package rollout

// ActionKind names a form of decision; a parser produces one kind or tool calls
// and text side by side.
type ActionKind string

const (
	// ActionText is a plain reply.
	ActionText ActionKind = "text"
	// ActionToolCalls is a reply with at least one call.
	ActionToolCalls ActionKind = "tool_calls"
	// ActionTokenChunk is a stretch of an unfinished reply.
	ActionTokenChunk ActionKind = "token_chunk"
	// ActionInvalid is an attempt at an action that must not run.
	ActionInvalid ActionKind = "invalid"
)

// Action is what a reply asks the world to do.
type Action interface{ Kind() ActionKind }

// Text answers in words.
type Text struct{ Content string }

// Calls asks for tools, in the order of the reply.
type Calls struct {
	Calls   []ToolCall
	Content string
}

// TokenChunk is one segment of a reply. Final says that the reply ended with
// it; Reply is the text of all its segments.
type TokenChunk struct {
	Tokens []TokenID
	Reply  string
	Final  bool
}

// Invalid is an attempt that the parser refused. Feedback tells the model what
// was wrong; nothing of the reply runs.
type Invalid struct {
	Status   ParseStatus
	Feedback string
}

func (Text) Kind() ActionKind       { return ActionText }
func (Calls) Kind() ActionKind      { return ActionToolCalls }
func (TokenChunk) Kind() ActionKind { return ActionTokenChunk }
func (Invalid) Kind() ActionKind    { return ActionInvalid }

// ParseStatus is a parser's verdict on a reply.
type ParseStatus string

const (
	// ParseOK: at least one call, and every attempt parsed and closed.
	ParseOK ParseStatus = "ok"
	// ParseNone: no call and no attempt at one.
	ParseNone ParseStatus = "none"
	// ParseMalformed: an attempt breaks the grammar or reads two ways.
	ParseMalformed ParseStatus = "malformed"
	// ParseTruncated: the reply ends inside an attempt that was valid so far.
	ParseTruncated ParseStatus = "truncated"
)

// Span is a half-open range of token positions within the sampled ids.
type Span struct{ Start, End int }

// Attempt is one try at a call, kept whatever became of it.
type Attempt struct {
	Status ParseStatus
	Call   ToolCall
	Span   Span
	Reason string
}
