package cmd

import (
	"errors"
	"fmt"

	"focus/search"
)

// scoreKeys name a score of recorded logprobs; see [search.UncertaintyOf].
type scoreKeys struct {
	// Score is mean, max, first or window.
	Score string `yaml:"score"`
	// ScoreTokens are how many ids first and window look at. Default (0) 20
	// and 3.
	ScoreTokens int `yaml:"score_tokens"`
}

// uncertainty is the score; nil when the keys name none.
func (k scoreKeys) uncertainty() search.Uncertainty {
	u, err := search.UncertaintyOf(k.Score, k.ScoreTokens)
	if err != nil {
		return nil
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

// treePOConfig is the configuration of treepo; see [search.TreePO].
type treePOConfig struct {
	Size        int               `yaml:"size"`
	FirstMin    int               `yaml:"first_min"`
	FirstMax    int               `yaml:"first_max"`
	Fork        int               `yaml:"fork"`
	Depth       int               `yaml:"depth"`
	Allocation  search.Allocation `yaml:"allocation"`
	Temperature float64           `yaml:"temperature"`
	scoreKeys   `yaml:",inline"`
	treeKeys    `yaml:",inline"`
}

func treePODefaults() treePOConfig {
	d := search.DefaultTreePO()
	return treePOConfig{
		Size: d.Size, FirstMin: d.FirstMin, FirstMax: d.FirstMax, Fork: d.Fork, Depth: d.Depth,
		Allocation: d.Allocation, Temperature: d.Temperature, scoreKeys: scoreKeys{Score: d.Score.Name()},
	}
}

func (c treePOConfig) strategy() search.TreePO {
	return search.TreePO{
		Size: c.Size, FirstMin: c.FirstMin, FirstMax: c.FirstMax, Fork: c.Fork, Depth: c.Depth,
		Allocation: c.Allocation, Temperature: c.Temperature, Score: c.uncertainty(),
	}
}

func (c treePOConfig) Validate() error {
	return errors.Join(c.strategy().Validate(), c.scoreKeys.Validate(), c.treeKeys.Validate())
}

// arpoConfig is the configuration of arpo; see [search.ARPO].
type arpoConfig struct {
	Size       int     `yaml:"size"`
	Roots      int     `yaml:"roots"`
	Beam       int     `yaml:"beam"`
	Branch     float64 `yaml:"branch"`
	Weight     float64 `yaml:"weight"`
	Vocabulary int     `yaml:"vocabulary"`
	Penalty    float64 `yaml:"penalty"`
	RootSplit  float64 `yaml:"root_split"`
	scoreKeys  `yaml:",inline"`
	treeKeys   `yaml:",inline"`
}

func arpoDefaults() arpoConfig {
	d := search.DefaultARPO()
	return arpoConfig{
		Size: d.Size, Roots: d.Roots, Beam: d.Beam, Branch: d.Branch, Weight: d.Weight, Vocabulary: d.Vocabulary,
		Penalty: d.Penalty, RootSplit: d.RootSplit, scoreKeys: scoreKeys{Score: d.Score.Name()},
	}
}

func (c arpoConfig) strategy() search.ARPO {
	return search.ARPO{
		Size: c.Size, Roots: c.Roots, Beam: c.Beam, Branch: c.Branch, Weight: c.Weight, Vocabulary: c.Vocabulary,
		Penalty: c.Penalty, RootSplit: c.RootSplit, Score: c.uncertainty(),
	}
}

func (c arpoConfig) Validate() error {
	return errors.Join(c.strategy().Validate(), c.scoreKeys.Validate(), c.treeKeys.Validate())
}

// beamConfig is the configuration of beam; see [search.Beam].
type beamConfig struct {
	Keep      int         `yaml:"keep"`
	Children  int         `yaml:"children"`
	Depth     int         `yaml:"depth"`
	Rank      search.Rank `yaml:"rank"`
	scoreKeys `yaml:",inline"`
	treeKeys  `yaml:",inline"`
}

func beamDefaults() beamConfig {
	d := search.DefaultBeam()
	return beamConfig{Keep: d.Keep, Children: d.Children, Depth: d.Depth, Rank: d.Rank, scoreKeys: scoreKeys{Score: d.Score.Name()}}
}

func (c beamConfig) strategy() search.Beam {
	return search.Beam{Keep: c.Keep, Children: c.Children, Depth: c.Depth, Rank: c.Rank, Score: c.uncertainty()}
}

func (c beamConfig) Validate() error {
	return errors.Join(c.strategy().Validate(), c.scoreKeys.Validate(), c.treeKeys.Validate())
}

// bestFirstConfig is the configuration of best-first; see [search.BestFirst].
type bestFirstConfig struct {
	Size          int         `yaml:"size"`
	Width         int         `yaml:"width"`
	Expansions    int         `yaml:"expansions"`
	ToEnd         bool        `yaml:"to_end"`
	Rank          search.Rank `yaml:"rank"`
	ValueWeight   float64     `yaml:"value_weight"`
	EntropyWeight float64     `yaml:"entropy_weight"`
	DepthWeight   float64     `yaml:"depth_weight"`
	Depth         int         `yaml:"depth"`
	scoreKeys     `yaml:",inline"`
	treeKeys      `yaml:",inline"`
}

func bestFirstDefaults() bestFirstConfig {
	d := search.DefaultBestFirst()
	return bestFirstConfig{
		Size: d.Size, Width: d.Width, Expansions: d.Expansions, ToEnd: d.ToEnd, Rank: d.Rank,
		ValueWeight: d.ValueWeight, EntropyWeight: d.EntropyWeight, DepthWeight: d.DepthWeight, Depth: d.Depth,
		scoreKeys: scoreKeys{Score: d.Score.Name()},
	}
}

func (c bestFirstConfig) strategy() search.BestFirst {
	return search.BestFirst{
		Size: c.Size, Width: c.Width, Expansions: c.Expansions, ToEnd: c.ToEnd, Rank: c.Rank,
		ValueWeight: c.ValueWeight, EntropyWeight: c.EntropyWeight, DepthWeight: c.DepthWeight, Depth: c.Depth,
		Score: c.uncertainty(), InFlight: search.DefaultBestFirst().InFlight,
	}
}

func (c bestFirstConfig) Validate() error {
	return errors.Join(c.strategy().Validate(), c.scoreKeys.Validate(), c.treeKeys.Validate())
}

// registerSearchA adds strategies that are led by depth, entropy or score.
func registerSearchA(r *Registry) {
	RegisterStrategyDefaults(r, "treepo", "replies that fork at every segment (TreePO)", treePODefaults(), func(c treePOConfig) (search.Strategy, error) {
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
