package dataset

import (
	"fmt"

	"focus/rollout"
)

// fillAnchor writes what the run's own law gives the sampled tokens of a
// region, when a turn of it was sampled under another and scored for that. The
// other turns were sampled under the run's own law, which is temperature 1
// without truncation: what they were sampled with is what it gives.
func fillAnchor(s *Sample, region rollout.Region) error {
	scored := false
	for _, t := range region.Turns {
		scored = scored || t.Anchor != nil
	}
	if !scored {
		return nil
	}
	s.AnchorLogprobs = make([]float32, len(s.TokenIDs))
	for i, t := range region.Turns {
		own, err := anchored(t)
		if err != nil {
			return fmt.Errorf("turn %d: %w", i, err)
		}
		for k, lp := range own {
			s.AnchorLogprobs[t.PrefixLen+k] = rounded(lp)
		}
	}
	return nil
}

// anchored are a turn's logprobs under the run's own law; nil when the policy
// gave none, which makes the row invalid.
func anchored(t *rollout.Turn) ([]float32, error) {
	p, n := t.Sampling, t.Context.Len()-t.PrefixLen
	plain := p.Temperature == 1 && !p.Truncates()
	switch {
	case t.Anchor == nil && !plain:
		return nil, fmt.Errorf("sampled at temperature %v, top_p %v, top_k %d, min_p %v beside turns off the run's own law, and not scored under it: %w", p.Temperature, p.TopP, p.TopK, p.MinP, ErrLogprob)
	case t.Anchor == nil:
		return t.Logprobs, nil
	case len(t.Anchor) != n:
		return nil, fmt.Errorf("%d anchor logprobs for %d sampled tokens: %w", len(t.Anchor), n, ErrLength)
	case t.LogprobMode != rollout.LogprobsProcessed && !plain:
		return nil, fmt.Errorf("its logprobs are %s, not of the law it was sampled under, so it has no importance ratio: %w", t.LogprobMode, ErrLogprob)
	}
	return t.Anchor, nil
}

// logprobSlack is how far above 0 a server's float32 log-softmax may round;
// what lies within it is stored as 0.
const logprobSlack = 1e-4

func rounded(lp float32) float32 {
	if lp > 0 && lp <= logprobSlack {
		return 0
	}
	return lp
}
