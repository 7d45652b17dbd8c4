package rollout

import "time"

// Tag separates turns that worked on the task from turns that folded context.
type Tag string

const (
	TagTask Tag = "task"
	TagFold Tag = "fold"
)

// Turn is one generate: the exact prefix sent, the ids that came back, and what
// the world did with them. A Turn is not edited once it is in a log.
type Turn struct {
	// Context is the prefix followed by the sampled ids.
	Context Tokens
	// PrefixLen is how many ids of Context were sent.
	PrefixLen int
	// Logprobs are the behaviour logprobs of the sampled ids; nil means never
	// scored, zero means certain.
	Logprobs    []float32
	LogprobMode LogprobMode
	// Anchor are the logprobs of the sampled ids at temperature 1 without
	// truncation, when they were sampled under another law than the run's; nil
	// means never scored.
	Anchor []float32
	// Rescored holds logprobs of the same ids under other weights.
	Rescored map[PolicyVersion][]float32
	Versions []VersionSpan
	Finish   Finish
	// Matched is the stop id that ended the reply, -1 when none did.
	Matched TokenID
	// Sampling is the law the ids were drawn under, seed included.
	Sampling SamplingParams
	Tag      Tag
	// ContextVersion is how many times the context had been rewritten.
	ContextVersion int
	// Covers is how many messages of the live conversation Context renders,
	// the reply included; 0 on a fold turn.
	Covers int
	// Transition is what the world did; nil on a fold turn.
	Transition *Transition
	// Exact is false when the ids are not a faithful record.
	Exact bool
	// Status and Attempts are the parser's verdict.
	Status   ParseStatus
	Attempts []Attempt
	// Penalty (at most 0) and Issue belong to a rejected fold reply.
	Penalty float64
	Issue   string
	// Accepted says whether the fold this turn belongs to replaced the
	// context; meaningless on a task turn.
	Accepted bool
	// Replaced is the range of messages that an accepted fold replaced.
	Replaced Span
	Server   string
	Timing   Timing
}

// Timing is measured by the caller of the policy and the world.
type Timing struct {
	Started  time.Time
	Generate time.Duration
	Apply    time.Duration
}

// Transition is what the world did with an action.
type Transition struct {
	Action Action
	// Observations are appended to the conversation.
	Observations []Message
	// Reward of this step, beside the outcome; nil means nobody computed it.
	Reward *float64
	// Outcome is the score of the episode; nil means nobody computed it.
	Outcome *float64
	// Done ends the rollout, for the reason in Stop.
	Done bool
	Stop StopReason
	// ToolCalls is how many tools ran.
	ToolCalls int
	// Failure is set when the step failed in a way worth counting.
	Failure *Failure
}

// NewTurn joins a prefix and a completion. The tag is task.
func NewTurn(prefix Tokens, c Completion) *Turn {
	return &Turn{
		Context: prefix.Append(c.Tokens...), PrefixLen: prefix.Len(),
		Logprobs: c.Logprobs, LogprobMode: c.LogprobMode, Versions: c.Versions,
		Finish: c.Finish, Matched: c.Matched, Tag: TagTask, Exact: c.Exact, Server: c.Server,
	}
}

// Prefix is what was sent.
func (t *Turn) Prefix() Tokens { return t.Context.Truncate(t.PrefixLen) }

// Sampled is what came back. Do not write to it.
func (t *Turn) Sampled() []TokenID { return t.Context.From(t.PrefixLen) }
