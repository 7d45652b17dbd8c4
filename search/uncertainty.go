package search

import (
	"fmt"
	"iter"
	"slices"

	"focus/rollout"
)

// Uncertainty says how unsure the policy was of the turns of an edge, from the
// logprobs that were recorded with them. It makes no call.
type Uncertainty interface {
	// Name is the key that a job file names it by.
	Name() string
	// Score is higher the less sure the policy was, in nats; false when a turn
	// was never scored or there is no sampled id.
	Score(turns iter.Seq[*rollout.Turn]) (float64, bool)
}

// Surprise is −log p of the sampled ids of the task turns, one after another, in
// nats. Fold turns are left out: they decide nothing about the task. It is false
// when a turn has ids and no logprobs, or there is no id at all: a number that
// nobody computed is not zero.
//
// Only the sampled id's logprob is recorded, not the whole distribution. Its
// surprise is an unbiased estimate, from one sample, of the entropy of the law
// that it was drawn from, as long as the logprob is of that law: mode processed,
// or temperature 1 without truncation. Otherwise its mean is a cross-entropy.
// The papers' entropies over the ten most likely ids estimate the same with less
// noise and some bias.
func Surprise(turns iter.Seq[*rollout.Turn]) ([]float64, bool) {
	var out []float64
	for t := range turns {
		n := t.Context.Len() - t.PrefixLen
		if t.Tag == rollout.TagFold || n == 0 {
			continue
		}
		if len(t.Logprobs) != n {
			return nil, false
		}
		for _, lp := range t.Logprobs {
			out = append(out, 0-float64(lp))
		}
	}
	return out, len(out) > 0
}

// MeanSurprise is the mean over all ids of the edge: the negative of its mean
// logprob, as AT²PO (arXiv 2601.04767) and DeepSearch (2509.25454) score.
type MeanSurprise struct{}

// MaxSurprise is that of the least likely id, as TreeRL (arXiv 2506.11902)
// ranks.
type MaxSurprise struct{}

// FirstSurprise is the mean over the first ids of the edge: what the policy made
// of what it was just told (ARPO, arXiv 2507.19849).
type FirstSurprise struct {
	// Tokens is how many ids; an edge with fewer counts whole. Default (0) 20.
	Tokens int
}

// WindowSurprise is the highest mean over consecutive ids: where the policy was
// unsure for a while, not at one id (ARES, arXiv 2510.08457).
type WindowSurprise struct {
	// Tokens of a window; an edge with fewer is one window. Default (0) 3.
	Tokens int
}

func (MeanSurprise) Name() string   { return "mean" }
func (MaxSurprise) Name() string    { return "max" }
func (FirstSurprise) Name() string  { return "first" }
func (WindowSurprise) Name() string { return "window" }

func (MeanSurprise) Score(turns iter.Seq[*rollout.Turn]) (float64, bool) {
	return scored(turns, mean)
}

func (MaxSurprise) Score(turns iter.Seq[*rollout.Turn]) (float64, bool) {
	return scored(turns, slices.Max[[]float64])
}

func (f FirstSurprise) Score(turns iter.Seq[*rollout.Turn]) (float64, bool) {
	return scored(turns, func(h []float64) float64 { return mean(h[:min(len(h), orDefault(f.Tokens, 20))]) })
}

func (w WindowSurprise) Score(turns iter.Seq[*rollout.Turn]) (float64, bool) {
	return scored(turns, func(h []float64) float64 { return slices.Max(windows(h, orDefault(w.Tokens, 3))) })
}

// UncertaintyOf is the scorer that a job file names: mean, max, first or window,
// the last two over a number of ids; 0 is their default.
func UncertaintyOf(name string, tokens int) (Uncertainty, error) {
	var u Uncertainty
	switch name {
	case "mean":
		u = MeanSurprise{}
	case "max":
		u = MaxSurprise{}
	case "first":
		u = FirstSurprise{tokens}
	case "window":
		u = WindowSurprise{tokens}
	default:
		return nil, fmt.Errorf("score %q is none of mean, max, first, window", name)
	}
	if tokens < 0 {
		return nil, fmt.Errorf("score over %d tokens, must be at least 0", tokens)
	}
	if tokens > 0 && (name == "mean" || name == "max") {
		return nil, fmt.Errorf("score %s is of all tokens, and %d are given", name, tokens)
	}
	return u, nil
}

func scored(turns iter.Seq[*rollout.Turn], f func([]float64) float64) (float64, bool) {
	h, ok := Surprise(turns)
	if !ok {
		return 0, false
	}
	return f(h), true
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// windows are the means of all runs of w consecutive numbers; of all numbers
// when there are fewer.
func windows(x []float64, w int) []float64 {
	w = min(w, len(x))
	out := make([]float64, len(x)-w+1)
	for i := range out {
		out[i] = mean(x[i : i+w])
	}
	return out
}

func orDefault(v, otherwise int) int {
	if v == 0 {
		return otherwise
	}
	return v
}
