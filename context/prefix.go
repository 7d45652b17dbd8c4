package contexts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"focus/env"
	"focus/policy"
	"focus/rollout"
)

// PrefixSummaryConfig is what a [PrefixSummary] is made of. The zero value is
// usable with a policy that knows its window.
type PrefixSummaryConfig struct {
	// ReserveTokens is how many ids of the window are kept free: a prompt that
	// leaves fewer is compacted, and a summary may use 0.8 of them. Default (0)
	// 16,384.
	ReserveTokens int
	// KeepRecentTokens is how much of the end of the conversation is kept word
	// for word, by [EstimateTokens]. Default (0) 20,000.
	KeepRecentTokens int
	// Window is how many ids prompt and reply may have together; 0 asks the
	// policy.
	Window int
	// MaxReplyTokens caps the summary further, in ids; 0 does not.
	MaxReplyTokens int
	// Instructions say what a summary should look at besides; may be empty.
	Instructions string
	// Sampling is the law of the summary; nil means the agent's.
	Sampling *rollout.SamplingParams
	Retry    RetryConfig
	// BeforeCompact is asked before each summary; all of them, and the first
	// that decides wins.
	BeforeCompact []BeforeCompact
	// OnPhase is told of every phase before it runs. Its error ends the
	// compaction.
	OnPhase func(context.Context, rollout.State, PrefixCheckpoint) error
}

// RetryConfig says how a summary is tried again after a failure of the server.
type RetryConfig struct {
	// MaxRetries; 0 means 3, negative never.
	MaxRetries int
	// BaseDelay before the first retry; it doubles with each. Default (0) 2 s.
	BaseDelay time.Duration
	// MaxDelay bounds the delay. Default (0) 60 s.
	MaxDelay time.Duration
}

// Delay is the pause after a failed attempt, counted from 1.
func (r RetryConfig) Delay(attempt int) time.Duration {
	delay := r.BaseDelay
	for range attempt - 1 {
		if delay >= r.MaxDelay {
			break
		}
		delay *= 2
	}
	return min(delay, r.MaxDelay)
}

// BeforeCompact is a hook that may decline a compaction or supply its summary.
// The zero decision leaves it to the others.
type BeforeCompact func(context.Context, PrefixCompaction) (PrefixDecision, error)

// PrefixCompaction is what a hook is shown.
type PrefixCompaction struct {
	Reason Reason
	// Messages are summarised, Kept stay word for word.
	Messages, Kept []rollout.Message
	// FirstKept is the position of Kept in the live conversation.
	FirstKept    int
	Instructions string
}

// PrefixDecision is what a hook says. Decline leaves the conversation as it is;
// a Summary is used instead of the model's.
type PrefixDecision struct {
	Decline bool
	Summary *string
}

// Defaults of a zero [PrefixSummaryConfig].
const (
	DefaultReserveTokens    = 16384
	DefaultKeepRecentTokens = 20000
	DefaultMaxRetries       = 3
	DefaultBaseDelay        = 2 * time.Second
	DefaultMaxDelay         = time.Minute
)

// Validate reports every option that cannot be.
func (c PrefixSummaryConfig) Validate() error {
	var errs []error
	for _, n := range []struct {
		key   string
		value int64
	}{
		{"reserve_tokens", int64(c.ReserveTokens)}, {"keep_recent_tokens", int64(c.KeepRecentTokens)}, {"window", int64(c.Window)},
		{"max_reply_tokens", int64(c.MaxReplyTokens)}, {"retry.base_delay", int64(c.Retry.BaseDelay)}, {"retry.max_delay", int64(c.Retry.MaxDelay)},
	} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("%s: %d is negative", n.key, n.value))
		}
	}
	if reserve := c.withDefaults().ReserveTokens; c.Window > 0 && reserve >= c.Window {
		errs = append(errs, fmt.Errorf("reserve_tokens: %d leaves nothing of a window of %d", reserve, c.Window))
	}
	return errors.Join(errs...)
}

func (c PrefixSummaryConfig) withDefaults() PrefixSummaryConfig {
	if c.ReserveTokens == 0 {
		c.ReserveTokens = DefaultReserveTokens
	}
	if c.KeepRecentTokens == 0 {
		c.KeepRecentTokens = DefaultKeepRecentTokens
	}
	if c.Retry.MaxRetries == 0 {
		c.Retry.MaxRetries = DefaultMaxRetries
	}
	if c.Retry.BaseDelay == 0 {
		c.Retry.BaseDelay = DefaultBaseDelay
	}
	if c.Retry.MaxDelay == 0 {
		c.Retry.MaxDelay = DefaultMaxDelay
	}
	return c
}

// PrefixSummary puts a summary in place of the older part of the conversation
// and keeps the recent part word for word. The seed stays. The next compaction
// folds the summary of this one in. After pi's compaction, see docs/context.md.
type PrefixSummary struct {
	Base
	cfg   PrefixSummaryConfig
	world foldWorld
}

// NewPrefixSummary checks the options and fills in the defaults.
func NewPrefixSummary(c PrefixSummaryConfig) (*PrefixSummary, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("context prefix_summary: %w", err)
	}
	tools, err := foldTools(false)
	return &PrefixSummary{cfg: c.withDefaults(), world: foldWorld{ToolEnv: tools}}, err
}

// Config is the options with their defaults filled in.
func (m *PrefixSummary) Config() PrefixSummaryConfig { return m.cfg }

// HasTrigger: the window is the trigger.
func (m *PrefixSummary) HasTrigger() bool { return true }

// CompactsOnOverflow: a prompt that the server refuses as too long is compacted.
func (m *PrefixSummary) CompactsOnOverflow() bool { return true }

// CheckPolicy refuses a policy whose window is unknown or all reserved.
func (m *PrefixSummary) CheckPolicy(p policy.Policy) error {
	switch window := m.window(p); {
	case window <= 0:
		return fmt.Errorf("context prefix_summary: the policy %T does not know its window; set window", p)
	case window <= m.cfg.ReserveTokens:
		return fmt.Errorf("context prefix_summary: reserve_tokens %d leave nothing of the policy's window of %d", m.cfg.ReserveTokens, window)
	}
	return nil
}

func (m *PrefixSummary) window(p policy.Policy) int {
	if m.cfg.Window > 0 {
		return m.cfg.Window
	}
	if w, ok := p.(policy.Window); ok {
		return w.Window()
	}
	return 0
}

// Initialize keeps the window of the agent's policy checked.
func (m *PrefixSummary) Initialize(ctx context.Context, rs rollout.State, a Agent) (rollout.State, error) {
	if err := m.CheckPolicy(a.Policy()); err != nil {
		return rs, err
	}
	return m.Base.Initialize(ctx, rs, a)
}

// ShouldCompact reports whether the prompt reaches into the reserve and there
// is something to cut. A prompt without ids is estimated.
func (m *PrefixSummary) ShouldCompact(rs rollout.State, p policy.Prompt, a Agent) bool {
	tokens := p.Tokens.Len()
	if tokens == 0 {
		tokens = EstimateContext(rs)
	}
	if tokens <= m.window(a.Policy())-m.cfg.ReserveTokens {
		return false
	}
	_, ok := SelectCut(viewOf(rs.Seed, rs.Messages.AppendTo(nil), rs.ContextVersion), m.cfg.KeepRecentTokens)
	return ok
}

// Compact selects what to keep, summarises the rest and puts the summary in its
// place. It returns [ErrDeclined] when there is nothing to cut or a hook says so.
func (m *PrefixSummary) Compact(ctx context.Context, c Compaction) (Result, error) {
	return m.Resume(ctx, c, PrefixCheckpoint{Phase: PhaseSelect, Reason: c.Reason})
}

// placed is the conversation with a summary in place of its older part.
func (m *PrefixSummary) placed(c Compaction, firstKept int, summary string, turns []*rollout.Turn) Result {
	marker := rollout.User(SummaryPrefix + summary + SummarySuffix)
	return Result{
		Messages: slices.Concat(c.Seed, []rollout.Message{marker}, c.Messages[firstKept:]),
		State:    c.State, Turns: turns,
		Replaced: rollout.Span{Start: c.SeedLen(), End: firstKept},
	}
}

// start is the rollout that writes the summary.
func (m *PrefixSummary) start(c Compaction, messages []rollout.Message) rollout.State {
	s := rollout.NewState(c.Rollout.Task, messages, env.Episode[foldState]{State: foldState{Final: true}}, nil)
	s.Branch = foldBranch(c.Rollout)
	return s
}
