package contexts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/rollout"
)

// Every reason for which notes are turned down is shown by a scenario.
func TestEveryReasonIsShown(t *testing.T) {
	shows := map[string]string{}
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	require.NoError(t, err)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(b)) {
			if why, ok := strings.CutPrefix(line, "failure: fold_failed: compaction produced no usable notes: "); ok {
				shows[strings.TrimSuffix(why, "\n")] = file
			}
		}
	}
	reasons := []string{
		contexts.ReasonNoTurn, contexts.ReasonEarly, contexts.ReasonCut, contexts.ReasonAborted, contexts.ReasonEmpty,
		contexts.ReasonOpenReasoning, contexts.ReasonToolCall, contexts.ReasonUnreadable, contexts.ReasonTooLong, contexts.ReasonMalformed,
	}
	for _, why := range []contexts.PrefixFailure{
		contexts.FailureNoTurn, contexts.FailureModel, contexts.FailureLength, contexts.FailureToolCall, contexts.FailureNoText,
	} {
		reasons = append(reasons, string(why)+": "+why.Sentence())
	}
	for _, reason := range reasons {
		found := false
		for why := range shows {
			found = found || why == reason || strings.HasPrefix(why, reason+": ")
		}
		require.True(t, found, "no scenario is turned down because %q", reason)
	}
}

// What Compact returns then is the typed error, with the turns and the reasons.
func TestUnusableNotesAreATypedError(t *testing.T) {
	for name, tc := range map[string]struct {
		m       contexts.Compactor
		replies []string
		turns   int
		reason  string
	}{
		"summarize": {summarize(t, contexts.SummarizeConfig{MaxInteractions: 1}),
			[]string{look("a"), look("b"), call("store", `{"name": "n", "text": "x"}`), " "}, 2, contexts.ReasonEmpty},
		"prefix_summary": {prefix(t, small()), []string{look("a"), look("b"), " "}, 1, string(contexts.FailureNoText)},
	} {
		t.Run(name, func(t *testing.T) {
			a := playing(t, worldConfig{Workspace: true}, nil, 8, tc.replies...)
			s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
			require.NoError(t, err)
			for range 2 {
				s, err = a.Step(t.Context(), s)
				require.NoError(t, err)
			}
			_, err = tc.m.Compact(t.Context(), contexts.Compaction{
				Messages: s.Messages.AppendTo(nil), Seed: s.Seed, State: s.Env, Workspace: s.Workspace, Agent: a, Rollout: s,
			})
			var wrong *contexts.IncompleteError
			require.ErrorAs(t, err, &wrong)
			require.Len(t, wrong.Turns, tc.turns)
			require.Len(t, wrong.Reasons, 1)
			require.Contains(t, wrong.Reasons[0], tc.reason)
			require.ErrorContains(t, err, "compaction produced no usable notes: "+wrong.Reasons[0])
			require.Contains(t, wrong.Turns[tc.turns-1].Issue, tc.reason, "the last turn says why")
		})
	}
}
