package env

import "context"

// Scorer is an environment that can score an episode which ends for a reason
// of the rollout's own, such as a full context: without a score the policy
// would learn to escape a bad outcome by running into that end.
type Scorer interface {
	// Score is the outcome of an episode that ends in w without an answer; nil
	// when nobody computes one. It does not change w.
	Score(ctx context.Context, w World) (*float64, error)
}
