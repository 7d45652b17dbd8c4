package cmd

import (
	contexts "focus/context"
	"focus/env"
	"focus/env/calculator"
	"focus/env/countdown"
	"focus/env/notes"
	"focus/internal/config"
	"focus/internal/job"
	"focus/parser"
	"focus/policy"
	"focus/policy/tinylm"
	"focus/policy/vllm"
	"focus/search"
)

// Registry holds the kinds that a job file may name.
type Registry = job.Registry

// RegisterEnv adds a world. C is its configuration: a struct with yaml tags and,
// if it likes, a Validate method. doc is one line for the schema.
func RegisterEnv[C any](r *Registry, kind, doc string, build func(C) (env.Env, error)) {
	config.Register(&r.Envs, kind, doc, func(_ job.Deps, c C) (env.Env, error) { return build(c) })
}

// RegisterPolicy adds a model.
func RegisterPolicy[C any](r *Registry, kind, doc string, build func(C) (policy.Policy, error)) {
	config.Register(&r.Policies, kind, doc, func(_ job.Deps, c C) (policy.Policy, error) { return build(c) })
}

// RegisterContext adds a context manager.
func RegisterContext[C any](r *Registry, kind, doc string, build func(C) (contexts.Manager, error)) {
	config.Register(&r.Managers, kind, doc, func(_ job.Deps, c C) (contexts.Manager, error) { return build(c) })
}

// RegisterTrigger adds a compaction trigger, named by `trigger:` in the section of
// a context manager.
func RegisterTrigger[C any](r *Registry, kind, doc string, build func(C) (contexts.Trigger, error)) {
	config.Register(&r.Triggers, kind, doc, func(_ job.Deps, c C) (contexts.Trigger, error) { return build(c) })
}

// RegisterParser adds a parser.
func RegisterParser[C any](r *Registry, kind, doc string, build func(C) (parser.Parser, error)) {
	config.Register(&r.Parsers, kind, doc, func(_ job.Deps, c C) (parser.Parser, error) { return build(c) })
}

// RegisterStrategy adds a search strategy.
func RegisterStrategy[C any](r *Registry, kind, doc string, build func(C) (search.Strategy, error)) {
	config.Register(&r.Strategies, kind, doc, func(_ job.Deps, c C) (search.Strategy, error) { return build(c) })
}

// RegisterStrategyDefaults is [RegisterStrategy] for a kind whose defaults are
// not zero: a key that is absent keeps its value of defaults.
func RegisterStrategyDefaults[C any](r *Registry, kind, doc string, defaults C, build func(C) (search.Strategy, error)) {
	config.RegisterDefaults(&r.Strategies, kind, doc, defaults, func(_ job.Deps, c C) (search.Strategy, error) { return build(c) })
}

// none is the configuration of a kind without keys.
type none struct{}

// Builtin is a registry with every kind that comes with focus.
func Builtin() *Registry {
	r := job.NewRegistry()
	RegisterEnv(r, calculator.Name, "multi-step arithmetic with a calculator and a submit tool", func(c calculator.Config) (env.Env, error) { return calculator.New(c) })
	RegisterEnv(r, countdown.Name, "reach a number from given ones, answered in text", func(c countdown.Config) (env.Env, error) { return countdown.New(c) })
	RegisterEnv(r, notes.Name, "find facts spread over a generated corpus, with search and read tools", func(c notes.Config) (env.Env, error) { return notes.New(c) })

	RegisterPolicy(r, "tinylm", "the embedded transformer, or a checkpoint folder of the Llama or Qwen3 family", func(c tinylm.PolicyConfig) (policy.Policy, error) { return tinylm.NewPolicy(c) })
	config.RegisterDefaults(&r.Policies, "vllm", "a vLLM server, by token ids over /v1/completions", vllm.Defaults(),
		func(_ job.Deps, c vllm.Config) (policy.Policy, error) { return vllm.Open(c) })

	registerContexts(r)

	for _, d := range parser.Dialects() {
		RegisterParser(r, d.Name, "replies in the form of "+d.Name, func(none) (parser.Parser, error) { return d.New(), nil })
	}

	registerSearch(r)
	registerCredit(r)
	registerValue(r)
	return r
}
