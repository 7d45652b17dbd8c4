package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"focus/agent"
	"focus/dataset"
	"focus/env"
	"focus/internal/config"
	"focus/policy"
	"focus/rollout"
	"focus/search"
)

// Plan is a job file that was read and found good, as far as that can be known
// without touching anything.
type Plan struct {
	Config Config
	// JSON is the job file with its overrides, as JSON with sorted keys: the
	// same job gives the same bytes. Where the output goes is left out.
	JSON []byte

	registry *Registry
	file     string
}

// Load reads a job file and applies overrides of the form "key.path=value".
func Load(r *Registry, file string, set []string) (*Plan, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read job file: %w", err)
	}
	return Parse(r, file, text, set)
}

// Parse is Load of a text; name is for errors.
func Parse(r *Registry, name string, text []byte, set []string) (*Plan, error) {
	doc, err := config.Parse(name, text)
	if err != nil {
		return nil, err
	}
	for _, s := range set {
		if err := doc.Set(s); err != nil {
			return nil, err
		}
	}
	p := &Plan{registry: r, file: name}
	if err := doc.Decode(&p.Config); err != nil {
		return nil, err
	}
	p.Config.fill()
	p.Config.Credit = p.Config.Credit.Or("credit", p.pairedCredit())
	if err := doc.Named(config.Join(p.Config.Validate(), p.check())); err != nil {
		return nil, err
	}
	if p.JSON, err = doc.JSON("output"); err != nil {
		return nil, err
	}
	return p, nil
}

// pairedCredit is the kind of estimator that goes with the strategy; a strategy
// that cannot be read is reported by check.
func (p *Plan) pairedCredit() string {
	s, err := p.registry.Strategies.Build(Deps{Seed: p.Config.Seed}, p.Config.Search)
	if err != nil || !p.registry.Estimators.Has(s.Credit) {
		return "grpo"
	}
	return s.Credit
}

// check reads every section's keys.
func (p *Plan) check() error {
	c, r := p.Config, p.registry
	var errs []error
	if c.Env.Given() {
		errs = append(errs, r.Envs.Check(c.Env))
	}
	if c.Policy.Given() {
		errs = append(errs, r.Policies.Check(c.Policy))
	}
	if c.Parser.Given() {
		errs = append(errs, r.Parsers.Check(c.Parser))
	}
	if c.Value.Given() {
		errs = append(errs, r.Values.Check(c.Value))
	}
	return config.Join(append(errs, r.Managers.Check(c.Context), r.Strategies.Check(c.Search), r.Estimators.Check(c.Credit))...)
}

// Hash is the SHA-256 of JSON.
func (p *Plan) Hash() string {
	sum := sha256.Sum256(p.JSON)
	return hex.EncodeToString(sum[:])
}

// RunID names the run: the same job gives the same name.
func (p *Plan) RunID() rollout.RunID { return rollout.RunID(rollout.DeriveID("run", string(p.JSON))) }

// Live is a plan with its parts made and its policy probed.
type Live struct {
	Plan     *Plan
	Agent    *agent.Agent
	Strategy search.Strategy
	Estimate Estimator
	// Values is nil when the job has no value model.
	Values ValueModel
	Tasks  []rollout.Task
	// Described is what the policy says of itself.
	Described policy.Description

	under laws
}

// prober is a policy with a server to look at before a run starts.
type prober interface {
	Probe(ctx context.Context) error
}

// Open makes the parts, reads the tasks and probes the policy. Nothing is
// written. Close releases what Open made.
func (p *Plan) Open(ctx context.Context) (_ *Live, err error) {
	c, r, d := p.Config, p.registry, Deps{Seed: p.Config.Seed}
	l := &Live{Plan: p}
	defer func() {
		if err != nil {
			err = errors.Join(err, closePart(l.Values))
		}
	}()
	world, errEnv := r.Envs.Build(d, c.Env)
	strategy, errSearch := r.Strategies.Build(d, c.Search)
	estimate, errCredit := r.Estimators.Build(d, c.Credit)
	manager, errContext := r.Managers.Build(d, c.Context)
	cfg := agent.Config{
		Env: world, Context: manager, Sampling: c.Sampling.law(), Seed: c.Seed,
		MaxSteps: c.Agent.MaxSteps, MaxTokens: c.Agent.MaxTokens, MaxRolloutTokens: c.Agent.MaxRolloutTokens,
		FinalAnswer: c.Agent.FinalAnswer, FinalInstruction: c.Agent.FinalInstruction,
		MaxParseFailures: c.Agent.MaxParseFailures, GenerateTimeout: c.Agent.GenerateTimeout,
	}
	var errParser, errValue error
	if c.Parser.Given() {
		cfg.Parser, errParser = r.Parsers.Build(d, c.Parser)
	}
	if c.Value.Given() {
		l.Values, errValue = r.Values.Build(d, c.Value)
	}
	if err := config.Join(errEnv, errSearch, errCredit, errContext, errParser, errValue); err != nil {
		return nil, fmt.Errorf("%s: %w", p.file, err)
	}
	l.Strategy, l.Estimate = strategy, estimate
	if strategy.BranchPoints != nil {
		cfg.BranchPoints = strategy.BranchPoints
	}
	if err := c.Search.Under(fits(strategy, world, manager, l.Values != nil)); err != nil {
		return nil, fmt.Errorf("%s: %w", p.file, err)
	}
	if l.Tasks, err = p.tasks(ctx, world); err != nil {
		return nil, err
	}
	if cfg.Policy, err = r.Policies.Build(d, c.Policy); err != nil {
		return nil, fmt.Errorf("%s: %w", p.file, err)
	}
	// A server's window is known after the probe alone, and a context manager may
	// need it.
	if pr, ok := cfg.Policy.(prober); ok {
		if err := pr.Probe(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", p.file, c.Policy.Under(err)), closePart(cfg.Policy))
		}
	}
	if l.Agent, err = agent.New(cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", p.file, err), closePart(cfg.Policy))
	}
	if err := l.affords(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", p.file, c.Search.Under(err)), closePart(cfg.Policy))
	}
	if l.under, err = newLaws(strategy, l.Agent); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", p.file, c.Search.Under(err)), closePart(cfg.Policy))
	}
	if m, ok := l.Values.(reader); ok {
		m.Reads(l.prompt)
	}
	if err := l.rehearse(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", p.file, err), closePart(cfg.Policy))
	}
	if ds, ok := cfg.Policy.(policy.Describer); ok {
		l.Described = ds.Describe()
	}
	return l, nil
}

// reader is a value model that reads what the policy would be sent next.
type reader interface {
	Reads(prompt func(rollout.State) (rollout.Tokens, error))
}

// trial is a value model that can be tried before a run starts.
type trial interface {
	Try(context.Context, rollout.State) error
}

// prompt is what the policy would be sent next.
func (l *Live) prompt(s rollout.State) (rollout.Tokens, error) {
	p, err := l.Agent.Next(s)
	return p.Tokens, err
}

// rehearse renders the first prompt, and has the value model score it: a chat
// template that cannot, or a server that is not there, is refused before
// anything starts. A world that fails here is left to the job, which tries
// again.
func (l *Live) rehearse(ctx context.Context) error {
	s, err := l.Agent.Start(ctx, l.Tasks[0], "rehearsal")
	c := l.Plan.Config
	if bad, ok := errors.AsType[*agent.SetupError](err); ok {
		return c.Context.Under(bad)
	}
	if err != nil {
		return nil
	}
	defer closed(s)
	if _, err := l.prompt(s); err != nil {
		return c.Policy.Under(fmt.Errorf("render the first prompt: %w", err))
	}
	if m, ok := l.Values.(trial); ok {
		return c.Value.Under(m.Try(ctx, s))
	}
	return nil
}

// tasks reads the job's tasks, or has the family make them.
func (p *Plan) tasks(ctx context.Context, world env.Env) ([]rollout.Task, error) {
	t := p.Config.Tasks
	if t.Path != "" {
		rows, err := dataset.ReadTasks(t.Path)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s: tasks.path: %s has no rows", p.file, t.Path)
		}
		if t.Offset >= len(rows) {
			return nil, fmt.Errorf("%s: tasks.offset: %d is past the %d rows of %s", p.file, t.Offset, len(rows), t.Path)
		}
		rows = rows[t.Offset:]
		if t.Count > len(rows) {
			return nil, fmt.Errorf("%s: tasks.count: %d, and %s has %d rows from offset %d", p.file, t.Count, t.Path, len(rows), t.Offset)
		}
		if t.Count > 0 {
			rows = rows[:t.Count]
		}
		return rows, checkTasks(ctx, world, rows)
	}
	family, ok := world.(env.Family)
	if !ok {
		return nil, fmt.Errorf("%s: tasks.path: missing, and the environment %q makes no tasks of its own", p.file, p.Config.Env.Kind)
	}
	if t.Count < 1 {
		return nil, fmt.Errorf("%s: tasks.count: missing: say how many tasks %s shall make", p.file, p.Config.Env.Kind)
	}
	out := make([]rollout.Task, t.Count)
	for i := range out {
		out[i] = family.Task(p.Config.Seed, t.Offset+i)
	}
	return out, nil
}

// checkTasks refuses rows that the world cannot play.
func checkTasks(ctx context.Context, world env.Env, tasks []rollout.Task) error {
	c, ok := world.(env.TaskChecker)
	if !ok {
		return nil
	}
	for _, t := range tasks {
		if err := c.CheckTask(ctx, t); err != nil {
			return fmt.Errorf("%s: task %s cannot be played in this environment: %w", t.Origin, t.ID, err)
		}
	}
	return nil
}

// Close releases the policy and the world.
func (l *Live) Close() error {
	return errors.Join(closePart(l.Values), closePart(l.Agent.Policy()), closePart(l.Agent.Env()))
}

func closePart(v any) error {
	if c, ok := v.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// metadata is what every file of the run says of itself.
func (l *Live) metadata() (dataset.Metadata, error) {
	p := l.Plan
	params, err := json.Marshal(l.Estimate)
	if err != nil {
		return dataset.Metadata{}, fmt.Errorf("write the parameters of %T: %w", l.Estimate, err)
	}
	strategy, err := p.registry.Strategies.JSON(p.Config.Search)
	if err != nil {
		return dataset.Metadata{}, err
	}
	return dataset.Metadata{
		RunID: p.RunID(), Config: p.JSON, Strategy: l.Strategy.Name, StrategyParams: strategy,
		TokenizerSHA256: l.Described.TokenizerHash, TemplateSHA256: l.Described.TemplateHash, Model: l.Described.Model,
		Estimator: l.estimator(), EstimatorParams: params,
	}, nil
}

// estimator is the estimator's name for itself, else its kind.
func (l *Live) estimator() string {
	if e, ok := l.Estimate.(interface{ ID() string }); ok {
		return e.ID()
	}
	return l.Plan.Config.Credit.Kind
}

// Out is the run's folder: the flag, else the job file's.
func (p *Plan) Out(flag string) string {
	if flag != "" {
		return flag
	}
	return strings.TrimRight(p.Config.Output.Dir, "/")
}
