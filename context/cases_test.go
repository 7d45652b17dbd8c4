package contexts_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/agent"
	contexts "focus/context"
	"focus/env"
	"focus/rollout"
)

// The cases that a manager which rewrites the conversation is shown in. Each is
// a scenario file, or cannot be.
const (
	atTheBoundary    = "at the boundary"
	aboveTheBoundary = "above the boundary"
	accepted         = "accepted"
	rejected         = "rejected"
	repaired         = "repaired"
	truncated        = "truncated"
	longer           = "longer than what it replaces"
	twoInARow        = "two in a row"
	finalAnswer      = "on the final-answer turn"
	withTools        = "with tools"
	withoutWorkspace = "without workspace"
	withWorkspace    = "with workspace"
	firesAgain       = "the trigger fires right after its relief"
)

// shows says of each case how a scenario is known to show it.
var shows = map[string]func(*testing.T, played) bool{
	atTheBoundary:    func(_ *testing.T, p played) bool { return p.end.ContextVersion == 0 && p.answered() },
	aboveTheBoundary: func(_ *testing.T, p played) bool { return p.end.ContextVersion == 1 && p.answered() },
	accepted:         func(_ *testing.T, p played) bool { return p.end.ContextVersion > 0 && p.answered() && !p.refused() },
	rejected:         func(_ *testing.T, p played) bool { return p.end.ContextVersion == 0 && p.refused() },
	repaired:         func(_ *testing.T, p played) bool { return p.end.ContextVersion > 0 && (p.refused() || p.mended()) },
	truncated: func(_ *testing.T, p played) bool {
		return p.any(func(t *rollout.Turn) bool { return t.Finish == rollout.FinishLength && t.ContextVersion == 0 })
	},
	longer: func(_ *testing.T, p played) bool {
		return p.any(func(t *rollout.Turn) bool { return strings.HasPrefix(t.Issue, contexts.ReasonTooLong) }) || p.grew()
	},
	twoInARow: func(_ *testing.T, p played) bool { return p.end.ContextVersion == 2 },
	finalAnswer: func(_ *testing.T, p played) bool {
		return strings.Contains(text(p.lastTaskTurn().Prefix().Slice()), agent.DefaultFinalInstruction)
	},
	withTools: func(_ *testing.T, p played) bool {
		_, folds := p.manager.(*contexts.Summarize)
		return p.end.ContextVersion > 0 && p.any(func(t *rollout.Turn) bool {
			return strings.Contains(text(t.Sampled()), "<tool_call>") && (!folds || t.Tag == rollout.TagFold)
		})
	},
	withoutWorkspace: func(_ *testing.T, p played) bool { return p.end.ContextVersion > 0 && p.end.Workspace == nil },
	withWorkspace: func(t *testing.T, p played) bool {
		names, err := p.end.Workspace.(env.Store).List()
		require.NoError(t, err)
		return p.end.ContextVersion > 0 && len(names) > 0
	},
	firesAgain: func(_ *testing.T, p played) bool { return p.end.Reason() == rollout.StopFoldStuck },
}

// cell is a scenario file without its ending, or why there can be none.
type cell struct{ file, never string }

func in(file string) cell { return cell{file: file} }

func never(why string) cell { return cell{never: why} }

const (
	noModelCall = "nothing is generated for it"
	noTrigger   = "it has no trigger: the model decides"
)

var shown = map[string]map[string]cell{
	"summarize": {
		atTheBoundary: in("summarize_at_the_boundary"), aboveTheBoundary: in("summarize_above_the_boundary"),
		accepted: in("summarize_accepted"), rejected: in("summarize_empty"), repaired: in("summarize_repaired"),
		truncated: in("summarize_cut_rejected"), longer: in("summarize_too_long"), twoInARow: in("summarize_twice"),
		finalAnswer: in("summarize_final_answer"), withTools: in("summarize_forced"),
		withoutWorkspace: in("summarize_accepted"), withWorkspace: in("summarize_twice_with_workspace"), firesAgain: in("summarize_stuck"),
	},
	"prefix_summary": {
		atTheBoundary: in("prefix_at_the_boundary"), aboveTheBoundary: in("prefix_above_the_boundary"),
		accepted: in("prefix_accepted"), rejected: in("prefix_rejected_call"),
		repaired:  never("the form of a summary is not checked, so nothing is mended; a failure of the server is retried, TestASummaryIsTriedAgain"),
		truncated: in("prefix_rejected_length"), longer: in("prefix_longer"), twoInARow: in("prefix_iterated"),
		finalAnswer: in("prefix_overflow_final_answer"), withTools: in("prefix_several_calls"),
		withoutWorkspace: in("prefix_accepted"), withWorkspace: in("prefix_with_workspace"),
		firesAgain: never("right after a compaction there is nothing to cut, so it does not fire, TestNothingToCutAfterACompaction; a window that stays full is prefix_overflow_of_no_use"),
	},
	"keep_recent": {
		atTheBoundary: in("keep_recent_at_the_boundary"), aboveTheBoundary: in("keep_recent_above_the_boundary"),
		accepted: in("keep_recent"), rejected: never(noModelCall), repaired: never(noModelCall), truncated: never(noModelCall),
		longer: never("it only drops"), twoInARow: in("keep_recent_twice"), finalAnswer: in("keep_recent_final_answer"),
		withTools: in("keep_recent_several_calls"), withoutWorkspace: in("keep_recent"), withWorkspace: in("keep_recent_with_workspace"),
		firesAgain: in("keep_recent_stuck"),
	},
	"context_tools": {
		atTheBoundary: never(noTrigger), aboveTheBoundary: never(noTrigger),
		accepted: in("tools_drop"), rejected: in("tools_mixed"), repaired: in("tools_repaired"), truncated: in("tools_truncated"),
		longer: in("tools_longer"), twoInARow: in("tools_summarise_twice"), finalAnswer: in("tools_final_answer"),
		withTools: in("tools_drop"), withoutWorkspace: in("tools_drop"), withWorkspace: in("tools_with_workspace"),
		firesAgain: never(noTrigger),
	},
}

// Every manager that may rewrite the conversation is shown in every case, and
// each scenario shows what the table says it does.
func TestEveryCaseIsShown(t *testing.T) {
	for _, kind := range kinds().Managers.Kinds() {
		if kind == "append_only" || kind == "segments" {
			require.NotContains(t, shown, kind, "it never rewrites")
			continue
		}
		require.Contains(t, shown, kind)
	}
	for kind, row := range shown {
		for name := range row {
			require.Contains(t, shows, name)
		}
		for name, holds := range shows {
			t.Run(kind+"/"+name, func(t *testing.T) {
				c := row[name]
				require.True(t, (c.file == "") != (c.never == ""), "either a scenario or a reason: %+v", c)
				if c.file == "" {
					return
				}
				p := playFile(t, c.file)
				require.Equal(t, kind, p.Manager.Kind)
				require.True(t, holds(t, p), "%s does not show it", c.file)
			})
		}
	}
}

// The two sides of a boundary are one rollout, and one id apart.
func TestBoundariesAreOneIDApart(t *testing.T) {
	numbers := regexp.MustCompile(`\d+`)
	for kind, row := range shown {
		at, above := row[atTheBoundary], row[aboveTheBoundary]
		if at.file == "" {
			continue
		}
		a, b := playFile(t, at.file), playFile(t, above.file)
		require.Equal(t, a.World, b.World, kind)
		require.Equal(t, a.Replies[:len(a.Replies)-1], b.Replies[:len(a.Replies)-1], kind)
		left, right := managerLine(t, at.file), managerLine(t, above.file)
		require.Equal(t, numbers.ReplaceAllString(left, "N"), numbers.ReplaceAllString(right, "N"), kind)
		apart := 0
		for i, n := range numbers.FindAllString(left, -1) {
			x, err := strconv.Atoi(n)
			require.NoError(t, err)
			y, err := strconv.Atoi(numbers.FindAllString(right, -1)[i])
			require.NoError(t, err)
			apart += x - y
		}
		require.Equal(t, 1, apart, "%s: one id less is allowed above the boundary", kind)
	}
}

func playFile(t *testing.T, name string) played {
	return playScenario(t, name, scenarioText(t, name))
}

func scenarioText(t *testing.T, name string) string {
	b, err := os.ReadFile("testdata/scenarios/" + name + ".txt")
	require.NoError(t, err)
	in, _, _ := strings.Cut(string(b), traceMark)
	return in
}

func managerLine(t *testing.T, name string) string {
	lines := strings.Split(scenarioText(t, name), "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "manager:") })
	return lines[i]
}

func (p played) any(holds func(*rollout.Turn) bool) bool {
	for t := range p.end.Turns() {
		if holds(t) {
			return true
		}
	}
	return false
}

func (p played) answered() bool { return p.end.Reason() == rollout.StopAnswered }

// refused: a fold came to nothing, or a context operation was turned down.
func (p played) refused() bool {
	return p.any(func(t *rollout.Turn) bool {
		if t.Tag == rollout.TagFold {
			return !t.Accepted
		}
		f := t.Transition.Failure
		return f != nil && (f.Cause == contexts.CauseContextError || f.Cause == contexts.CauseMixedCalls)
	})
}

// mended: a reply of an accepted fold was found wanting.
func (p played) mended() bool {
	return p.any(func(t *rollout.Turn) bool { return t.Tag == rollout.TagFold && t.Accepted && t.Issue != "" })
}

// grew: the first prompt after a rewrite is longer than all that stood in the
// context before it.
func (p played) grew() bool {
	var prev *rollout.Turn
	for t := range p.end.Turns() {
		if t.Tag == rollout.TagFold {
			continue
		}
		if prev != nil && t.ContextVersion > prev.ContextVersion && t.PrefixLen > prev.Context.Len() {
			return true
		}
		prev = t
	}
	return false
}

func (p played) lastTaskTurn() *rollout.Turn {
	var last *rollout.Turn
	for t := range p.end.Turns() {
		if t.Tag == rollout.TagTask {
			last = t
		}
	}
	return last
}
