package credit

import (
	"errors"
	"fmt"
	"math"
)

// Singleton says what becomes of a group with one scored rollout.
type Singleton string

const (
	// SingletonZero gives it advantage 0: there is nothing to compare with.
	SingletonZero Singleton = "zero"
	// SingletonRaw gives it its reward, as verl does (mean 0, deviation 1).
	SingletonRaw Singleton = "raw"
	// SingletonDrop gives it no advantage.
	SingletonDrop Singleton = "drop"
)

// GRPO is A_i = (R_i − mean) / (std + Eps) over the scored rollouts of a group
// (DeepSeekMath, arXiv 2402.03300, eq. 3).
type GRPO struct {
	// DDof divides the squared deviations by n − DDof: 1 as torch and verl do,
	// 0 as numpy does.
	DDof int
	// Eps is added to the deviation. verl uses 1e-6.
	Eps float64
	// Singleton is the rule for a group of one.
	Singleton Singleton
}

// DefaultGRPO is verl's form, with groups of one set to zero.
func DefaultGRPO() GRPO { return GRPO{DDof: 1, Eps: 1e-6, Singleton: SingletonZero} }

// Validate reports every parameter out of range.
func (g GRPO) Validate() error {
	var errs []error
	if g.DDof != 0 && g.DDof != 1 {
		errs = append(errs, fmt.Errorf("ddof: %d, must be 0 or 1", g.DDof))
	}
	if !(g.Eps >= 0) || math.IsInf(g.Eps, 1) {
		errs = append(errs, fmt.Errorf("eps: %v, must be a number of at least 0", g.Eps))
	}
	if g.Singleton != SingletonZero && g.Singleton != SingletonRaw && g.Singleton != SingletonDrop {
		errs = append(errs, fmt.Errorf("singleton: %q, must be zero, raw or drop", g.Singleton))
	}
	return errors.Join(errs...)
}

// Advantages returns one number per rollout; nil where the reward is nil.
func (g GRPO) Advantages(rewards []*float64) []*float64 {
	out := make([]*float64, len(rewards))
	var scored []float64
	for _, r := range rewards {
		if r != nil {
			scored = append(scored, *r)
		}
	}
	if len(scored) == 1 {
		return g.singleton(rewards)
	}
	mean, std := moments(scored, g.DDof)
	for i, r := range rewards {
		if r == nil {
			continue
		}
		a := 0.0
		// A group without spread is zero by definition and not by rounding.
		if std > 0 {
			a = (*r - mean) / (std + g.Eps)
		}
		out[i] = &a
	}
	return out
}

func (g GRPO) singleton(rewards []*float64) []*float64 {
	out := make([]*float64, len(rewards))
	for i, r := range rewards {
		if r == nil || g.Singleton == SingletonDrop {
			continue
		}
		a := 0.0
		if g.Singleton == SingletonRaw {
			a = *r
		}
		out[i] = &a
	}
	return out
}

// moments are mean and standard deviation; the deviation of equal numbers is
// exactly 0.
func moments(xs []float64, ddof int) (mid, std float64) {
	mid = mean(xs, nil)
	if equal(xs) {
		return mid, 0
	}
	squares := make([]float64, len(xs))
	for i, x := range xs {
		squares[i] = (x - mid) * (x - mid)
	}
	return mid, math.Sqrt(sum(squares) / float64(len(xs)-ddof))
}
