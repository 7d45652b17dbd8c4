package search

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"focus/rollout"
)

// Law is what the replies of an edge are sampled under.
type Law struct {
	// Name is recorded with the edge.
	Name string
	// Sampling overrides the run's law; nil is the run's own, the anchor. Only
	// its temperature and truncation are read.
	Sampling *rollout.SamplingParams
}

// Anchor reports whether the law is the run's own.
func (l Law) Anchor() bool { return l.Sampling == nil }

// Proposal draws the law of each edge. Edges off the anchor owe a trainer an
// importance ratio, so their ids are scored under the anchor too.
type Proposal interface {
	Draw(r *rand.Rand) Law
	// OffAnchor reports whether Draw may give another law than the run's.
	OffAnchor() bool
}

// AnchorName is the name of the run's own law.
const AnchorName = "anchor"

// Anchor samples every edge under the run's own law.
type Anchor struct{}

// Draw is the anchor.
func (Anchor) Draw(*rand.Rand) Law { return Law{Name: AnchorName} }

// OffAnchor is false.
func (Anchor) OffAnchor() bool { return false }

// Mixture draws the law of an edge from several, by weight.
type Mixture struct{ Parts []Part }

// Part is a law of a mixture with its weight, of any sum.
type Part struct {
	Weight float64
	Law    Law
}

// Draw picks a part with probability proportional to its weight.
func (m Mixture) Draw(r *rand.Rand) Law {
	sum := 0.0
	for _, p := range m.Parts {
		sum += p.Weight
	}
	at := r.Float64() * sum
	for _, p := range m.Parts {
		if at < p.Weight {
			return p.Law
		}
		at -= p.Weight
	}
	return m.Parts[len(m.Parts)-1].Law
}

// OffAnchor reports whether a part is off the anchor.
func (m Mixture) OffAnchor() bool {
	for _, p := range m.Parts {
		if !p.Law.Anchor() {
			return true
		}
	}
	return false
}

// Validate reports weights that are no weights and laws without a name.
func (m Mixture) Validate() error {
	var errs []error
	if len(m.Parts) == 0 {
		errs = append(errs, errors.New("a mixture needs at least one part"))
	}
	for i, p := range m.Parts {
		if !(p.Weight > 0) || math.IsInf(p.Weight, 0) {
			errs = append(errs, fmt.Errorf("part %d: weight is %v, must be above 0", i, p.Weight))
		}
		if p.Law.Name == "" {
			errs = append(errs, fmt.Errorf("part %d has no name", i))
		}
	}
	return errors.Join(errs...)
}
