package cmd

import (
	"errors"
	"fmt"

	"focus/search"
)

// registerSearch adds the search strategies that come with focus. Their keys are
// the fields of their types in package search, a score's and those of every
// tree.
func registerSearch(r *Registry) {
	RegisterStrategyDefaults(r, "group", "independent rollouts of each task (GRPO)", groupConfig{Group: search.Group{Size: 8}}, func(c groupConfig) (search.Strategy, error) {
		return c.on(c.Strategy()), nil
	})
	RegisterStrategyDefaults(r, "tree-grpo", "chains, then rollouts from turns drawn at random (Tree-GRPO)", treeGRPOConfig{TreeGRPO: search.DefaultTreeGRPO()}, func(c treeGRPOConfig) (search.Strategy, error) {
		return c.on(c.Strategy()), nil
	})
	RegisterStrategyDefaults(r, "spo-tree", "a full tree of segments (SPO-tree)", spoTreeConfig{SPOTree: search.DefaultSPOTree()}, func(c spoTreeConfig) (search.Strategy, error) {
		return c.on(c.Strategy()), nil
	})
	RegisterStrategyDefaults(r, "vineppo", "chains, and untrained rollouts that estimate the value of each step (VinePPO)", vinePPOConfig{VinePPO: search.DefaultVinePPO()}, func(c vinePPOConfig) (search.Strategy, error) {
		return c.on(c.Strategy()), nil
	})
	RegisterStrategyDefaults(r, "puct", "Monte Carlo tree search (PUCT, UCT, WU-UCT)", puctConfig{PUCT: search.DefaultPUCT()}, func(c puctConfig) (search.Strategy, error) {
		return c.on(c.Strategy()), nil
	})
	RegisterStrategyDefaults(r, "value-refinement", "one more rollout where it makes values most certain for its cost", refineConfig{ValueRefinement: search.DefaultValueRefinement()}, func(c refineConfig) (search.Strategy, error) {
		return c.on(c.Strategy()), nil
	})
	RegisterStrategyDefaults(r, "treepo", "replies that fork at every segment (TreePO)", treePODefaults(), func(c treePOConfig) (search.Strategy, error) {
		return c.on(c.strategy().Strategy()), nil
	})
	RegisterStrategyDefaults(r, "treerl", "chains, then rollouts from where the policy was least sure (TreeRL)", treeRLDefaults(), func(c treeRLConfig) (search.Strategy, error) {
		return c.on(c.strategy().Strategy()), nil
	})
	RegisterStrategyDefaults(r, "arpo", "branches after tool results, the likelier the less sure the policy is (ARPO, AEPO)", arpoDefaults(), func(c arpoConfig) (search.Strategy, error) {
		return c.on(c.strategy().Strategy()), nil
	})
	RegisterStrategyDefaults(r, "beam", "the best checkpoints of each depth, by confidence or by a value model", beamDefaults(), func(c beamConfig) (search.Strategy, error) {
		return c.on(c.strategy().Strategy()), nil
	})
	RegisterStrategyDefaults(r, "best-first", "always the best checkpoint of the tree (the frontier of DeepSearch)", bestFirstDefaults(), func(c bestFirstConfig) (search.Strategy, error) {
		return c.on(c.strategy().Strategy()), nil
	})
}

type groupConfig struct {
	search.Group `yaml:",inline"`
	treeKeys     `yaml:",inline"`
}

func (c groupConfig) Validate() error { return errors.Join(c.Group.Validate(), c.treeKeys.Validate()) }

type treeGRPOConfig struct {
	search.TreeGRPO `yaml:",inline"`
	treeKeys        `yaml:",inline"`
}

func (c treeGRPOConfig) Validate() error {
	return errors.Join(c.TreeGRPO.Validate(), c.treeKeys.Validate())
}

type spoTreeConfig struct {
	search.SPOTree `yaml:",inline"`
	treeKeys       `yaml:",inline"`
}

func (c spoTreeConfig) Validate() error {
	return errors.Join(c.SPOTree.Validate(), c.treeKeys.Validate())
}

type vinePPOConfig struct {
	search.VinePPO `yaml:",inline"`
	treeKeys       `yaml:",inline"`
}

func (c vinePPOConfig) Validate() error {
	return errors.Join(c.VinePPO.Validate(), c.treeKeys.Validate())
}

type puctConfig struct {
	search.PUCT `yaml:",inline"`
	treeKeys    `yaml:",inline"`
}

func (c puctConfig) Validate() error { return errors.Join(c.PUCT.Validate(), c.treeKeys.Validate()) }

type refineConfig struct {
	search.ValueRefinement `yaml:",inline"`
	treeKeys               `yaml:",inline"`
}

func (c refineConfig) Validate() error {
	return errors.Join(c.ValueRefinement.Validate(), c.treeKeys.Validate())
}

// scoreKeys name a score of recorded logprobs; see [search.UncertaintyOf].
type scoreKeys struct {
	// Score is mean, max, first or window.
	Score string `yaml:"score"`
	// ScoreTokens are how many ids first and window look at. Default (0) 20
	// and 3.
	ScoreTokens int `yaml:"score_tokens"`
}

// uncertainty is the score that the keys name, fallback where they name none.
func (k scoreKeys) uncertainty(fallback search.Uncertainty) search.Uncertainty {
	u, err := search.UncertaintyOf(k.Score, k.ScoreTokens)
	if err != nil {
		return fallback
	}
	return u
}

// Validate reports keys that name no score.
func (k scoreKeys) Validate() error {
	if _, err := search.UncertaintyOf(k.Score, k.ScoreTokens); err != nil {
		return fmt.Errorf("score: %w", err)
	}
	return nil
}

type treePOConfig struct {
	search.TreePO `yaml:",inline"`
	scoreKeys     `yaml:",inline"`
	treeKeys      `yaml:",inline"`
}

func treePODefaults() treePOConfig {
	d := search.DefaultTreePO()
	return treePOConfig{TreePO: d, scoreKeys: scoreKeys{Score: d.Score.Name()}}
}

func (c treePOConfig) strategy() search.TreePO {
	c.TreePO.Score = c.uncertainty(c.TreePO.Score)
	return c.TreePO
}

func (c treePOConfig) Validate() error {
	return errors.Join(c.scoreKeys.Validate(), c.strategy().Validate(), c.treeKeys.Validate())
}

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
	c.TreeRL.Score = c.uncertainty(c.TreeRL.Score)
	return c.TreeRL
}

func (c treeRLConfig) Validate() error {
	return errors.Join(c.scoreKeys.Validate(), c.strategy().Validate(), c.treeKeys.Validate())
}

type arpoConfig struct {
	search.ARPO `yaml:",inline"`
	scoreKeys   `yaml:",inline"`
	treeKeys    `yaml:",inline"`
}

func arpoDefaults() arpoConfig {
	d := search.DefaultARPO()
	return arpoConfig{ARPO: d, scoreKeys: scoreKeys{Score: d.Score.Name()}}
}

func (c arpoConfig) strategy() search.ARPO {
	c.ARPO.Score = c.uncertainty(c.ARPO.Score)
	return c.ARPO
}

func (c arpoConfig) Validate() error {
	return errors.Join(c.scoreKeys.Validate(), c.strategy().Validate(), c.treeKeys.Validate())
}

type beamConfig struct {
	search.Beam `yaml:",inline"`
	scoreKeys   `yaml:",inline"`
	treeKeys    `yaml:",inline"`
}

func beamDefaults() beamConfig {
	d := search.DefaultBeam()
	return beamConfig{Beam: d, scoreKeys: scoreKeys{Score: d.Score.Name()}}
}

func (c beamConfig) strategy() search.Beam {
	c.Beam.Score = c.uncertainty(c.Beam.Score)
	return c.Beam
}

func (c beamConfig) Validate() error {
	return errors.Join(c.scoreKeys.Validate(), c.strategy().Validate(), c.treeKeys.Validate())
}

type bestFirstConfig struct {
	search.BestFirst `yaml:",inline"`
	scoreKeys        `yaml:",inline"`
	treeKeys         `yaml:",inline"`
}

func bestFirstDefaults() bestFirstConfig {
	d := search.DefaultBestFirst()
	return bestFirstConfig{BestFirst: d, scoreKeys: scoreKeys{Score: d.Score.Name()}}
}

func (c bestFirstConfig) strategy() search.BestFirst {
	c.BestFirst.Score = c.uncertainty(c.BestFirst.Score)
	return c.BestFirst
}

func (c bestFirstConfig) Validate() error {
	return errors.Join(c.scoreKeys.Validate(), c.strategy().Validate(), c.treeKeys.Validate())
}
