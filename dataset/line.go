package dataset

import (
	"encoding/json"
	"fmt"
	"strings"

	"focus/rollout"
)

// builtRow is a row with the turns it was made from.
type builtRow struct {
	*Sample
	turns []*rollout.Turn
}

// liner builds the rows of one rollout.
type liner struct {
	group  Group
	tree   rollout.TreeID
	line   Line
	places map[*rollout.Turn]place
}

func (l *liner) rows() ([]builtRow, error) {
	regions := rollout.Regions(l.line.State.Turns())
	task, err := taskInfo(l.group.Task)
	if err != nil {
		return nil, err
	}
	var out []builtRow
	done := 0
	for i, region := range regions {
		s := l.blank(i, i == len(regions)-1, region)
		s.Info.Task = task
		if err := fill(s, region, l.places, credit{l.line.Advantages, l.line.Weights, done}); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		if s.Info.Invalid == "" {
			s.Info.Invalid = l.invalid(region)
		}
		s.Valid = s.Info.Invalid == ""
		if s.Messages, err = l.messages(region.Turns[len(region.Turns)-1]); err != nil {
			return nil, fmt.Errorf("row %d: messages: %w", i, err)
		}
		out = append(out, builtRow{s, region.Turns})
		done += len(region.Turns)
	}
	return out, nil
}

// blank is a row with all that the rollout decides.
func (l *liner) blank(i int, last bool, region rollout.Region) *Sample {
	st, sc := l.line.State, scored(l.line.State)
	s := &Sample{
		SampleID: sampleID(l.line.ID, i), RolloutID: l.line.ID, GroupID: l.group.ID, TaskID: l.group.Task.ID, TreeID: l.tree,
		Attempt: int32(max(1, l.line.Attempt)), Row: int32(i), IsLastRow: last,
		Kind: KindTask, Branch: l.line.Branch,
		Reward: sc.reward, RewardOutcome: sc.outcome, RewardStep: sc.step, Return: sc.ret,
		StopReason: st.Reason(), Truncated: st.Truncated || st.Reason().Truncated(),
		OutcomeAdaptive: l.line.OutcomeAdaptive,
	}
	if region.Tag == rollout.TagFold {
		s.Kind = KindFold
	}
	s.Info.Branch, s.Info.ZeroSpread = st.Branch, l.line.ZeroSpread
	if l.line.Probe {
		s.Kind = KindProbe
	}
	if f := st.Failure; f != nil {
		s.Info.Failure = &FailureInfo{f.Class, f.Cause}
		if f.Detail != "" {
			s.Info.Volatile = &VolatileInfo{FailureDetail: strings.ToValidUTF8(f.Detail, "\uFFFD")}
		}
	}
	return s
}

// invalid says why a row must not be trained on; empty when it may be.
func (l *liner) invalid(region rollout.Region) string {
	if !l.line.State.Reason().Scored() {
		return InvalidFailed
	}
	if l.line.Probe {
		return InvalidProbe
	}
	if l.line.Left != "" {
		return l.line.Left
	}
	for _, t := range region.Turns {
		if !t.Exact {
			return InvalidInexact
		}
	}
	for _, t := range region.Turns {
		if t.Logprobs == nil && t.Context.Len() > t.PrefixLen {
			return InvalidUnscored
		}
	}
	return ""
}

// scores are the reward columns of a rollout.
type scores struct{ reward, outcome, step, ret *float64 }

// scored is empty for a rollout that the infrastructure failed or the job
// stopped: that is never a reward.
func scored(s rollout.State) scores {
	if !s.Reason().Scored() {
		return scores{}
	}
	parts := s.Scores()
	out := scores{outcome: parts.Outcome, step: parts.Step}
	if r, ok := s.Reward(); ok {
		out.reward = &r
	}
	if r, ok := s.Return(); ok {
		out.ret = &r
	}
	return out
}

func taskInfo(t rollout.Task) (TaskInfo, error) {
	for name, raw := range map[string]json.RawMessage{"truth": t.Truth, "meta": t.Meta} {
		if len(raw) > 0 && !json.Valid(raw) {
			return TaskInfo{}, fmt.Errorf("task %s: its %s is not JSON", t.ID, name)
		}
	}
	return TaskInfo{Family: t.Family, Index: t.Index, Seed: t.Seed, Truth: t.Truth, Meta: t.Meta}, nil
}

// joinOnce adds a name to a comma-separated list that does not hold it.
func joinOnce(list, name string) string {
	if name == "" || list == name {
		return list
	}
	if list == "" {
		return name
	}
	for part := range strings.SplitSeq(list, ",") {
		if part == name {
			return list
		}
	}
	return list + "," + name
}
