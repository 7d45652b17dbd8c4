package dataset

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"focus/rollout"
)

// Summary is a run in numbers.
type Summary struct {
	RunID    rollout.RunID `json:"run_id"`
	Model    string        `json:"model"`
	Finished bool          `json:"finished"`
	Tasks    int           `json:"tasks"`
	// Rollouts counts the failed ones too, value probes left out.
	Rollouts int `json:"rollouts"`
	// Scored have a reward; Positive have one above 0.
	Scored     int     `json:"scored"`
	Positive   int     `json:"positive"`
	MeanReward float64 `json:"mean_reward"`
	// MeanTurns is over the rollouts with rows, fold turns left out.
	MeanTurns     float64 `json:"mean_turns"`
	Folds         int     `json:"folds"`
	ToolCalls     int     `json:"tool_calls"`
	SampledTokens int     `json:"sampled_tokens"`
	// Stops counts rollouts by stop reason, Failures failed ones by cause.
	Stops    map[rollout.StopReason]int `json:"stops"`
	Failures map[string]int             `json:"failures"`
	// First are the first rollouts of the run.
	First []RolloutLine `json:"first"`
}

// RolloutLine is one rollout in one line.
type RolloutLine struct {
	ID     rollout.RolloutID  `json:"rollout_id"`
	Task   rollout.TaskID     `json:"task_id"`
	Turns  int                `json:"turns"`
	Reward *float64           `json:"reward"`
	Stop   rollout.StopReason `json:"stop_reason"`
}

// maxFirst is how many rollouts a summary names.
const maxFirst = 10

// Summary reads the whole run once. Tokens of a turn that rollouts share are
// counted once, by its edge.
func (r *Run) Summary() (Summary, error) {
	md, err := r.Metadata()
	if err != nil {
		return Summary{}, fmt.Errorf("summarise run: %w", err)
	}
	out := Summary{
		RunID: r.Manifest.RunID, Model: md.Model, Finished: r.Manifest.Finished,
		Stops: map[rollout.StopReason]int{}, Failures: map[string]int{},
	}
	tally := tally{out: &out, tasks: map[rollout.TaskID]bool{}, failed: map[end]bool{}}
	for s, err := range r.Samples() {
		if err != nil {
			return Summary{}, fmt.Errorf("summarise run: %w", err)
		}
		tally.sample(s)
	}
	for n, err := range r.Nodes() {
		if err != nil {
			return Summary{}, fmt.Errorf("summarise run: %w", err)
		}
		out.SampledTokens += int(n.Tokens)
		if cause, ok := strings.CutPrefix(n.Status, statusFailed("")); ok {
			out.Failures[cause]++
		}
		if failedStatus(n.Status) && !tally.failed[end{n.Tree, n.Node}] {
			// It failed before its first turn, so it has no row.
			out.Rollouts++
			stop, _, _ := strings.Cut(n.Status, ":")
			out.Stops[rollout.StopReason(stop)]++
		}
	}
	tally.finish()
	return out, nil
}

// tally counts rollouts while their rows go by.
type tally struct {
	out     *Summary
	tasks   map[rollout.TaskID]bool
	rewards float64
	turns   int
	rows    int
	line    RolloutLine
	// failed are the ends of failed rollouts that have rows.
	failed map[end]bool
}

// end is where a rollout ended.
type end struct {
	tree rollout.TreeID
	node int32
}

func (t *tally) sample(s *Sample) {
	if !s.StopReason.Scored() && len(s.Branch) > 0 {
		t.failed[end{s.TreeID, s.Branch[len(s.Branch)-1]}] = true
	}
	if s.Kind == KindProbe {
		return
	}
	t.tasks[s.TaskID] = true
	if s.Row == 0 {
		t.line = RolloutLine{ID: s.RolloutID, Task: s.TaskID, Reward: s.Reward, Stop: s.StopReason}
	}
	for i, turn := range s.Info.Turns {
		t.out.ToolCalls += turn.ToolCalls
		if turn.Fold == nil {
			t.line.Turns++
		}
		if turn.Fold != nil && turn.Fold.Accepted && i == len(s.Info.Turns)-1 {
			t.out.Folds++
		}
	}
	if !s.IsLastRow {
		return
	}
	t.out.Rollouts++
	t.rows++
	t.turns += t.line.Turns
	t.out.Stops[s.StopReason]++
	if s.Reward != nil {
		t.out.Scored++
		t.rewards += *s.Reward
		if *s.Reward > 0 {
			t.out.Positive++
		}
	}
	if len(t.out.First) < maxFirst {
		t.out.First = append(t.out.First, t.line)
	}
}

func (t *tally) finish() {
	t.out.Tasks = len(t.tasks)
	if t.out.Scored > 0 {
		t.out.MeanReward = t.rewards / float64(t.out.Scored)
	}
	if t.rows > 0 {
		t.out.MeanTurns = float64(t.turns) / float64(t.rows)
	}
}

// WriteText prints the summary for a person.
func (s Summary) WriteText(w io.Writer) error {
	var b strings.Builder
	state := "finished"
	if !s.Finished {
		state = "not finished"
	}
	fmt.Fprintf(&b, "run        %s, %s", s.RunID, state)
	if s.Model != "" {
		fmt.Fprintf(&b, ", model %s", s.Model)
	}
	fmt.Fprintf(&b, "\nrollouts   %d of %d tasks; %.2f turns each, %d tool calls, %d folds, %d sampled tokens\n",
		s.Rollouts, s.Tasks, s.MeanTurns, s.ToolCalls, s.Folds, s.SampledTokens)
	if s.Scored > 0 {
		fmt.Fprintf(&b, "reward     mean %.3f; above 0: %d of %d scored (%.1f %%)\n",
			s.MeanReward, s.Positive, s.Scored, 100*float64(s.Positive)/float64(s.Scored))
	}
	for _, stop := range slices.Sorted(maps.Keys(s.Stops)) {
		fmt.Fprintf(&b, "  %6d   %s: %s\n", s.Stops[stop], stop, stop.Sentence())
	}
	for _, cause := range slices.Sorted(maps.Keys(s.Failures)) {
		fmt.Fprintf(&b, "  %6d   failed by %s\n", s.Failures[cause], cause)
	}
	for _, l := range s.First {
		fmt.Fprintf(&b, "%s  task %s, %d turns, reward %s, %s\n", l.ID, oneLine(string(l.Task)), l.Turns, number(l.Reward), l.Stop)
	}
	_, err := io.WriteString(w, shown(b.String()))
	return err
}

// number prints a value that may not have been computed.
func number(v *float64) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprintf("%g", *v)
}
