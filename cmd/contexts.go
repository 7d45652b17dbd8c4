package cmd

import (
	"errors"
	"fmt"

	contexts "focus/context"
	"focus/internal/config"
	"focus/internal/job"
)

// registerContexts adds the context managers and triggers that come with focus.
func registerContexts(r *Registry) {
	RegisterTrigger(r, "prompt_tokens", "the prompt is longer than so many ids", func(c promptTokensConfig) (contexts.Trigger, error) {
		return contexts.PromptTokens{Max: c.Max}, nil
	})
	RegisterTrigger(r, "state_counter", "a counter of the task state is spent; it is refilled", func(c stateCounterConfig) (contexts.Trigger, error) {
		return contexts.StateCounter{Remaining: c.Remaining, Maximum: c.Maximum}, nil
	})
	config.Register(&r.Triggers, "any_of", "any of several triggers", func(d job.Deps, c anyOfConfig) (contexts.Trigger, error) {
		list := make([]contexts.Trigger, len(c.Triggers))
		var errs []error
		for i, s := range c.Triggers {
			t, err := r.Triggers.Build(d, s)
			list[i], errs = t, append(errs, err)
		}
		return contexts.NewAnyOf(list...), errors.Join(errs...)
	})

	RegisterContext(r, "append_only", "the whole conversation, never compacted", func(c appendConfig) (contexts.Manager, error) {
		return contexts.AppendOnly{Continuation: c.Continuation}, nil
	})
	RegisterContext(r, "segments", "one assistant response in exact chunks of token ids", func(c segmentsConfig) (contexts.Manager, error) {
		return contexts.NewSegments(c.Tokens)
	})
	config.Register(&r.Managers, "keep_recent", "the seed and the last messages; no model call", func(d job.Deps, c keepRecentConfig) (contexts.Manager, error) {
		t, err := TriggerOf(r, d, c.Trigger)
		if err != nil {
			return nil, err
		}
		return contexts.NewKeepRecent(c.Keep, t)
	})
	config.Register(&r.Managers, "summarize", "the model folds the conversation into notes and goes on from them", func(d job.Deps, c summarizeConfig) (contexts.Manager, error) {
		t, err := TriggerOf(r, d, c.Trigger)
		if err != nil {
			return nil, err
		}
		return c.manager(t)
	})
	RegisterContext(r, "prefix_summary", "a summary in place of the older part, the recent part word for word", func(c prefixConfig) (contexts.Manager, error) {
		return contexts.NewPrefixSummary(c.config())
	})
	RegisterContext(r, "context_tools", "the model drops and summarises messages by tool calls", func(c contextToolsConfig) (contexts.Manager, error) {
		return contexts.NewContextTools(c.operations()...)
	})
}

// TriggerOf builds the `trigger:` of a manager's section; nil when the section
// has none, which leaves it to the manager.
func TriggerOf(r *Registry, d job.Deps, s config.Section) (contexts.Trigger, error) {
	if !s.Given() {
		return nil, nil
	}
	return r.Triggers.Build(d, s)
}

// promptTokensConfig is the configuration of prompt_tokens.
type promptTokensConfig struct {
	// Max in ids. Default (0) 8,192.
	Max int `yaml:"max"`
}

func (c promptTokensConfig) Validate() error {
	if c.Max < 0 {
		return fmt.Errorf("max: %d, must be at least 1", c.Max)
	}
	return nil
}

// stateCounterConfig is the configuration of state_counter.
type stateCounterConfig struct {
	// Remaining and Maximum name the counters. Default calls_remaining and
	// calls_max, which limits.round_calls of an environment sets.
	Remaining string `yaml:"remaining"`
	Maximum   string `yaml:"maximum"`
}

// anyOfConfig is the configuration of any_of.
type anyOfConfig struct {
	// Triggers to combine, at least one.
	Triggers []config.Section `yaml:"triggers"`
}

func (c anyOfConfig) Validate() error {
	if len(c.Triggers) == 0 {
		return errors.New("triggers: needs at least one")
	}
	return nil
}

// appendConfig is the configuration of append_only.
type appendConfig struct {
	// Continuation goes on with an unfinished reply by its exact ids.
	Continuation bool `yaml:"continuation"`
}

// segmentsConfig is the configuration of segments.
type segmentsConfig struct {
	// Tokens is the most ids of one chunk. Required.
	Tokens int `yaml:"tokens"`
}

func (c segmentsConfig) Validate() error {
	if c.Tokens < 1 {
		return fmt.Errorf("tokens: %d, must be at least 1", c.Tokens)
	}
	return nil
}

// keepRecentConfig is the configuration of keep_recent.
type keepRecentConfig struct {
	// Keep is the most messages kept. Default (0) 4.
	Keep int `yaml:"keep"`
	// Trigger says when. Default prompt_tokens with its default.
	Trigger config.Section `yaml:"trigger"`
}

func (c keepRecentConfig) Validate() error {
	if c.Keep < 0 {
		return fmt.Errorf("keep: %d, must be at least 1", c.Keep)
	}
	return nil
}

// contextToolsConfig is the configuration of context_tools.
type contextToolsConfig struct {
	// Operations to offer: drop, summarise. Default both.
	Operations []string `yaml:"operations"`
}

func (c contextToolsConfig) Validate() error {
	var errs []error
	seen := map[string]bool{}
	for _, name := range c.Operations {
		if name != "drop" && name != "summarise" || seen[name] {
			errs = append(errs, fmt.Errorf("operations: %q, must be drop or summarise, each once", name))
		}
		seen[name] = true
	}
	return errors.Join(errs...)
}

func (c contextToolsConfig) operations() []contexts.Operation {
	var out []contexts.Operation
	for _, name := range c.Operations {
		if name == "drop" {
			out = append(out, contexts.Drop())
			continue
		}
		out = append(out, contexts.Summarise())
	}
	return out
}
