package cmd

import (
	"errors"
	"fmt"

	"focus/internal/config"
	"focus/internal/job"
	"focus/search/credit"
)

// Estimator says what the edges of a task's tree were worth. [credit.Estimator]
// is one, with a [credit.Func] for a method of your own.
type Estimator = job.Estimator

// RegisterEstimator adds a credit estimator.
func RegisterEstimator[C any](r *Registry, kind, doc string, build func(C) (Estimator, error)) {
	config.Register(&r.Estimators, kind, doc, func(_ job.Deps, c C) (Estimator, error) { return build(c) })
}

// RegisterMethod adds a credit estimator that is a method and the options that
// all have. The keys are the yaml tags of M, a struct, beside those of
// [credit.Options]; a key that is absent keeps its value of defaults.
func RegisterMethod[M credit.Method](r *Registry, kind, doc string, defaults M) {
	config.RegisterDefaults(&r.Estimators, kind, doc, methodConfig[M]{defaults, credit.DefaultOptions()},
		func(_ job.Deps, c methodConfig[M]) (Estimator, error) { return c.estimator(), nil })
}

// registerCredit adds the estimators that come with focus.
func registerCredit(r *Registry) {
	registerBase(r, "grpo", "group-relative advantages, (R - mean) / (std + eps)", credit.BaseGRPO)
	registerBase(r, "drgrpo", "R - mean (Dr. GRPO)", credit.BaseDrGRPO)
	registerBase(r, "rloo", "R - mean of the others (RLOO)", credit.BaseRLOO)
	RegisterMethod(r, "broadcast", "the advantage of its leaf at every edge of a rollout", credit.Broadcast{Base: credit.BaseGRPO})
	RegisterMethod(r, "redistribute", "the mean advantage of the leaves below an edge", credit.Redistribute{Base: credit.BaseGRPO})
	RegisterMethod(r, "tree-grpo", "a leaf against its tree and its prompt (Tree-GRPO)", credit.TreeGRPO{Form: credit.TreeGRPOSum})
	RegisterMethod(r, "subgroup", "a leaf against the leaves of each of its ancestors (TreePO)", credit.Subgroup{Form: credit.SubgroupAvg})
	RegisterMethod(r, "td", "the value of an edge's end less that of its start", credit.TD{Form: credit.TDLOO})
	RegisterMethod(r, "gae", "generalised advantage estimation along each rollout", credit.GAE{Lambda: 0.95})
	RegisterMethod(r, "treerl", "value above the root's and the parent's, by the square root of the leaves (TreeRL)", credit.TreeRL{})
	RegisterMethod(r, "shrunk", "td with values drawn to their parents'", credit.Shrunk{Kappa: 1})
	fold := foldConfig{credit.DefaultFoldShape(), job.DefaultFoldRules(), credit.DefaultOptions()}
	config.RegisterDefaults(&r.Estimators, "fold", "a rollout's advantage, shaped by what its turns did to the context (FoldGRPO)", fold,
		func(_ job.Deps, c foldConfig) (Estimator, error) { return c.estimator(), nil })
	config.RegisterDefaults(&r.Estimators, "combine", "a weighted sum of estimators", combineConfig{Options: credit.DefaultOptions()},
		func(d job.Deps, c combineConfig) (Estimator, error) { return c.estimator(r, d) })
}

// registerBase adds a baseline over independent rollouts: its kind is its name.
func registerBase(r *Registry, kind, doc string, b credit.Base) {
	config.RegisterDefaults(&r.Estimators, kind, doc, baseConfig{credit.DefaultOptions()}, func(_ job.Deps, c baseConfig) (Estimator, error) {
		return credit.Estimator{Method: credit.Chain{Base: b}, Options: c.Options}, nil
	})
}

type baseConfig struct {
	credit.Options `yaml:",inline"`
}

type methodConfig[M credit.Method] struct {
	Method  M              `yaml:",inline"`
	Options credit.Options `yaml:",inline"`
}

func (c methodConfig[M]) estimator() credit.Estimator {
	return credit.Estimator{Method: c.Method, Options: c.Options}
}

func (c methodConfig[M]) Validate() error { return c.estimator().Validate() }

// foldConfig is the configuration of fold; see [credit.FoldShape] and
// [job.FoldRules].
type foldConfig struct {
	Shape   credit.FoldShape `yaml:",inline"`
	Rules   job.FoldRules    `yaml:",inline"`
	Options credit.Options   `yaml:",inline"`
}

func (c foldConfig) estimator() job.Shaped {
	return job.Shaped{Estimator: credit.Estimator{Method: c.Shape, Options: c.Options}, Rules: c.Rules}
}

func (c foldConfig) Validate() error {
	return errors.Join(c.estimator().Validate(), c.Rules.Validate())
}

// combineConfig is the configuration of combine; see [credit.Combine].
type combineConfig struct {
	// Terms to add up, at least one.
	Terms          []termConfig `yaml:"terms"`
	credit.Options `yaml:",inline"`
}

// termConfig is a term of combine.
type termConfig struct {
	// Weight of any sign. Default 1.
	Weight *float64 `yaml:"weight"`
	// Method is a credit section without options: those are combine's. Required.
	Method config.Section `yaml:"method"`
}

func (c combineConfig) Validate() error {
	errs := []error{c.Options.Validate()}
	if len(c.Terms) == 0 {
		errs = append(errs, errors.New("terms: needs at least one"))
	}
	for i, t := range c.Terms {
		if !t.Method.Given() {
			errs = append(errs, fmt.Errorf("terms[%d].method: missing: say which, for example `method: td`", i))
		}
	}
	return errors.Join(errs...)
}

func (c combineConfig) estimator(r *Registry, d job.Deps) (Estimator, error) {
	var sum credit.Combine
	var rules *job.FoldRules
	var errs []error
	for i, t := range c.Terms {
		built, err := r.Estimators.Build(d, t.Method)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if s, ok := built.(job.Shaped); ok {
			if rules != nil && *rules != s.Rules {
				errs = append(errs, fmt.Errorf("terms[%d]: shapes otherwise than a term before it: a turn has one Q", i))
			}
			rules, built = &s.Rules, s.Estimator
		}
		e, ok := built.(credit.Estimator)
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("terms[%d]: %q is no method and cannot be added to others", i, t.Method.Kind))
			continue
		case e.Options != credit.DefaultOptions():
			errs = append(errs, fmt.Errorf("terms[%d]: the options of a term are those of combine; put them beside terms", i))
		}
		term := credit.Term{Weight: 1, Method: e.Method}
		if t.Weight != nil {
			term.Weight = *t.Weight
		}
		sum.Terms = append(sum.Terms, term)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	out := credit.Estimator{Method: sum, Options: c.Options}
	if rules != nil {
		return job.Shaped{Estimator: out, Rules: *rules}, out.Validate()
	}
	return out, out.Validate()
}
