package cmd

import (
	"errors"

	"focus/search"
)

// registerBranches adds the strategies that branch without looking at outcomes.
func registerBranches(r *Registry) {
	RegisterStrategyDefaults(r, "treerl", "chains, then rollouts from where the policy was least sure (TreeRL)", treeRLDefaults(), func(c treeRLConfig) (search.Strategy, error) {
		return c.on(c.strategy().Strategy()), nil
	})
	RegisterStrategyDefaults(r, "spo-tree", "a full tree of segments (SPO-tree)", spoTreeConfig{SPOTree: search.DefaultSPOTree()}, func(c spoTreeConfig) (search.Strategy, error) {
		return c.on(c.Strategy()), nil
	})
	RegisterStrategyDefaults(r, "vineppo", "chains, and untrained rollouts that estimate the value of each step (VinePPO)", vinePPOConfig{VinePPO: search.DefaultVinePPO()}, func(c vinePPOConfig) (search.Strategy, error) {
		return c.on(c.Strategy()), nil
	})
}

// treeRLConfig is the configuration of treerl; see [search.TreeRL].
type treeRLConfig struct {
	search.TreeRL `yaml:",inline"`
	scoreKeys     `yaml:",inline"`
	treeKeys      `yaml:",inline"`
}

func treeRLDefaults() treeRLConfig {
	d := search.DefaultTreeRL()
	return treeRLConfig{TreeRL: d, scoreKeys: scoreKeys{Score: d.Score.Name()}}
}

func (c treeRLConfig) strategy() search.TreeRL {
	if u := c.uncertainty(); u != nil {
		c.TreeRL.Score = u
	}
	return c.TreeRL
}

func (c treeRLConfig) Validate() error {
	return errors.Join(c.scoreKeys.Validate(), c.strategy().Validate(), c.treeKeys.Validate())
}

// spoTreeConfig is the configuration of spo-tree.
type spoTreeConfig struct {
	search.SPOTree `yaml:",inline"`
	treeKeys       `yaml:",inline"`
}

func (c spoTreeConfig) Validate() error {
	return errors.Join(c.SPOTree.Validate(), c.treeKeys.Validate())
}

// vinePPOConfig is the configuration of vineppo.
type vinePPOConfig struct {
	search.VinePPO `yaml:",inline"`
	treeKeys       `yaml:",inline"`
}

func (c vinePPOConfig) Validate() error {
	return errors.Join(c.VinePPO.Validate(), c.treeKeys.Validate())
}
