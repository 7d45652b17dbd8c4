package cmd

import (
	"errors"

	"focus/search"
)

// registerValued adds the strategies that go by the values they have estimated.
func registerValued(r *Registry) {
	RegisterStrategyDefaults(r, "puct", "Monte Carlo tree search (PUCT, UCT, WU-UCT)", puctConfig{PUCT: search.DefaultPUCT()}, func(c puctConfig) (search.Strategy, error) {
		return c.on(c.Strategy()), nil
	})
	RegisterStrategyDefaults(r, "value-refinement", "one more rollout where it makes values most certain for its cost", refineConfig{ValueRefinement: search.DefaultValueRefinement()}, func(c refineConfig) (search.Strategy, error) {
		return c.on(c.Strategy()), nil
	})
}

// puctConfig is the configuration of puct.
type puctConfig struct {
	search.PUCT `yaml:",inline"`
	treeKeys    `yaml:",inline"`
}

func (c puctConfig) Validate() error { return errors.Join(c.PUCT.Validate(), c.treeKeys.Validate()) }

// refineConfig is the configuration of value-refinement.
type refineConfig struct {
	search.ValueRefinement `yaml:",inline"`
	treeKeys               `yaml:",inline"`
}

func (c refineConfig) Validate() error {
	return errors.Join(c.ValueRefinement.Validate(), c.treeKeys.Validate())
}
