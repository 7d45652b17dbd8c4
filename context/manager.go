package contexts

import (
	"context"
	"errors"
	"time"

	"focus/env"
	"focus/policy"
	"focus/rollout"
)

// Manager decides what the policy sees. Embed [Base] for the defaults; more
// ability is an optional interface below.
type Manager interface {
	// Prepare renders the prompt of the next generation.
	Prepare(rs rollout.State, a Agent, tools []rollout.ToolSchema) (policy.Prompt, error)
	// RecordReply puts the policy's reply to p on the live conversation.
	RecordReply(rs rollout.State, p policy.Prompt, reply rollout.Message, a Agent) rollout.State
	// Apply applies a recorded action: by default the environment's Step, or
	// its Finish when ending.
	Apply(ctx context.Context, rs rollout.State, action rollout.Action, a Agent, turn Ending) (Applied, error)
}

// Ending says whether an action came from the final-answer turn.
type Ending bool

// Applied is the rollout after an action. Transition is nil when a context
// operation changed the rollout without advancing the task.
type Applied struct {
	Rollout    rollout.State
	Transition *rollout.Transition
}

// Defaults are the agent's settings that a manager chooses. An explicit setting
// of the agent takes precedence.
type Defaults struct {
	// MaxTokens caps each request; 0 leaves it to the agent.
	MaxTokens int
	// FinalAnswer says whether a rollout out of steps gets a final-answer turn.
	FinalAnswer bool
	// Action is the kind of action its decisions need; empty for any.
	Action rollout.ActionKind
	// BranchPoints is where search may continue.
	BranchPoints rollout.BranchPoints
}

// Defaulter is a manager with settings for its agent. Without it a rollout gets
// a final-answer turn and branches at sparse checkpoints.
type Defaulter interface{ Defaults() Defaults }

// PolicyChecker is asked once, when the agent is made.
type PolicyChecker interface {
	// CheckPolicy returns an error when the manager cannot render prompts for p.
	CheckPolicy(p policy.Policy) error
}

// Initializer prepares the state of a new rollout, before generation.
type Initializer interface {
	Initialize(ctx context.Context, rs rollout.State, a Agent) (rollout.State, error)
}

// Schemer offers context tools to the model.
type Schemer interface{ Schemas() []rollout.ToolSchema }

// Compactor rewrites the live conversation when it has to.
type Compactor interface {
	// ShouldCompact is asked before each decision with the prompt it would send.
	ShouldCompact(rs rollout.State, p policy.Prompt, a Agent) bool
	// Compact returns the conversation to go on with. An [IncompleteError]
	// keeps the turns of a fold that came to nothing, [ErrDeclined] changes
	// nothing; any other error is an infrastructure failure.
	Compact(ctx context.Context, c Compaction) (Result, error)
}

// Reliever restores the task state after a compaction, so that the same
// trigger does not fire again at once.
type Reliever interface{ Relieve(state any) (any, error) }

// Compaction is what a manager is given to compact.
type Compaction struct {
	// Messages is the live conversation.
	Messages []rollout.Message
	// Seed is the conversation to restart from: system prompt and task.
	Seed []rollout.Message
	// State is the environment's own state.
	State     any
	Workspace rollout.Workspace
	Agent     Agent
	// Rollout is the checkpoint the compaction starts from.
	Rollout rollout.State
	// Reason is what asked for the compaction.
	Reason Reason
}

// SeedLen is how many of the live messages are the seed still.
func (c Compaction) SeedLen() int { return min(len(c.Seed), len(c.Messages)) }

// Reason is what asks for a compaction.
type Reason string

const (
	// ReasonThreshold: the manager's ShouldCompact.
	ReasonThreshold Reason = "threshold"
	// ReasonOverflow: the server refused a prompt that fills its window.
	ReasonOverflow Reason = "overflow"
	// ReasonManual: a caller of the agent.
	ReasonManual Reason = "manual"
)

// ErrDeclined is what Compact returns to leave the conversation as it is: there
// is nothing to cut, or a hook said no. It costs no step, and the rollout goes
// on with the prompt it had.
var ErrDeclined = errors.New("compaction declined: the conversation stays as it is")

// OverflowCompactor is a compactor that is also asked when a prompt does not fit
// the model's window: once, and the request is made once more.
type OverflowCompactor interface{ CompactsOnOverflow() bool }

// Manages reports whether m ever changes the live conversation.
func Manages(m Manager) bool {
	if s, ok := m.(Schemer); ok && len(s.Schemas()) > 0 {
		return true
	}
	if _, ok := m.(Compactor); !ok {
		return false
	}
	t, ok := m.(interface{ HasTrigger() bool })
	return !ok || t.HasTrigger()
}

// Result is the compacted context.
type Result struct {
	Messages []rollout.Message
	State    any
	// Turns were generated while producing it, in order.
	Turns []*rollout.Turn
	// Replaced is the range of messages that is gone; zero means all of them.
	Replaced rollout.Span
}

// Agent is what a manager may use of the agent it serves.
type Agent interface {
	Policy() policy.Policy
	Env() env.Env
	Sampling() rollout.SamplingParams
	// Tools is what the model may call: the world's, then the manager's.
	Tools() []rollout.ToolSchema
	// Derive is the same agent over another world.
	Derive(w env.Env, d Derivation) (Runner, error)
}

// Derivation says how a derived agent differs from its origin.
type Derivation struct {
	// Context is the derived agent's manager; nil means [AppendOnly]. A fold
	// never folds: a manager that compacts is refused.
	Context Manager
	// Sampling replaces the origin's law; nil keeps it.
	Sampling *rollout.SamplingParams
	// MaxSteps, MaxTokens per reply, and the time a generate may take; 0 keeps
	// the origin's.
	MaxSteps        int
	MaxTokens       int
	GenerateTimeout time.Duration
	// FinalInstruction is the user message of the derived agent's final-answer
	// turn; empty means the agent's default.
	FinalInstruction string
	// Spent is how many sampled ids count against the origin's cap of a whole
	// rollout already.
	Spent int
	// Tag marks the derived agent's turns. Default fold.
	Tag rollout.Tag
}

// Runner plays a rollout from a checkpoint to its end.
type Runner interface {
	Run(ctx context.Context, rs rollout.State) (rollout.State, error)
}
