package cmd

import (
	"errors"
	"fmt"

	"focus/rollout"
	"focus/search"
)

// treeKeys are the keys that every strategy has.
type treeKeys struct {
	// Budget limits a tree; an axis that is absent or 0 is no limit.
	Budget search.Cost `yaml:"budget"`
	// Gate bounds each pass. Default: the strategy's own.
	Gate search.Gate `yaml:"gate"`
	// Order in which results join a tree: tickets (default) or arrival.
	Order search.Order `yaml:"order"`
	// BranchPoints is where search may go on: manager, every_decision or
	// sparse. Default: every_decision where the strategy branches, else the
	// context manager's.
	BranchPoints string `yaml:"branch_points"`
	// Proposal is the laws that edges are drawn from, by weight. Default: the
	// run's own law, the anchor.
	Proposal []lawKeys `yaml:"proposal"`
}

// lawKeys is a law of a proposal. A key that is absent is as in the run's own
// law.
type lawKeys struct {
	// Name is recorded with each edge. The name anchor is the run's own law.
	Name string `yaml:"name"`
	// Weight of any sum. Default 1.
	Weight      *float64 `yaml:"weight"`
	Temperature *float64 `yaml:"temperature"`
	TopP        *float64 `yaml:"top_p"`
	TopK        int      `yaml:"top_k"`
	MinP        float64  `yaml:"min_p"`
}

var branchPoints = map[string]rollout.BranchPoints{
	"manager": nil, "every_decision": rollout.EveryDecision{}, "sparse": rollout.SparseCheckpoints{},
}

// Validate reports every key out of range.
func (k treeKeys) Validate() error {
	var errs []error
	if err := k.Budget.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("budget: %w", err))
	}
	if k.Gate.InFlight < 0 || k.Gate.Width < 0 {
		errs = append(errs, fmt.Errorf("gate: %d in flight and a width of %d, must be at least 0", k.Gate.InFlight, k.Gate.Width))
	}
	if k.Order != "" && k.Order != search.Tickets && k.Order != search.Arrival {
		errs = append(errs, fmt.Errorf("order: %q is neither %s nor %s", k.Order, search.Tickets, search.Arrival))
	}
	if _, ok := branchPoints[k.BranchPoints]; !ok && k.BranchPoints != "" {
		errs = append(errs, fmt.Errorf("branch_points: %q is none of manager, every_decision, sparse", k.BranchPoints))
	}
	named := map[string]bool{}
	for i, l := range k.Proposal {
		if named[l.Name] && l.Name != "" {
			errs = append(errs, fmt.Errorf("proposal[%d].name: %q is there twice, and an edge records the name alone", i, l.Name))
		}
		named[l.Name] = true
		if err := l.validate(); err != nil {
			errs = append(errs, fmt.Errorf("proposal[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

func (l lawKeys) validate() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(l.Name == "", "name: missing: it is recorded with each edge")
	bad(l.Weight != nil && !(*l.Weight > 0), "weight: must be above 0")
	given := l.Temperature != nil || l.TopP != nil || l.TopK != 0 || l.MinP != 0
	bad(l.Name == search.AnchorName && given, "name: %s is the run's own law and has no keys of its own", search.AnchorName)
	bad(l.Name != search.AnchorName && !given, "name: %q says no law: give temperature, top_p, top_k or min_p", l.Name)
	bad(l.Temperature != nil && !(*l.Temperature >= 0.01 && *l.Temperature <= 2), "temperature: is outside 0.01 to 2")
	bad(l.TopP != nil || l.TopK != 0 || l.MinP != 0, "a law that truncates leaves out ids that the anchor gives: its importance ratios are not unbiased; use temperature alone")
	return errors.Join(errs...)
}

// on lays the keys over a strategy.
func (k treeKeys) on(s search.Strategy) search.Strategy {
	s.Budget, s.Order = k.Budget, k.Order
	if k.Budget != (search.Cost{}) {
		s.Rollouts = 0
	}
	switch {
	case k.BranchPoints != "":
		s.BranchPoints = branchPoints[k.BranchPoints]
	case s.Inner():
		s.BranchPoints = rollout.EveryDecision{}
	}
	for i := range s.Passes {
		p := &s.Passes[i]
		if k.Gate.InFlight > 0 {
			p.Gate.InFlight = k.Gate.InFlight
		}
		if k.Gate.Width > 0 {
			p.Gate.Width = k.Gate.Width
		}
		if len(k.Proposal) > 0 {
			p.Proposal = k.mixture()
		}
	}
	return s
}

func (k treeKeys) mixture() search.Mixture {
	var m search.Mixture
	for _, l := range k.Proposal {
		part := search.Part{Weight: 1, Law: search.Law{Name: l.Name}}
		if l.Weight != nil {
			part.Weight = *l.Weight
		}
		if l.Name != search.AnchorName {
			sp := rollout.DefaultSampling()
			sp.Temperature = *l.Temperature
			part.Law.Sampling = &sp
		}
		m.Parts = append(m.Parts, part)
	}
	return m
}
