package dataset

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// bushy is a tree with all that a drawing shows: an unbranched run, a fold and
// one that was not taken, a call that failed, a probe, a rollout that was left
// out, an edge under another law, two failures, and a checkpoint that was left.
func bushy() Group {
	prompt := rollout.NewTokens(ids(10, 5)...)
	one := sampled(prompt, ids(100, 3)...)
	two := sampled(after(one, 50), ids(110, 2)...)
	two.Status = rollout.ParseMalformed
	two.Attempts = []rollout.Attempt{{Status: rollout.ParseMalformed, Span: rollout.Span{End: 2}}}
	rejected := fold(sampled(rollout.NewTokens(ids(60, 4)...), ids(400, 2)...))
	rejected.Issue, rejected.Penalty = "malformed: no notes", -0.1
	accepted := fold(sampled(after(rejected, 61), ids(410, 2)...))
	three := done(sampled(rollout.NewTokens(ids(70, 3)...), ids(200, 2)...), 1)
	three.ContextVersion = 1
	probe := done(sampled(after(two, 51), ids(210, 4)...), 0)
	left := done(sampled(after(two, 51), ids(220, 4)...), 0)
	cut := sampled(prompt, ids(300, 9)...)
	open := sampled(prompt, ids(310, 1)...)
	why := &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: "connection", Detail: "10.0.0.1 refused"}

	base := state(one, two)
	folded := base.WithTurn(rejected, accepted).Rewritten([]rollout.Message{rollout.User("notes")}).WithTurn(three)
	credit := func(n int, a, w float64) ([]float64, []float64) {
		return slices.Repeat([]float64{a}, n), slices.Repeat([]float64{w}, n)
	}
	lines := []Line{
		{ID: "aaaaaaaaaaaa", State: folded, Branch: []int32{0, 1, 2, 3}, OutcomeAdaptive: true},
		{ID: "bbbbbbbbbbbb", State: base.WithTurn(probe), Branch: []int32{0, 1, 2, 4}, Probe: true, OutcomeAdaptive: true},
		{ID: "cccccccccccc", State: base.WithTurn(left), Branch: []int32{0, 1, 2, 5}, Left: InvalidPruned, OutcomeAdaptive: true},
		{ID: "dddddddddddd", State: state(cut).Ended(rollout.StopMaxSteps, nil), Branch: []int32{0, 6}, OutcomeAdaptive: true},
		{ID: "eeeeeeeeeeee", State: state().Ended(rollout.StopFailed, why), Branch: []int32{0, 8}, OutcomeAdaptive: true},
	}
	lines[0].Advantages, lines[0].Weights = []float64{0.25, 0.25, -1, -1, 0.75}, []float64{2, 2, 1, 1, 1}
	lines[3].Advantages, lines[3].Weights = credit(1, -0.5, 1)
	return Group{ID: "group-1", Task: task("made-7"), Trees: []Tree{{
		ID: "tree-1",
		Edges: []Edge{
			{Node: 0, Parent: NoParent, Visits: 6, Value: ptr(1.0 / 3)},
			{Node: 1, Parent: 0, Turns: []*rollout.Turn{one}, Visits: 3, Value: ptr(1.0 / 3), Allocator: "roots", Proposal: "anchor"},
			{Node: 2, Parent: 1, Turns: []*rollout.Turn{two}, Visits: 3, Value: ptr(1.0 / 3), Allocator: "roots", Proposal: "anchor"},
			{Node: 3, Parent: 2, Turns: []*rollout.Turn{rejected, accepted, three}, Visits: 1, Value: ptr(0.9), Allocator: "roots", Proposal: "anchor"},
			{Node: 4, Parent: 2, Turns: []*rollout.Turn{probe}, Visits: 1, Value: ptr(0), Allocator: "probes", Proposal: "anchor", Pass: 1},
			{Node: 5, Parent: 2, Turns: []*rollout.Turn{left}, Visits: 1, Allocator: "random", Proposal: "hot", Pass: 2, Prior: ptr(0.125)},
			{Node: 6, Parent: 0, Turns: []*rollout.Turn{cut}, Visits: 1, Allocator: "roots", Proposal: "anchor"},
			{Node: 7, Parent: 0, Turns: []*rollout.Turn{open}, Visits: 1, Value: ptr(0.5), Allocator: "roots", Proposal: "anchor"},
			{Node: 8, Parent: 0, Visits: 1, Allocator: "roots", Proposal: "anchor"},
		},
		Lines: lines,
	}}}
}

func viewed(t *testing.T, name string) *TreeView {
	t.Helper()
	dir := t.TempDir()
	cfg := config(t, dir)
	cfg.Metadata.Strategy, cfg.Metadata.Estimator = "puct", "tree.td{loo}"
	write(t, cfg, simple("other"), bushy(), branched("tree-2"))
	run, err := Read(dir)
	require.NoError(t, err)
	v, err := run.Tree(name)
	require.NoError(t, err)
	return v
}

func drawn(t *testing.T, d Drawing, v *TreeView) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, d.WriteText(&b, v))
	return b.String()
}

// The drawing is that of testdata/tree.txt.
func TestGoldenDrawing(t *testing.T) {
	const file = "testdata/tree.txt"
	v := viewed(t, "made-7")
	got := drawn(t, Drawing{}, v) + "\n" + drawn(t, Drawing{All: true, Width: 60}, v)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestDrawingIsAsWideAsItMayBe(t *testing.T) {
	v := viewed(t, "tree-1")
	for _, width := range []int{1, 10, 20, 40, 80} {
		for line := range strings.Lines(drawn(t, Drawing{Width: width}, v)) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width)
		}
	}
	deep := &TreeView{}
	for i := range int32(200) {
		deep.Nodes = append(deep.Nodes, &NodeView{Node: i, Parent: i - 1, Status: StatusExpanded}, &NodeView{Node: 1000 + i, Parent: i - 1, Status: StatusOpen})
	}
	deep.Nodes = slices.Delete(deep.Nodes, 1, 2)
	for line := range strings.Lines(drawn(t, Drawing{Width: 50}, deep)) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 50)
	}
	require.Contains(t, drawn(t, Drawing{Width: 50}, deep), "#1199", "however deep")
}

func TestDrawingColoursOnlyWhenAsked(t *testing.T) {
	v := viewed(t, "tree-1")
	plain := drawn(t, Drawing{Width: 70}, v)
	require.NotContains(t, plain, "\x1b")
	colored := drawn(t, Drawing{Width: 70, Color: true}, v)
	require.Contains(t, colored, green+", reward 1")
	for _, code := range []string{dim, red, green, yellow, "\x1b[0m"} {
		colored = strings.ReplaceAll(colored, code, "")
	}
	require.Equal(t, plain, colored, "colours take no room")
}

func TestDrawingDoesNotSteerTheTerminal(t *testing.T) {
	v := viewed(t, "tree-1")
	v.Task, v.Strategy = "a\x1b[2J\nb\u202e", "x\ty\x07"
	v.Nodes[1].Status, v.Nodes[1].Allocator = "failed:\x1b]0;x\x07", "\r"
	text := drawn(t, Drawing{}, v)
	for _, bad := range []string{"\x1b", "\x07", "\r", "\t", "\u202e"} {
		require.NotContains(t, text, bad)
	}
	require.Contains(t, text, "\uFFFD")
}

func TestTreeIsFoundByTaskOrID(t *testing.T) {
	require.Equal(t, rollout.TreeID("tree-1"), viewed(t, "made-7").Tree)
	dir := t.TempDir()
	write(t, config(t, dir), bushy(), branched("tree-2"), failedGroup("tree-3"))
	run, err := Read(dir)
	require.NoError(t, err)
	_, err = run.Tree("tree-")
	require.ErrorContains(t, err, "tree-1 and tree-2 are both meant")
	for _, name := range []string{"", "nothing"} {
		_, err = run.Tree(name)
		require.ErrorIs(t, err, ErrNoTree)
	}
	v, err := run.Tree("tree-2")
	require.NoError(t, err)
	b, err := json.Marshal(v)
	require.NoError(t, err)
	require.Contains(t, string(b), `{"node":2,"parent":1,"turns":1,"tokens":2,"status":"answered","visits":1,"value":null,"prior":null,"reward":1,`+
		`"proposal":"","allocator":"","pass":1,"advantages":[0.5],"weights":[0.5],"folds":0,"rejected_folds":0,"tool_calls":0,"failed_calls":0,"rollout_id":"tree-2-a","probe":false}`)
	v, err = run.Tree("tree-3")
	require.NoError(t, err)
	require.Nil(t, v.Nodes[1].Advantages, "nobody computed one")
}
