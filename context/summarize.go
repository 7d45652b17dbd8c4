package contexts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"focus/env"
	"focus/rollout"
)

// SummarizeConfig is what a [Summarize] is made of. The zero value is usable.
type SummarizeConfig struct {
	// Trigger asks for a fold. Default: [PromptTokens] of MaxPromptTokens.
	Trigger Trigger
	// MaxInteractions is how many replies a fold may use before it is told to
	// write its notes at once; that last reply comes on top. Default (0) 8.
	MaxInteractions int
	// MaxPromptTokens is the threshold of the default trigger, in ids; it has no
	// meaning beside a Trigger. Default (0) 8,192.
	MaxPromptTokens int
	// MaxReplyTokens caps each reply of a fold, in ids. Default (0) 2,048.
	MaxReplyTokens int
	// SummaryTargetTokens is the length of notes that the model is asked to
	// aim at, in ids; 0 asks for none.
	SummaryTargetTokens int
	// RequireCompleteReply refuses notes that were cut at MaxReplyTokens.
	RequireCompleteReply bool
	// StructuredSummary asks for notes as a JSON object of fixed form, see
	// [StructuredNotes]. A malformed one is penalised and may be repaired once.
	StructuredSummary bool
	// Sampling is the law of a fold's replies; nil means the agent's.
	Sampling *rollout.SamplingParams
	// Instruction is the fold's system message. {workspace}, {budget} and
	// {limit} in it are filled in. Default [DefaultInstruction].
	Instruction string
	// FoldWorkspace gives every fold a fresh workspace of its own, closed after
	// it, instead of the rollout's: what matters must then be in the notes.
	FoldWorkspace env.Workspaces
	// TranscriptTemplate is the fold's user message, {transcript} filled in.
	// Default "{transcript}".
	TranscriptTemplate string
	// MemoryRole is who speaks the notes in the new conversation: user, the
	// default, or assistant.
	MemoryRole rollout.Role
	// StateRenderer gives words about the task state, relieved, to stand beside
	// the notes; nil gives none.
	StateRenderer func(state any) string
	// ResumeInstruction is the user message after notes that the assistant
	// speaks. Default [DefaultResumeInstruction].
	ResumeInstruction string
	// IncludeFoldedGuidance tells the model, before the notes, what they are.
	// Default (nil) true.
	IncludeFoldedGuidance *bool
	// PenaltyCap bounds the sum of an episode's penalties for malformed
	// structured notes; nil is no bound.
	PenaltyCap *float64
}

// Defaults of a zero [SummarizeConfig].
const (
	DefaultMaxInteractions = 8
	DefaultMaxReplyTokens  = 2048
)

// Validate reports every option that cannot be.
func (c SummarizeConfig) Validate() error {
	var errs []error
	for _, n := range []struct {
		key   string
		value int
	}{
		{"max_interactions", c.MaxInteractions}, {"max_prompt_tokens", c.MaxPromptTokens},
		{"max_reply_tokens", c.MaxReplyTokens}, {"summary_target_tokens", c.SummaryTargetTokens},
	} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("%s: %d is negative", n.key, n.value))
		}
	}
	if c.TranscriptTemplate != "" && !strings.Contains(c.TranscriptTemplate, "{transcript}") {
		errs = append(errs, errors.New("transcript_template: has no {transcript}, so a fold would see nothing"))
	}
	switch c.MemoryRole {
	case "", rollout.RoleUser, rollout.RoleAssistant:
	default:
		errs = append(errs, fmt.Errorf("memory_role: %q, must be user or assistant", c.MemoryRole))
	}
	if c.PenaltyCap != nil && !(*c.PenaltyCap >= 0) {
		errs = append(errs, fmt.Errorf("penalty_cap: %v, must be at least 0", *c.PenaltyCap))
	}
	return errors.Join(errs...)
}

func (c SummarizeConfig) withDefaults() SummarizeConfig {
	for _, d := range []struct {
		value    *int
		standard int
	}{
		{&c.MaxInteractions, DefaultMaxInteractions},
		{&c.MaxPromptTokens, DefaultPromptTokens},
		{&c.MaxReplyTokens, DefaultMaxReplyTokens},
	} {
		if *d.value == 0 {
			*d.value = d.standard
		}
	}
	for _, d := range []struct {
		value    *string
		standard string
	}{
		{&c.Instruction, DefaultInstruction},
		{&c.TranscriptTemplate, "{transcript}"},
		{&c.ResumeInstruction, DefaultResumeInstruction},
	} {
		if *d.value == "" {
			*d.value = d.standard
		}
	}
	if c.Trigger == nil {
		c.Trigger = PromptTokens{Max: c.MaxPromptTokens}
	}
	if c.MemoryRole == "" {
		c.MemoryRole = rollout.RoleUser
	}
	if c.IncludeFoldedGuidance == nil {
		yes := true
		c.IncludeFoldedGuidance = &yes
	}
	return c
}

// Summarize lets the policy write notes about the conversation and goes on from
// them. A fold is a short rollout of the same agent over a world of its own,
// with tools for the rollout's workspace where that is an [env.Store].
type Summarize struct {
	Base
	cfg  SummarizeConfig
	bare *env.ToolEnv[foldState]
	kept *env.ToolEnv[foldState]
}

// NewSummarize checks the options and fills in the defaults.
func NewSummarize(c SummarizeConfig) (*Summarize, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("context summarize: %w", err)
	}
	c = c.withDefaults()
	bare, err := foldTools(false)
	if err != nil {
		return nil, err
	}
	kept, err := foldTools(true)
	return &Summarize{Base: Base{Trigger: c.Trigger}, cfg: c, bare: bare, kept: kept}, err
}

// Config is the options with their defaults filled in.
func (m *Summarize) Config() SummarizeConfig { return m.cfg }

// Compact runs the fold and puts its notes in place of all messages after the
// seed. It returns an [IncompleteError] when the model wrote no usable notes.
func (m *Summarize) Compact(ctx context.Context, c Compaction) (_ Result, err error) {
	ws, err := m.workspace(ctx, c)
	if err != nil {
		return Result{}, err
	}
	if m.cfg.FoldWorkspace != nil && ws != nil {
		defer func() { err = errors.Join(err, ws.Close()) }()
	}
	f := &fold{m: m, c: c, ws: ws, world: foldWorld{ToolEnv: m.bare}}
	if store, ok := ws.(env.Store); ok && store != nil {
		f.world = foldWorld{ToolEnv: m.kept, nudge: m.cfg.FoldWorkspace == nil}
	}
	notes, err := f.run(ctx)
	if err != nil {
		return Result{}, err
	}
	state, err := m.Relieve(c.State)
	if err != nil {
		return Result{}, fmt.Errorf("relieve task %s: %w", c.Rollout.Task.ID, err)
	}
	out := slices.Concat(c.Seed, m.memory(notes, f.stored, state))
	p, err := c.Agent.Policy().Prepare(out, c.Agent.Tools())
	if err != nil {
		return Result{}, fmt.Errorf("prepare the folded context of task %s: %w", c.Rollout.Task.ID, err)
	}
	// A trigger that fires on an empty prompt is not about length: the agent
	// finds that it was not relieved.
	if m.Trigger.Fires(p.Tokens, state) && !m.Trigger.Fires(rollout.Tokens{}, state) {
		return Result{}, f.incomplete(fmt.Sprintf("%s: with them the prompt has %d ids, and the trigger fires again", ReasonTooLong, p.Tokens.Len()))
	}
	return Result{
		Messages: out, State: c.State, Turns: f.turns,
		Replaced: rollout.Span{Start: c.SeedLen(), End: len(c.Messages)},
	}, nil
}

// workspace is what a fold may store into; nil when there is nothing.
func (m *Summarize) workspace(ctx context.Context, c Compaction) (rollout.Workspace, error) {
	if m.cfg.FoldWorkspace == nil {
		return c.Workspace, nil
	}
	ws, err := m.cfg.FoldWorkspace.Open(ctx, c.Rollout.Task)
	if err != nil {
		return nil, fmt.Errorf("open the fold workspace of task %s: %w", c.Rollout.Task.ID, err)
	}
	return ws, nil
}

// memory is the messages that stand for what was folded.
func (m *Summarize) memory(notes string, stored []string, state any) []rollout.Message {
	var parts []string
	if *m.cfg.IncludeFoldedGuidance {
		parts = append(parts, foldedGuidance)
	}
	parts = append(parts, notes)
	if len(stored) > 0 {
		parts = append(parts, "Stored in the workspace: "+strings.Join(stored, ", "))
	}
	if m.cfg.StateRenderer != nil {
		if text := m.cfg.StateRenderer(state); text != "" {
			parts = append(parts, text)
		}
	}
	text := strings.Join(parts, "\n\n")
	if m.cfg.MemoryRole == rollout.RoleAssistant {
		return []rollout.Message{rollout.Assistant(text), rollout.User(m.cfg.ResumeInstruction)}
	}
	return []rollout.Message{rollout.User(text)}
}
