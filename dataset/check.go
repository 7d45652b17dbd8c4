package dataset

import (
	"fmt"
	"math"
	"slices"

	"focus/rollout"
)

// say records something wrong with a row: which sentinel, at which turn of the
// row (or [NoTurn]), and in words.
type say func(err error, turn int, format string, args ...any)

// checkSample proves what a row can prove alone. The writer runs it before a
// row is written and Verify after one is read.
func checkSample(s *Sample, say say) {
	if !checkLengths(s, say) {
		return
	}
	checkIdentity(s, say)
	checkMasks(s, say)
	checkLogprobs("logprobs", s.Logprobs, s.SampledMask, say)
	checkLogprobs(anchorColumn, s.AnchorLogprobs, s.SampledMask, say)
	checkCredit("advantages", s.Advantages, s.SampledMask, say)
	checkCredit("weights", s.Weights, s.SampledMask, say)
	checkSpans(s, say)
	checkTurns(s, say)
	checkRewards(s, say)
	checkText(s, say)
}

// checkLengths is false when the other checks would read out of bounds.
func checkLengths(s *Sample, say say) bool {
	n, ok := len(s.TokenIDs), true
	for _, l := range []struct {
		name string
		len  int
		null bool
	}{
		{"sampled_mask", len(s.SampledMask), false},
		{"loss_mask", len(s.LossMask), false},
		{"logprobs", len(s.Logprobs), false},
		{anchorColumn, len(s.AnchorLogprobs), s.AnchorLogprobs == nil},
		{"advantages", len(s.Advantages), s.Advantages == nil},
		{"weights", len(s.Weights), s.Weights == nil},
	} {
		if !l.null && l.len != n {
			say(ErrLength, NoTurn, "%d %s for %d token_ids", l.len, l.name, n)
			ok = false
		}
	}
	for i, t := range s.Info.Turns {
		if t.At < 0 || t.N < 0 || t.At+t.N > n {
			say(ErrLength, i, "its tokens [%d, %d) lie outside a row of %d", t.At, t.At+t.N, n)
			ok = false
		}
	}
	return ok
}

func checkIdentity(s *Sample, say say) {
	if s.RolloutID == "" || s.GroupID == "" || s.TaskID == "" || s.TreeID == "" {
		say(ErrIdentity, NoTurn, "rollout %q, group %q, task %q, tree %q: none may be empty", s.RolloutID, s.GroupID, s.TaskID, s.TreeID)
	}
	if want := sampleID(s.RolloutID, int(s.Row)); s.SampleID != want {
		say(ErrIdentity, NoTurn, "sample_id is %q, want %q", s.SampleID, want)
	}
	if s.Attempt < 1 || s.Row < 0 {
		say(ErrIdentity, NoTurn, "attempt %d, row %d", s.Attempt, s.Row)
	}
	switch s.Kind {
	case KindTask, KindFold, KindProbe:
	default:
		say(ErrIdentity, NoTurn, "unknown kind %q", s.Kind)
	}
	if s.StopReason != "" && s.StopReason.Sentence() == "" {
		say(ErrIdentity, NoTurn, "unknown stop_reason %q", s.StopReason)
	}
}

func checkMasks(s *Sample, say say) {
	first := len(s.TokenIDs)
	for i := range s.TokenIDs {
		m, l := s.SampledMask[i], s.LossMask[i]
		if m == 1 {
			first = min(first, i)
		}
		if m != 0 && m != 1 || l != 0 && l != 1 {
			say(ErrMask, NoTurn, "masks at %d are %d and %d, want 0 or 1", i, m, l)
			return
		}
		if l > m {
			say(ErrMask, NoTurn, "loss at %d, which was not sampled", i)
			return
		}
	}
	if int(s.PromptLen) != first {
		say(ErrMask, NoTurn, "prompt_len is %d, the first sampled token is at %d", s.PromptLen, first)
	}
	trained := slices.Contains(s.LossMask, 1)
	if trained && !s.Valid {
		say(ErrMask, NoTurn, "loss on a row that is not valid (%s)", s.Info.Invalid)
	}
	if trained && s.Kind == KindProbe {
		say(ErrMask, NoTurn, "loss on a value probe")
	}
	if s.Valid != (s.Info.Invalid == "") {
		say(ErrMask, NoTurn, "valid is %t and info says invalid %q", s.Valid, s.Info.Invalid)
	}
	if s.Valid && !s.Exact {
		say(ErrMask, NoTurn, "valid, but its ids are not exact")
	}
}

func checkLogprobs(name string, logprobs []float32, sampled []int8, say say) {
	for i, lp := range logprobs {
		if sampled[i] == 0 && lp != 0 {
			say(ErrLogprob, NoTurn, "%s: %v at %d, which was not sampled", name, lp, i)
			return
		}
		if v := float64(lp); math.IsNaN(v) || math.IsInf(v, 0) || v > 0 {
			say(ErrLogprob, NoTurn, "%s: %v at %d", name, lp, i)
			return
		}
	}
}

func checkCredit(name string, values []float32, sampled []int8, say say) {
	for i, x := range values {
		if sampled[i] == 0 && x != 0 {
			say(ErrCredit, NoTurn, "%s: %v at %d, which was not sampled", name, x, i)
			return
		}
		if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
			say(ErrCredit, NoTurn, "%s: %v at %d", name, x, i)
			return
		}
	}
}

func checkRewards(s *Sample, say say) {
	parts := []*float64{s.RewardOutcome, s.RewardStep}
	all := append(parts, s.Reward, s.Return)
	if !s.StopReason.Scored() {
		if slices.ContainsFunc(all, func(v *float64) bool { return v != nil }) || s.Valid {
			say(ErrReward, NoTurn, "%s rollouts have no reward and are not valid", s.StopReason)
		}
		return
	}
	var sum float64
	have := false
	for _, v := range parts {
		if v != nil {
			sum, have = sum+*v, true
		}
	}
	if have != (s.Reward != nil) || have != (s.Return != nil) {
		say(ErrReward, NoTurn, "parts computed: %t, reward: %t, return: %t", have, s.Reward != nil, s.Return != nil)
		return
	}
	for _, v := range all {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			say(ErrReward, NoTurn, "a reward is %v", *v)
			return
		}
	}
	if have && math.Abs(sum-*s.Reward) > 1e-9*max(1, math.Abs(sum)) {
		say(ErrReward, NoTurn, "reward is %v, its parts sum to %v", *s.Reward, sum)
	}
}

// refusals collects what checks say into typed errors.
func refusals(s *Sample, into *[]*RefusedError) say {
	return func(err error, turn int, format string, args ...any) {
		e := &RefusedError{Turn: turn, Row: -1, Err: err, Detail: fmt.Sprintf(format, args...)}
		if s != nil {
			e.Tree, e.Rollout, e.Row = s.TreeID, s.RolloutID, int(s.Row)
		}
		*into = append(*into, e)
	}
}

// ofTree says things about a tree as a whole.
func ofTree(id rollout.TreeID, into *[]*RefusedError) say {
	return func(err error, turn int, format string, args ...any) {
		*into = append(*into, &RefusedError{Tree: id, Turn: turn, Row: -1, Err: err, Detail: fmt.Sprintf(format, args...)})
	}
}
