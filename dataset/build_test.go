package dataset

import (
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// checkRows proves rows as the writer does.
func checkRows(t testing.TB, r Rows) {
	t.Helper()
	w := &Writer{trees: map[rollout.TreeID]bool{}}
	_, err := w.admit(r)
	require.NoError(t, err)
}

func TestRowOfAChain(t *testing.T) {
	rows := build(t, simple("a"))
	checkRows(t, rows)
	require.Len(t, rows.Samples, 2)
	s := rows.Samples[1]
	require.Equal(t, []int32{10, 11, 12, 13, 14, 110, 111, 112, 50, 51, 210, 211, 212, 213}, s.TokenIDs)
	require.Equal(t, []int8{0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1}, s.SampledMask)
	require.Equal(t, s.SampledMask, s.LossMask)
	require.Equal(t, []float32{0, 0, 0, 0, 0, -.25, -.5, -.75, 0, 0, -.25, -.5, -.75, -1}, s.Logprobs)
	require.Nil(t, s.Advantages)
	require.EqualValues(t, 5, s.PromptLen)
	require.Equal(t, []Span{
		{0, 2, rollout.PieceBase, rollout.TagTask, "", 0},
		{5, 2, rollout.PieceGenerated, rollout.TagTask, "v1", 0},
		{8, 2, rollout.PieceObservation, rollout.TagTask, "", 0},
		{10, 2, rollout.PieceGenerated, rollout.TagTask, "v1", 0},
	}, s.Spans)
	require.Equal(t, 1.0, *s.Reward)
	require.Equal(t, 1.0, *s.RewardOutcome)
	require.Nil(t, s.RewardStep, "nobody computed step rewards")
	require.Equal(t, rollout.StopAnswered, s.StopReason)
	require.True(t, s.Valid && s.Exact && s.IsLastRow)
	require.Equal(t, &Law{Temperature: 1, TopP: 1}, s.Law)
	require.JSONEq(t, `[{"role":"user","content":"hello"},{"role":"assistant","content":"x"}]`, string(s.Messages))
	require.Equal(t, json.RawMessage(`{"answer": 42}`), s.Info.Task.Truth)

	require.Len(t, rows.Nodes, 3)
	require.Equal(t, s.TokenIDs, rows.Nodes[2].IDs)
	require.EqualValues(t, 7, rows.Nodes[2].Tokens)
	require.EqualValues(t, 2, rows.Nodes[2].Turns)
	require.Equal(t, "answered", rows.Nodes[2].Status)
	require.Equal(t, StatusExpanded, rows.Nodes[0].Status)
	require.Nil(t, rows.Nodes[0].Reward)
	require.Equal(t, "server-a", rows.Nodes[2].Server)
}

func TestPrefixHashIsTheTurnsOwn(t *testing.T) {
	g := simple("a")
	rows := build(t, g)
	for i, l := range g.Trees[0].Lines {
		k := 0
		for turn := range l.State.Turns() {
			sum := turn.Prefix().Sum()
			require.Equal(t, hex.EncodeToString(sum[:prefixBytes]), rows.Samples[i].Info.Turns[k].Prefix)
			k++
		}
	}
}

func TestSharedTurnIsOwnedOnce(t *testing.T) {
	rows := build(t, branched("a"))
	checkRows(t, rows)
	a, b := rows.Samples[0], rows.Samples[1]
	require.Equal(t, []int8{0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1}, a.LossMask)
	require.Equal(t, []int8{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}, b.LossMask)
	require.Equal(t, a.SampledMask, b.SampledMask)
	require.Equal(t, []float32{0, 0, 0, 0, 0, 0, 0, 0, 0, -.5, -.5}, b.Advantages)
	require.Equal(t, []float32{0, 0, 0, 0, 0, 1, 1, 1, 0, .5, .5}, b.Weights)
	require.Equal(t, []int32{0, 1, 3}, b.Branch)
	require.Equal(t, []int32{50, 300, 301}, rows.Nodes[3].IDs, "an edge adds what its parent did not have")
	require.EqualValues(t, 2, rows.Nodes[3].Depth)
	require.Equal(t, place{1, 0}, place{b.Info.Turns[0].Node, b.Info.Turns[0].Turn})
	require.Equal(t, place{3, 0}, place{b.Info.Turns[1].Node, b.Info.Turns[1].Turn}, "turns count within their edge")
}

func TestFoldsAreRows(t *testing.T) {
	rows := build(t, folded("a"))
	checkRows(t, rows)
	require.Len(t, rows.Samples, 3)
	kinds := []Kind{KindTask, KindFold, KindTask}
	for i, s := range rows.Samples {
		require.Equal(t, kinds[i], s.Kind)
		require.EqualValues(t, i, s.Row)
		require.Equal(t, i == 2, s.IsLastRow)
		require.Equal(t, s.SampledMask, s.LossMask, "a fold is trainable")
	}
	f := rows.Samples[1].Info.Turns[0].Fold
	require.Equal(t, &FoldInfo{Accepted: true, Replaced: &[2]int{1, 3}}, f)
	require.Equal(t, rollout.TagFold, rows.Samples[1].Spans[0].Tag)
	require.EqualValues(t, 1, rows.Samples[2].Spans[1].ContextVersion)
	require.JSONEq(t, `[{"role":"user","content":"hello"},{"role":"assistant","content":"x"}]`, string(rows.Samples[0].Messages))
	require.Nil(t, rows.Samples[1].Messages)
	require.JSONEq(t, `[{"role":"user","content":"notes"},{"role":"assistant","content":"y"}]`, string(rows.Samples[2].Messages))
	var joined []int32
	for _, s := range rows.Samples {
		joined = append(joined, s.TokenIDs...)
	}
	require.Equal(t, joined, rows.Nodes[1].IDs)
}

func TestFailedRolloutHasNoReward(t *testing.T) {
	rows := build(t, failedGroup("a"))
	checkRows(t, rows)
	require.Len(t, rows.Samples, 2, "a rollout without a turn has no row")
	s := rows.Samples[1]
	require.False(t, s.Valid)
	require.Equal(t, InvalidFailed, s.Info.Invalid)
	require.Nil(t, s.Reward)
	require.Nil(t, s.Return)
	require.NotContains(t, s.LossMask, int8(1))
	require.Equal(t, "connection", s.Info.Failure.Cause)
	require.Contains(t, s.Info.Volatile.FailureDetail, "10.0.0.1")
	require.Equal(t, "failed:connection", rows.Nodes[2].Status)
	require.Equal(t, "failed:connection", rows.Nodes[3].Status)
	require.Nil(t, rows.Nodes[3].Reward)
}

func TestSharedTurnOfAFailedRolloutIsOwnedByTheNext(t *testing.T) {
	g := branched("a")
	l := &g.Trees[0].Lines[0]
	failed := state().WithTurn(g.Trees[0].Edges[1].Turns...).WithTurn(sampled(g.Trees[0].Edges[1].Turns[0].Context, 9))
	g.Trees[0].Edges[2].Turns = []*rollout.Turn{failed.Last()}
	l.State = failed.Ended(rollout.StopFailed, &rollout.Failure{Cause: "x"})
	rows := build(t, g)
	checkRows(t, rows)
	require.NotContains(t, rows.Samples[0].LossMask, int8(1))
	require.Equal(t, rows.Samples[1].SampledMask, rows.Samples[1].LossMask)
}

func TestRowsThatMustNotTrain(t *testing.T) {
	prompt := rollout.NewTokens(1, 2, 3)
	for name, c := range map[string]struct {
		change func(g *Group, turn *rollout.Turn)
		reason string
		kind   Kind
	}{
		"inexact":   {func(_ *Group, u *rollout.Turn) { u.Exact = false }, InvalidInexact, KindTask},
		"unscored":  {func(_ *Group, u *rollout.Turn) { u.Logprobs = nil }, InvalidUnscored, KindTask},
		"probe":     {func(g *Group, _ *rollout.Turn) { g.Trees[0].Lines[0].Probe = true }, InvalidProbe, KindProbe},
		"cancelled": {func(g *Group, _ *rollout.Turn) { cancel(&g.Trees[0].Lines[0].State) }, InvalidFailed, KindTask},
	} {
		t.Run(name, func(t *testing.T) {
			one := sampled(prompt, 4, 5)
			two := sampled(after(one, 6), 7)
			g := chains("a", state(one, two))
			c.change(&g, two)
			rows := build(t, g)
			checkRows(t, rows)
			s := rows.Samples[0]
			require.Equal(t, c.reason, s.Info.Invalid)
			require.False(t, s.Valid)
			require.Equal(t, c.kind, s.Kind)
			require.NotContains(t, s.LossMask, int8(1), "the whole row is not trained on")
			require.Equal(t, []int8{0, 0, 0, 1, 1, 0, 1}, s.SampledMask)
		})
	}
}

func cancel(s *rollout.State) { *s = s.Ended(rollout.StopCancelled, nil) }

func TestVersionsSplitSpans(t *testing.T) {
	u := done(sampled(rollout.NewTokens(1, 2), 3, 4, 5), 1)
	u.Versions = []rollout.VersionSpan{{Version: "v1", Start: 0, End: 2}, {Version: "v2", Start: 2, End: 2}, {Version: "v3", Start: 2, End: 3}}
	rows := build(t, chains("a", state(u)))
	checkRows(t, rows)
	var got []rollout.PolicyVersion
	for _, s := range rows.Samples[0].Spans {
		got = append(got, s.Version)
	}
	require.Equal(t, []rollout.PolicyVersion{"", "v1", "v3"}, got)
	require.EqualValues(t, 4, rows.Samples[0].Spans[2].Start)
}

func TestLawThatVariesIsNull(t *testing.T) {
	one := sampled(rollout.NewTokens(1, 2), 3)
	two := done(sampled(one.Context, 4), 1)
	two.Sampling.Temperature, two.LogprobMode = 0.5, rollout.LogprobsProcessed
	rows := build(t, chains("a", state(one, two)))
	checkRows(t, rows)
	s := rows.Samples[0]
	require.Nil(t, s.Law)
	require.Equal(t, 0.5, s.Info.Turns[1].Law.Temperature)
	require.Equal(t, LogprobsMixed, s.Info.LogprobMode)
	require.Equal(t, rollout.LogprobsProcessed, s.Info.Turns[1].LogprobMode)
}

func TestLogprobRoundedAboveZeroIsCertain(t *testing.T) {
	u := done(sampled(rollout.NewTokens(1), 2, 3), 1)
	u.Logprobs = []float32{1e-7, -1}
	rows := build(t, chains("a", state(u)))
	require.Equal(t, []float32{0, 0, -1}, rows.Samples[0].Logprobs)
}

func TestEmptyTurnsAndEmptyRows(t *testing.T) {
	nothing := sampled(rollout.Tokens{})
	none := sampled(rollout.NewTokens(1, 2))
	first := sampled(rollout.Tokens{}, 5, 6)
	first.Context, first.PrefixLen = rollout.NewTokens(5, 6), 0
	for name, turns := range map[string][]*rollout.Turn{
		"no tokens":       {done(nothing, 1)},
		"nothing sampled": {none, done(sampled(after(none, 3), 4), 1)},
		"no prompt":       {first, done(sampled(after(first, 3), 4), 1)},
	} {
		t.Run(name, func(t *testing.T) {
			g := chains("a", state(turns...))
			rows := build(t, g)
			checkRows(t, rows)
			write(t, config(t, t.TempDir()), g)
		})
	}
}

func TestBuildRefusesWhatIsNotATree(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *Tree)
		says   string
	}{
		"two roots":      {func(t *Tree) { t.Edges[1].Parent = NoParent }, "2 roots"},
		"no root":        {func(t *Tree) { t.Edges[0].Parent = 3 }, "0 roots"},
		"orphan":         {func(t *Tree) { t.Edges[3].Parent = 9 }, "parent 9"},
		"cycle":          {func(t *Tree) { t.Edges[1].Parent, t.Edges[2].Parent = 2, 1 }, "its own ancestor"},
		"node twice":     {func(t *Tree) { t.Edges[3].Node = 2 }, "twice"},
		"turn twice":     {func(t *Tree) { t.Edges[3].Turns = t.Edges[1].Turns }, "is also turn 0 of node 1"},
		"another branch": {func(t *Tree) { t.Lines[0].Branch = []int32{0, 2} }, "not a child of node 0"},
		"another leaf":   {func(t *Tree) { t.Lines[0].Branch = []int32{0, 1, 3} }, "turn 1 of its log"},
		"too short":      {func(t *Tree) { t.Lines[0].Branch = []int32{0, 1} }, "turn 1 of its log"},
		"no branch":      {func(t *Tree) { t.Lines[0].Branch = nil }, "empty"},
		"same leaf":      {func(t *Tree) { t.Lines[1] = t.Lines[0] }, "both end at node 2"},
		"credit":         {func(t *Tree) { t.Lines[0].Advantages = []float64{1} }, "1 advantages for 2 turns"},
		"logprobs":       {func(t *Tree) { t.Edges[2].Turns[0].Logprobs = []float32{-1} }, "1 logprobs for 2 sampled"},
		"versions":       {func(t *Tree) { t.Edges[2].Turns[0].Versions = []rollout.VersionSpan{{Version: "v", Start: 0, End: 1}} }, "do not cover"},
	} {
		t.Run(name, func(t *testing.T) {
			g := branched("a")
			c.change(&g.Trees[0])
			_, err := Build(g)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "group-a")
		})
	}
}

func TestArgumentsThatAreNotJSON(t *testing.T) {
	m := rollout.Assistant("")
	m.ToolCalls = []rollout.ToolCall{{Name: "f", Arguments: json.RawMessage(`{"a": tru`)}, {Name: "g", Arguments: json.RawMessage(`{"b":1.0}`)}}
	got, err := encodeMessages(rollout.List[rollout.Message]{}.Append(m))
	require.NoError(t, err)
	require.Equal(t, `[{"role":"assistant","content":"","tool_calls":[{"name":"f","arguments":"{\"a\": tru"},{"name":"g","arguments":{"b":1.0}}]}]`, string(got))
}
