package credit

import (
	"errors"
	"fmt"
)

// Weighting says what share of a node's value a child has.
type Weighting string

const (
	// ChildMean is ω(c|p) = 1/k_p. It stays unbiased when how much a child was
	// expanded depends on its state (SPO, TreeRPO).
	ChildMean Weighting = "child-mean"
	// LeafMean is ω(c|p) = |L(c)|/|L(p)| (TreeRL, TreePO, Tree-GRPO).
	LeafMean Weighting = "leaf-mean"
)

// Options are what implementations in the field differ in without saying so.
// None has a zero value that stands for something else: start from
// [DefaultOptions].
type Options struct {
	Weighting Weighting `yaml:"value" json:"value"`
	// Gamma discounts per edge of the compressed tree, in values alone; above 0,
	// at most 1. Below 1 a deep leaf is worth less than a shallow one.
	Gamma float64 `yaml:"gamma" json:"gamma"`
	// DDof, Eps and Singleton are as in [GRPO].
	DDof      int       `yaml:"ddof" json:"ddof"`
	Eps       float64   `yaml:"eps" json:"eps"`
	Singleton Singleton `yaml:"singleton" json:"singleton"`
	// DropZeroSpread leaves out the rows of a prompt whose outcomes are all the
	// same (dynamic sampling of DAPO, arXiv 2503.14476).
	DropZeroSpread bool `yaml:"drop_zero_spread" json:"drop_zero_spread"`
	// Overlong is the rule for leaves that were cut short.
	Overlong Overlong `yaml:"overlong" json:"overlong"`
	// Soft is read under [OverlongSoft] alone.
	Soft SoftOverlong `yaml:"soft_overlong" json:"soft_overlong"`
}

// DefaultOptions is child-mean, γ 1, ddof 1, eps 1e-6, singleton zero, nothing
// dropped, and what was cut short worth what it was scored.
func DefaultOptions() Options {
	g := DefaultGRPO()
	return Options{
		Weighting: ChildMean, Gamma: 1, DDof: g.DDof, Eps: g.Eps, Singleton: g.Singleton,
		Overlong: OverlongScore, Soft: DefaultSoftOverlong(),
	}
}

// Validate reports every option out of range.
func (o Options) Validate() error {
	var errs []error
	if o.Weighting != ChildMean && o.Weighting != LeafMean {
		errs = append(errs, fmt.Errorf("value: %q, must be child-mean or leaf-mean", o.Weighting))
	}
	if !(o.Gamma > 0 && o.Gamma <= 1) {
		errs = append(errs, fmt.Errorf("gamma: %v, must be above 0 and at most 1", o.Gamma))
	}
	errs = append(errs, o.Overlong.Validate())
	if o.Overlong == OverlongSoft {
		if err := o.Soft.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("soft_overlong.%w", err))
		}
	}
	return errors.Join(append(errs, o.group().Validate())...)
}

func (o Options) group() GRPO { return GRPO{DDof: o.DDof, Eps: o.Eps, Singleton: o.Singleton} }
