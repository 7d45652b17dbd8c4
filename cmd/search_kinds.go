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
	registerTree(r, "group", "independent rollouts of each task (GRPO)", search.Group{Size: 8})
	registerTree(r, "tree-grpo", "chains, then rollouts from turns drawn at random (Tree-GRPO)", search.DefaultTreeGRPO())
	registerTree(r, "spo-tree", "a full tree of segments (SPO-tree)", search.DefaultSPOTree())
	registerTree(r, "vineppo", "chains, and untrained rollouts that estimate the value of each step (VinePPO)", search.DefaultVinePPO())
	registerTree(r, "puct", "Monte Carlo tree search (PUCT, UCT, WU-UCT)", search.DefaultPUCT())
	registerTree(r, "value-refinement", "one more rollout where it makes values most certain for its cost", search.DefaultValueRefinement())
	registerScored(r, "treepo", "replies that fork at every segment (TreePO)", search.DefaultTreePO(),
		func(s *search.TreePO) *search.Uncertainty { return &s.Score })
	registerScored(r, "treerl", "chains, then rollouts from where the policy was least sure (TreeRL)", search.DefaultTreeRL(),
		func(s *search.TreeRL) *search.Uncertainty { return &s.Score })
	registerScored(r, "arpo", "branches after tool results, the likelier the less sure the policy is (ARPO, AEPO)", search.DefaultARPO(),
		func(s *search.ARPO) *search.Uncertainty { return &s.Score })
	registerScored(r, "beam", "the best checkpoints of each depth, by confidence or by a value model", search.DefaultBeam(),
		func(s *search.Beam) *search.Uncertainty { return &s.Score })
	registerScored(r, "best-first", "always the best checkpoint of the tree (the frontier of DeepSearch)", search.DefaultBestFirst(),
		func(s *search.BestFirst) *search.Uncertainty { return &s.Score })
}

// strategist is the configuration of a strategy in package search.
type strategist interface {
	Validate() error
	Strategy() search.Strategy
}

// treeConfig is a strategy's own keys beside those of every tree.
type treeConfig[S strategist] struct {
	Own      S `yaml:",inline"`
	treeKeys `yaml:",inline"`
}

func (c treeConfig[S]) Validate() error { return errors.Join(c.Own.Validate(), c.treeKeys.Validate()) }

func registerTree[S strategist](r *Registry, kind, doc string, defaults S) {
	RegisterStrategyDefaults(r, kind, doc, treeConfig[S]{Own: defaults}, func(c treeConfig[S]) (search.Strategy, error) {
		return c.on(c.Own.Strategy()), nil
	})
}

// scoreKeys name a score of recorded logprobs; see [search.UncertaintyOf].
type scoreKeys struct {
	// Score is mean, max, first or window.
	Score string `yaml:"score"`
	// ScoreTokens are how many ids first and window look at. Default (0) 20
	// and 3.
	ScoreTokens int `yaml:"score_tokens"`
}

// Validate reports keys that name no score.
func (k scoreKeys) Validate() error {
	if _, err := search.UncertaintyOf(k.Score, k.ScoreTokens); err != nil {
		return fmt.Errorf("score: %w", err)
	}
	return nil
}

// scoredConfig is [treeConfig] of a strategy that goes by a score.
type scoredConfig[S strategist] struct {
	Own       S `yaml:",inline"`
	scoreKeys `yaml:",inline"`
	treeKeys  `yaml:",inline"`

	// score is where S has its score.
	score func(*S) *search.Uncertainty
}

// scored is the strategy with the score that the keys name; its own where they
// name none, which Validate reports.
func (c scoredConfig[S]) scored() S {
	if u, err := search.UncertaintyOf(c.Score, c.ScoreTokens); err == nil {
		*c.score(&c.Own) = u
	}
	return c.Own
}

func (c scoredConfig[S]) Validate() error {
	return errors.Join(c.scoreKeys.Validate(), c.scored().Validate(), c.treeKeys.Validate())
}

func registerScored[S strategist](r *Registry, kind, doc string, defaults S, score func(*S) *search.Uncertainty) {
	c := scoredConfig[S]{Own: defaults, scoreKeys: scoreKeys{Score: (*score(&defaults)).Name()}, score: score}
	RegisterStrategyDefaults(r, kind, doc, c, func(c scoredConfig[S]) (search.Strategy, error) {
		return c.on(c.scored().Strategy()), nil
	})
}
