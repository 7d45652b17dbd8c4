package dataset

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

func TestSummary(t *testing.T) {
	dir := t.TempDir()
	write(t, config(t, dir), branched("a"), folded("b"), failedGroup("c"))
	run, err := Read(dir)
	require.NoError(t, err)
	s, err := run.Summary()
	require.NoError(t, err)
	require.Equal(t, 6, s.Rollouts)
	require.Equal(t, 3, s.Tasks)
	require.Equal(t, []int{4, 3, 1}, []int{s.Scored, s.Positive, s.Folds})
	require.InDelta(t, 0.75, s.MeanReward, 1e-12)
	require.InDelta(t, (2+2+2+1+1)/5.0, s.MeanTurns, 1e-12)
	require.Equal(t, map[rollout.StopReason]int{rollout.StopAnswered: 4, rollout.StopFailed: 2}, s.Stops)
	require.Equal(t, map[string]int{"connection": 2}, s.Failures)
	require.Equal(t, 7+7+3, s.SampledTokens, "the shared turn once")
	var b bytes.Buffer
	require.NoError(t, s.WriteText(&b))
	for _, says := range []string{"run        run-1, finished, model tiny", "above 0: 3 of 4 scored (75.0 %)", "failed by connection", "a-a  task task-a, 2 turns, reward 1, answered"} {
		require.Contains(t, b.String(), says)
	}
}

func TestInspectRollout(t *testing.T) {
	dir := t.TempDir()
	g := branched("a")
	g.Trees[0].Edges[1].Turns[0].Attempts = []rollout.Attempt{{Status: rollout.ParseOK, Call: rollout.ToolCall{Name: "add"}, Span: rollout.Span{End: 2}}}
	write(t, config(t, dir), g, folded("b"))
	run, err := Read(dir)
	require.NoError(t, err)

	rows, err := run.Rollout("a-a")
	require.NoError(t, err)
	spell := func(ids []rollout.TokenID) string { return strings.Trim(fmt.Sprint(ids), "[]") }
	var b bytes.Buffer
	require.NoError(t, Inspection{Decode: spell, MaxText: 6}.WriteText(&b, rows))
	require.Equal(t, `rollout a-a of task task-a, group group-a, tree a, branch [0 1 2], attempt 1
  answered: The policy gave its final answer.
  reward 1 = outcome 1 + steps none; return 1

row 0, task: 11 tokens, 5 sampled, 5 with loss
  temperature 1, top_p 1, top_k 0, min_p 0, raw logprobs
  [0, 5) base, node 1
    | 10  … 8 runes …  14
  [5, 8) generated, node 1, policy v1, finish stop, advantage 0, text, call add (ok)
    | 100 101 102
  [8, 9) observation, node 2
    | 50
  [9, 11) generated, node 2, policy v1, finish stop, advantage 0.5, text, outcome 1
    | 200 201
`, b.String())

	b.Reset()
	folds, err := run.Rollout(string(folded("b").Trees[0].Lines[0].ID))
	require.NoError(t, err)
	require.NoError(t, Inspection{}.WriteText(&b, folds))
	require.Contains(t, b.String(), "fold replaced messages [1, 3)")
	require.Contains(t, b.String(), "  user:\n    | notes\n")
	require.Contains(t, b.String(), "not known any more")

	_, err = run.Rollout("a-")
	require.ErrorContains(t, err, "a-a and a-b both begin so")
	_, err = run.Rollout("zz")
	require.ErrorIs(t, err, ErrNoRollout)
}

func TestTextOfAModelDoesNotSteerTheTerminal(t *testing.T) {
	rows := build(t, simple("a")).Samples[:1]
	var b bytes.Buffer
	require.NoError(t, Inspection{Decode: func([]rollout.TokenID) string { return "\x1b[2Jred\x07" }}.WriteText(&b, rows))
	require.NotContains(t, b.String(), "\x1b")
	require.NotContains(t, b.String(), "\x07")
}

// A task's id comes from a file: it cannot forge a line of the listing.
func TestIdsStayOnTheirLine(t *testing.T) {
	require.Equal(t, "a\uFFFDrollout b", oneLine("a\nrollout b"))
	require.Equal(t, "a\uFFFD[31m", oneLine("a\x1b[31m"))
}
