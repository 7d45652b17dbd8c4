package agent

import (
	"context"
	"fmt"
	"math"

	"focus/policy"
	"focus/rollout"
)

// anchor scores a reply under the weights' own law. Scores that cannot be are a
// failure of the server, like a reply whose logprobs cannot be.
func (a *Agent) anchor(ctx context.Context, t *rollout.Turn) ([]float32, error) {
	ids := t.Sampled()
	scores, err := a.cfg.scorer.Score(ctx, t.Prefix(), ids)
	if err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) error {
		return &policy.Error{Kind: policy.KindBadReply, Server: fmt.Sprintf("%T", a.cfg.scorer), Detail: fmt.Sprintf(format, args...)}
	}
	if len(scores) != len(ids) {
		return nil, bad("%d scores for %d ids", len(scores), len(ids))
	}
	for i, lp := range scores {
		if v := float64(lp); math.IsNaN(v) || math.IsInf(v, 0) || v > roundedUp {
			return nil, bad("id %d scores %v", ids[i], lp)
		}
	}
	if scores == nil {
		scores = []float32{} // scored, and there was nothing to score
	}
	return scores, nil
}

// roundedUp is how far above 0 a float32 log-softmax may round.
const roundedUp = 1e-4
