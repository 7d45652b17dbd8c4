package env

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"focus/rollout"
)

// Limits bound what a policy can make a [ToolEnv] do.
type Limits struct {
	// ResultBytes is the most of one result that the model is shown. Default
	// (0) 16 KiB; raise it for tools that return whole files.
	ResultBytes int `yaml:"result_bytes"`
	// CallTime is the time of one call, for tools without their own. Default
	// (0) 10 s.
	CallTime time.Duration `yaml:"call_time"`
	// Grace is how long a handler may take to return once its context has
	// ended. Default (0) 1 s.
	Grace time.Duration `yaml:"grace"`
	// EpisodeTime is the time that the tools of one rollout may take in all; 0
	// is no limit. A rollout that spends it ends with [rollout.StopTimeLimit].
	EpisodeTime time.Duration `yaml:"episode_time"`
	// TurnCalls is the most calls of one turn that run. Default (0) 16.
	TurnCalls int `yaml:"turn_calls"`
	// Parallel is the most calls of one turn that run at once. Default (0) 8.
	Parallel int `yaml:"parallel"`
	// RoundCalls is the allowance of [RoundBudget]; 0 is no budget.
	RoundCalls int `yaml:"round_calls"`
}

func (l Limits) withDefaults() Limits {
	l.ResultBytes = orDefault(l.ResultBytes, 16<<10)
	l.CallTime = orDefault(l.CallTime, 10*time.Second)
	l.Grace = orDefault(l.Grace, time.Second)
	l.TurnCalls = orDefault(l.TurnCalls, 16)
	l.Parallel = orDefault(l.Parallel, 8)
	return l
}

func orDefault[T int | time.Duration](v, d T) T {
	if v == 0 {
		return d
	}
	return v
}

// Validate reports every limit that is negative.
func (l Limits) Validate() error {
	var errs []error
	for _, f := range []struct {
		key   string
		value int64
	}{
		{"result_bytes", int64(l.ResultBytes)}, {"call_time", int64(l.CallTime)}, {"grace", int64(l.Grace)},
		{"episode_time", int64(l.EpisodeTime)}, {"turn_calls", int64(l.TurnCalls)}, {"parallel", int64(l.Parallel)},
		{"round_calls", int64(l.RoundCalls)},
	} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("limits.%s: %d is negative", f.key, f.value))
		}
	}
	return errors.Join(errs...)
}

// ToolConfig describes a game played with tools and words.
type ToolConfig[S any] struct {
	// Name is used in errors.
	Name  string
	Tools []Tool[S]
	// Open makes a task's state and seed conversation. The same task gives the
	// same of both.
	Open func(context.Context, rollout.Task) (S, []rollout.Message, error)
	// Answer scores a reply in words; nil means that words are never an answer.
	Answer func(s S, reply string) float64
	// AnswerEnds lets a reply without a call end the episode. Otherwise it is
	// met with Nudge, except in the final-answer turn.
	AnswerEnds bool
	// Nudge is what a reply without a call is met with. Empty: a plain request
	// to call a tool.
	Nudge string
	// Score is the score of an episode that ended without an answer: the
	// outcome at a time limit and of an empty final turn. Nil: nobody computes
	// one.
	Score func(s S) float64
	// Workspaces makes each rollout's workspace; nil is [NoWorkspaces].
	Workspaces Workspaces
	Limits     Limits
}

// ToolEnv plays a [ToolConfig]. See the package doc for its rules.
type ToolEnv[S any] struct {
	cfg    ToolConfig[S]
	tools  map[string]*Tool[S]
	checks map[string]argumentCheck
	// offered says which tools there are, to a model that asked for another.
	offered string
	// handlers are the calls in flight, those given up on included.
	handlers sync.WaitGroup
}

// NewToolEnv compiles the tools' schemas and reports every problem at once.
func NewToolEnv[S any](cfg ToolConfig[S]) (*ToolEnv[S], error) {
	e := &ToolEnv[S]{tools: map[string]*Tool[S]{}, checks: map[string]argumentCheck{}}
	errs := []error{cfg.Limits.Validate()}
	if cfg.Open == nil {
		errs = append(errs, errors.New("no Open"))
	}
	var names []string
	for i := range cfg.Tools {
		t := cfg.Tools[i]
		name := t.Schema.Name
		if name == "" || t.run == nil || e.tools[name] != nil {
			errs = append(errs, fmt.Errorf("tool %d, %q: needs a handler and a name of its own", i, name))
			continue
		}
		check, err := compileParameters(t.Schema)
		errs = append(errs, err)
		e.tools[name], e.checks[name] = &t, check
		names = append(names, name)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("environment %s: %w", cfg.Name, err)
	}
	if cfg.Workspaces == nil {
		cfg.Workspaces = NoWorkspaces()
	}
	if cfg.Nudge == "" {
		cfg.Nudge = "Call a tool."
	}
	cfg.Limits = cfg.Limits.withDefaults()
	e.cfg, e.offered = cfg, "only "+strings.Join(names, ", ")
	if len(names) == 0 {
		e.offered = "there are no tools"
	}
	return e, nil
}

// Immutable says that the state is an Episode, a value.
func (e *ToolEnv[S]) Immutable() {}

// Tools are the schemas, in the order given.
func (e *ToolEnv[S]) Tools() []rollout.ToolSchema {
	out := make([]rollout.ToolSchema, len(e.cfg.Tools))
	for i, t := range e.cfg.Tools {
		out[i] = t.Schema
	}
	return out
}

// Close waits for handlers that overran their grace. Call it when no rollout
// uses the environment any more.
func (e *ToolEnv[S]) Close() error {
	e.handlers.Wait()
	return nil
}

// Reset opens the task.
func (e *ToolEnv[S]) Reset(ctx context.Context, task rollout.Task) (Start, error) {
	if err := ctx.Err(); err != nil {
		return Start{}, err
	}
	state, messages, err := e.cfg.Open(ctx, task)
	if err != nil {
		return Start{}, fmt.Errorf("%s: open task %s: %w", e.cfg.Name, task.ID, err)
	}
	messages = asked(messages, task.Messages)
	ws, err := e.cfg.Workspaces.Open(ctx, task)
	if err != nil {
		return Start{}, fmt.Errorf("%s: workspace of task %s: %w", e.cfg.Name, task.ID, err)
	}
	ep := Episode[S]{State: state, Budget: NewRoundBudget(e.cfg.Limits.RoundCalls)}
	return Start{World: World{State: ep, Workspace: ws}, Messages: slices.Clip(messages)}, nil
}

// CheckTask reports why a task cannot be played here.
func (e *ToolEnv[S]) CheckTask(ctx context.Context, task rollout.Task) error {
	_, _, err := e.cfg.Open(ctx, task)
	return err
}

// asked is the conversation of a task that brings its own: the row's messages
// stand in place of the world's, whose system prompt stays unless the row has one.
func asked(world, row []rollout.Message) []rollout.Message {
	if len(row) == 0 {
		return world
	}
	if row[0].Role != rollout.RoleSystem && len(world) > 0 && world[0].Role == rollout.RoleSystem {
		return append(world[:1:1], row...)
	}
	return slices.Clone(row)
}

var (
	_ TaskChecker = (*ToolEnv[int])(nil)
	_ Env         = (*ToolEnv[int])(nil)
	_ Tooled      = (*ToolEnv[int])(nil)
	_ Snapshotter = (*ToolEnv[int])(nil)
	_ Scorer      = (*ToolEnv[int])(nil)
	_ Immutable   = (*ToolEnv[int])(nil)
	_ Counters    = Episode[int]{}
)
