package dataset

import (
	"fmt"
	"math"

	"focus/rollout"
)

// turnInfo is what a row keeps of a turn.
func turnInfo(t *rollout.Turn, at place) (TurnInfo, error) {
	out := TurnInfo{
		Node: at.node, Turn: at.index, At: t.PrefixLen, N: t.Context.Len() - t.PrefixLen,
		Seed: t.Sampling.Seed, MaxTokens: t.Sampling.MaxTokens,
		Finish: t.Finish, Matched: t.Matched, Inexact: !t.Exact, Status: t.Status,
	}
	for version, lps := range t.Rescored {
		if len(lps) != out.N {
			return TurnInfo{}, fmt.Errorf("%d logprobs rescored by %s for %d sampled tokens: %w", len(lps), version, out.N, ErrLength)
		}
		for _, lp := range lps {
			if v := float64(lp); math.IsNaN(v) || math.IsInf(v, 0) {
				return TurnInfo{}, fmt.Errorf("a logprob rescored by %s is %v: %w", version, lp, ErrLogprob)
			}
		}
	}
	out.Rescored = t.Rescored
	for _, a := range t.Attempts {
		out.Attempts = append(out.Attempts, AttemptInfo{a.Status, a.Call.Name, a.Span.Start, a.Span.End, a.Reason})
	}
	if t.Tag == rollout.TagFold {
		out.Fold = &FoldInfo{Accepted: t.Accepted, Issue: t.Issue, Penalty: t.Penalty}
		if t.Accepted {
			out.Fold.Replaced = &[2]int{t.Replaced.Start, t.Replaced.End}
		}
	}
	if tr := t.Transition; tr != nil {
		if tr.Action != nil {
			out.Action = tr.Action.Kind()
		}
		out.ToolCalls, out.Reward, out.Outcome = tr.ToolCalls, tr.Reward, tr.Outcome
		if tr.Failure != nil {
			out.Failure = &FailureInfo{tr.Failure.Class, tr.Failure.Cause}
		}
	}
	return out, nil
}
