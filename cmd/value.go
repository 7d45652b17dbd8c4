package cmd

import (
	"focus/internal/config"
	"focus/internal/job"
	"focus/search/value"
)

// RegisterValue adds a value model.
func RegisterValue[C any](r *Registry, kind, doc string, build func(C) (job.ValueModel, error)) {
	config.Register(&r.Values, kind, doc, func(_ job.Deps, c C) (job.ValueModel, error) { return build(c) })
}

// registerValue adds the value models that come with focus.
func registerValue(r *Registry) {
	config.RegisterDefaults(&r.Values, "http", "a server of your own that scores prompts, see docs/search.md", value.Defaults(),
		func(_ job.Deps, c value.Config) (job.ValueModel, error) { return value.New(c) })
}
