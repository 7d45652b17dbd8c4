package agent

import (
	"errors"
	"fmt"
	"slices"
	"time"

	contexts "focus/context"
	"focus/env"
	"focus/parser"
	"focus/policy"
	"focus/rollout"
)

// Config is what an agent is made of.
type Config struct {
	// Policy samples. Required.
	Policy policy.Policy
	// Env is the world. Required.
	Env env.Env
	// Parser reads replies. Default: token chunks when the context manager
	// needs them, Hermes calls when the world has tools, text otherwise.
	Parser parser.Parser
	// Context decides what the policy sees. Default contexts.AppendOnly.
	Context contexts.Manager
	// BranchPoints is where search may continue. Default: the manager's.
	BranchPoints rollout.BranchPoints
	// Sampling is the law of every reply; MaxTokens, Seed and StopIDs are set
	// per request. The zero value means temperature 1 without truncation.
	Sampling rollout.SamplingParams
	// MaxSteps bounds the decisions and compactions of a rollout; a
	// final-answer turn comes on top. Default 16.
	MaxSteps int
	// MaxTokens caps one reply, in ids. Default: the manager's, else 512.
	MaxTokens int
	// MaxRolloutTokens caps the sampled ids of a whole rollout; 0 is no cap.
	MaxRolloutTokens int
	// FinalAnswer says whether a rollout out of steps gets one more turn to
	// answer. Default: the manager's.
	FinalAnswer *bool
	// FinalInstruction is the user message of that turn.
	FinalInstruction string
	// MaxParseFailures ends a rollout after so many unusable attempts in a row;
	// 0 means 3, negative never.
	MaxParseFailures int
	// GenerateTimeout bounds one generate; 0 is no bound.
	GenerateTimeout time.Duration
	// Seed is the run's. Requests derive theirs from it.
	Seed int64

	tag rollout.Tag
	// scorer gives the anchor's logprobs of replies sampled under another law.
	scorer policy.Scorer
	// spent is how much of MaxRolloutTokens a fold's rollout has sampled.
	spent int
}

// Defaults of a zero Config.
const (
	DefaultMaxSteps         = 16
	DefaultMaxTokens        = 512
	DefaultMaxParseFailures = 3
	DefaultFinalInstruction = "No steps are left. Reply with your final answer now, in words and without calling a tool."
)

// Agent drives a policy over an environment. It is safe for concurrent use.
type Agent struct {
	cfg   Config
	tools []rollout.ToolSchema
	stop  []rollout.TokenID
}

// New checks that the parts fit and fills in the defaults, the manager's first.
// Its error names every part that does not fit.
func New(cfg Config) (*Agent, error) {
	if cfg.Policy == nil || cfg.Env == nil {
		return nil, errors.New("agent: a policy and an environment are required")
	}
	if cfg.Context == nil {
		cfg.Context = contexts.AppendOnly{}
	}
	a := &Agent{cfg: cfg}
	if t, ok := cfg.Env.(env.Tooled); ok {
		a.tools = append(a.tools, t.Tools()...)
	}
	if s, ok := cfg.Context.(contexts.Schemer); ok {
		a.tools = append(a.tools, s.Schemas()...)
	}
	a.fill()
	if t, ok := cfg.Policy.(policy.Terminators); ok {
		a.stop = t.StopIDs()
	}
	return a, a.check()
}

// fill sets what the caller left to the manager or to the defaults.
func (a *Agent) fill() {
	d := contexts.Defaults{FinalAnswer: true, BranchPoints: rollout.SparseCheckpoints{}}
	if m, ok := a.cfg.Context.(contexts.Defaulter); ok {
		d = m.Defaults()
	}
	c := &a.cfg
	if c.MaxTokens == 0 {
		c.MaxTokens = d.MaxTokens
	}
	if c.MaxTokens == 0 {
		c.MaxTokens = DefaultMaxTokens
	}
	if c.BranchPoints == nil {
		c.BranchPoints = d.BranchPoints
	}
	if c.FinalAnswer == nil {
		c.FinalAnswer = &d.FinalAnswer
	}
	if c.FinalInstruction == "" {
		c.FinalInstruction = DefaultFinalInstruction
	}
	if c.MaxSteps == 0 {
		c.MaxSteps = DefaultMaxSteps
	}
	if c.MaxParseFailures == 0 {
		c.MaxParseFailures = DefaultMaxParseFailures
	}
	if c.tag == "" {
		c.tag = rollout.TagTask
	}
	if c.Sampling.TopP == 0 && c.Sampling.Temperature == 0 && c.Sampling.TopK == 0 && c.Sampling.MinP == 0 {
		c.Sampling = rollout.DefaultSampling()
	}
	if c.Parser == nil {
		c.Parser = a.defaultParser(d.Action)
	}
}

func (a *Agent) defaultParser(kind rollout.ActionKind) parser.Parser {
	switch {
	case kind == rollout.ActionTokenChunk:
		return parser.TokenChunk()
	case len(a.tools) > 0:
		return parser.Hermes()
	}
	return parser.Text()
}

// triggered is a manager that may ask for a compaction; [contexts.Base] is one.
type triggered interface{ HasTrigger() bool }

// check finds the parts that do not fit.
func (a *Agent) check() error {
	var errs []error
	c := a.cfg
	if m, ok := c.Context.(contexts.PolicyChecker); ok {
		if err := m.CheckPolicy(c.Policy); err != nil {
			errs = append(errs, err)
		}
	}
	if m, ok := c.Context.(contexts.Defaulter); ok {
		if want := m.Defaults().Action; want != "" && !slices.Contains(c.Parser.Kinds(), want) {
			errs = append(errs, fmt.Errorf("the context manager %T needs %s actions and the parser %T does not make them", c.Context, want, c.Parser))
		}
	}
	if t, ok := c.Context.(triggered); ok && t.HasTrigger() {
		if _, ok := c.Context.(contexts.Compactor); !ok {
			errs = append(errs, fmt.Errorf("the context manager %T has a trigger and no Compact method", c.Context))
		}
	}
	if len(a.tools) > 0 && !slices.Contains(c.Parser.Kinds(), rollout.ActionToolCalls) {
		errs = append(errs, fmt.Errorf("the environment %T offers tools and the parser %T reads no tool calls", c.Env, c.Parser))
	}
	if _, ok := c.Policy.(policy.Decoder); !ok {
		errs = append(errs, fmt.Errorf("the policy %T cannot decode ids, so its replies cannot be parsed", c.Policy))
	}
	for name, v := range map[string]int{"MaxSteps": c.MaxSteps, "MaxTokens": c.MaxTokens} {
		if v < 1 {
			errs = append(errs, fmt.Errorf("%s is %d, must be at least 1", name, v))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	return nil
}

// Policy is the model the agent samples from.
func (a *Agent) Policy() policy.Policy { return a.cfg.Policy }

// Env is the world the agent plays in.
func (a *Agent) Env() env.Env { return a.cfg.Env }

// Sampling is the law of the agent's replies.
func (a *Agent) Sampling() rollout.SamplingParams { return a.cfg.Sampling }

// Context is the agent's manager.
func (a *Agent) Context() contexts.Manager { return a.cfg.Context }

// BranchPoints is where search may continue.
func (a *Agent) BranchPoints() rollout.BranchPoints { return a.cfg.BranchPoints }

// Bounds are the most that is left of a rollout at s, in generates and sampled
// ids. Folds are not foreseen.
func (a *Agent) Bounds(s rollout.State) (turns, tokens int) {
	turns = max(0, a.cfg.MaxSteps-a.steps(s))
	if *a.cfg.FinalAnswer {
		turns++
	}
	tokens = turns * a.cfg.MaxTokens
	if budget := a.cfg.MaxRolloutTokens; budget > 0 {
		tokens = min(tokens, max(0, budget-s.Generated()))
	}
	return turns, tokens
}

// MaxTokens is the cap of one reply, in ids.
func (a *Agent) MaxTokens() int { return a.cfg.MaxTokens }

// Under is the same agent with another law of sampling; only temperature and
// truncation of sp are read. Where scorer is given, every reply is scored under
// the weights' own law too, see [rollout.Turn.Anchor].
func (a *Agent) Under(sp rollout.SamplingParams, scorer policy.Scorer) *Agent {
	out := *a
	law := &out.cfg.Sampling
	law.Temperature, law.TopP, law.TopK, law.MinP = sp.Temperature, sp.TopP, sp.TopK, sp.MinP
	out.cfg.scorer = scorer
	return &out
}

// Tools is what the model may call: the world's tools, then the manager's.
func (a *Agent) Tools() []rollout.ToolSchema { return a.tools }
