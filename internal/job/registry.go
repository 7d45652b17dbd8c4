package job

import (
	"context"

	contexts "focus/context"
	"focus/env"
	"focus/internal/config"
	"focus/parser"
	"focus/policy"
	"focus/rollout"
	"focus/search"
	"focus/search/credit"
)

// Deps is what making any part may need besides its own keys.
type Deps struct {
	// Seed of the run.
	Seed int64
}

// Estimator says what the edges of a task's tree were worth; see package
// credit. [credit.Estimator] is one.
type Estimator interface {
	Estimate(credit.Forest) (*credit.Credit, error)
}

// ValueModel estimates what a checkpoint is worth: one number per state, nil
// where it could not be had. It is safe for concurrent use.
type ValueModel interface {
	Values(ctx context.Context, states []rollout.State) []*float64
}

// Registry holds the kinds that a job file may name.
type Registry struct {
	Envs     config.Registry[Deps, env.Env]
	Policies config.Registry[Deps, policy.Policy]
	Managers config.Registry[Deps, contexts.Manager]
	// Triggers are named inside a context manager's section.
	Triggers   config.Registry[Deps, contexts.Trigger]
	Parsers    config.Registry[Deps, parser.Parser]
	Strategies config.Registry[Deps, search.Strategy]
	Estimators config.Registry[Deps, Estimator]
	Values     config.Registry[Deps, ValueModel]
}

// NewRegistry is a registry without any kind.
func NewRegistry() *Registry {
	r := &Registry{}
	r.Envs.What = "environment"
	r.Policies.What = "policy"
	r.Managers.What = "context manager"
	r.Triggers.What = "compaction trigger"
	r.Parsers.What = "parser"
	r.Strategies.What = "search strategy"
	r.Estimators.What = "credit estimator"
	r.Values.What = "value model"
	return r
}

// Schema is the JSON schema of a job file.
func (r *Registry) Schema() config.Schema {
	s := config.SchemaOf(Config{}, map[string]config.Schema{
		"env": r.Envs.Schema(), "policy": r.Policies.Schema(), "context": r.Managers.Schema(),
		"parser": r.Parsers.Schema(), "search": r.Strategies.Schema(), "credit": r.Estimators.Schema(), "value": r.Values.Schema(),
	})
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "focus job"
	s["required"] = []string{"env", "policy"}
	return s
}
