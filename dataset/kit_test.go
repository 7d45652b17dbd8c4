package dataset

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// ptr is a value that somebody computed.
func ptr(v float64) *float64 { return &v }

func ids(from, n int) []rollout.TokenID {
	out := make([]rollout.TokenID, n)
	for i := range out {
		out[i] = rollout.TokenID(from + i)
	}
	return out
}

// sampled is a turn that was sent prefix and sampled the ids.
func sampled(prefix rollout.Tokens, ids ...rollout.TokenID) *rollout.Turn {
	lps := make([]float32, len(ids))
	for i := range lps {
		lps[i] = -0.25 * float32(i+1)
	}
	t := rollout.NewTurn(prefix, rollout.Completion{
		Tokens: ids, Logprobs: lps, LogprobMode: rollout.LogprobsRaw, Finish: rollout.FinishStop, Matched: 2,
		Versions: []rollout.VersionSpan{{Version: "v1", Start: 0, End: len(ids)}}, Exact: true, Server: "server-a",
	})
	t.Sampling = rollout.SamplingParams{Temperature: 1, TopP: 1, MaxTokens: 64, Seed: 7}
	t.Timing = rollout.Timing{Started: time.UnixMicro(1_700_000_000_000_000), Generate: 3 * time.Millisecond, Apply: time.Millisecond}
	t.Status = rollout.ParseOK
	t.Transition = &rollout.Transition{Action: rollout.Text{Content: "x"}, ToolCalls: 1}
	t.Covers = 2
	return t
}

// done ends a rollout with an outcome.
func done(t *rollout.Turn, outcome float64) *rollout.Turn {
	t.Transition = &rollout.Transition{Action: rollout.Text{Content: "x"}, Done: true, Stop: rollout.StopAnswered, Outcome: &outcome}
	return t
}

// fold makes t a turn of an accepted fold.
func fold(t *rollout.Turn) *rollout.Turn {
	t.Tag, t.Transition, t.Accepted, t.Replaced, t.Covers = rollout.TagFold, nil, true, rollout.Span{Start: 1, End: 3}, 0
	return t
}

// after is what a turn saw and sampled, and what came then.
func after(t *rollout.Turn, ids ...rollout.TokenID) rollout.Tokens { return t.Context.Append(ids...) }

func task(id string) rollout.Task {
	return rollout.Task{
		ID: rollout.TaskID(id), Family: "made", Index: 3, Seed: 11,
		Truth: json.RawMessage(`{"answer": 42}`), Meta: json.RawMessage(`{"level": 1.50}`),
	}
}

func state(turns ...*rollout.Turn) rollout.State {
	s := rollout.NewState(task("t"), []rollout.Message{rollout.User("hello")}, nil, nil)
	s = s.WithMessages(rollout.Assistant("x"))
	return s.WithTurn(turns...)
}

// chains are independent rollouts: a root with an edge per state.
func chains(name string, states ...rollout.State) Group {
	t := Tree{ID: rollout.TreeID(name), Edges: []Edge{{Node: 0, Parent: NoParent}}}
	for i, s := range states {
		node := int32(i + 1)
		var turns []*rollout.Turn
		for turn := range s.Turns() {
			turns = append(turns, turn)
		}
		t.Edges = append(t.Edges, Edge{Node: node, Parent: 0, Turns: turns, Visits: 1})
		t.Lines = append(t.Lines, Line{
			ID: rollout.RolloutID(rollout.DeriveID(name, string(rune('a'+i)))), State: s, Branch: []int32{0, node},
		})
	}
	return Group{ID: rollout.GroupID("group-" + name), Task: task("task-" + name), Trees: []Tree{t}}
}

// simple is a group of two rollouts of two rounds each.
func simple(name string) Group {
	prompt := rollout.NewTokens(ids(10, 5)...)
	var states []rollout.State
	for i := range 2 {
		one := sampled(prompt, ids(100+10*i, 3)...)
		two := done(sampled(after(one, 50, 51), ids(200+10*i, 4)...), float64(i))
		states = append(states, state(one, two))
	}
	return chains(name, states...)
}

// branched is a tree whose two lines share their first turn.
func branched(name string) Group {
	prompt := rollout.NewTokens(ids(10, 5)...)
	shared := sampled(prompt, ids(100, 3)...)
	a := done(sampled(after(shared, 50), ids(200, 2)...), 1)
	b := done(sampled(after(shared, 50), ids(300, 2)...), 0)
	return Group{ID: rollout.GroupID("group-" + name), Task: task("task-" + name), Trees: []Tree{{
		ID: rollout.TreeID(name),
		Edges: []Edge{
			{Node: 0, Parent: NoParent, Visits: 2, Value: ptr(0.5)},
			{Node: 1, Parent: 0, Turns: []*rollout.Turn{shared}, Visits: 2, Value: ptr(0.5), Prior: ptr(0.25), Proposal: "anchor", Allocator: "uniform"},
			{Node: 2, Parent: 1, Turns: []*rollout.Turn{a}, Visits: 1, Pass: 1},
			{Node: 3, Parent: 1, Turns: []*rollout.Turn{b}, Visits: 1, Pass: 1},
		},
		Lines: []Line{
			{ID: rollout.RolloutID(name + "-a"), State: state(shared, a), Branch: []int32{0, 1, 2}, Advantages: []float64{0, 0.5}, Weights: []float64{1, 0.5}},
			{ID: rollout.RolloutID(name + "-b"), State: state(shared, b), Branch: []int32{0, 1, 3}, Advantages: []float64{0, -0.5}, Weights: []float64{1, 0.5}},
		},
	}}}
}

// offAnchor is a tree whose second edges were sampled at temperature 1.5, which
// gave other logprobs than the run's own law.
func offAnchor(name string) Group {
	g := branched(name)
	for i := range g.Trees[0].Edges {
		e := &g.Trees[0].Edges[i]
		if e.Parent < 1 {
			continue
		}
		e.Proposal = "hot"
		for _, t := range e.Turns {
			t.Sampling.Temperature, t.LogprobMode = 1.5, rollout.LogprobsProcessed
			t.Anchor = []float32{-1.5, -0.125}
		}
	}
	return g
}

// folded is a rollout whose context was folded once.
func folded(name string) Group {
	one := sampled(rollout.NewTokens(ids(10, 5)...), ids(100, 3)...)
	f := fold(sampled(rollout.NewTokens(ids(60, 4)...), ids(400, 2)...))
	two := done(sampled(rollout.NewTokens(ids(70, 3)...), ids(200, 2)...), 1)
	two.ContextVersion = 1
	s := rollout.NewState(task("t"), []rollout.Message{rollout.User("hello")}, nil, nil).WithMessages(rollout.Assistant("x"))
	early := s.WithTurn(one)
	late := early.WithTurn(f).Rewritten([]rollout.Message{rollout.User("notes"), rollout.Assistant("y")}).WithTurn(two)
	return chains(name, late)
}

// failedGroup has one good rollout, one that failed after a turn, and one that
// failed before its first.
func failedGroup(name string) Group {
	prompt := rollout.NewTokens(ids(10, 5)...)
	good := state(done(sampled(prompt, 100, 101), 1))
	why := &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: "connection", Detail: "10.0.0.1:80 refused after 3.2 s"}
	late := state(sampled(prompt, 102)).Ended(rollout.StopFailed, why)
	early := state().Ended(rollout.StopFailed, why)
	return chains(name, good, late, early)
}

func build(t testing.TB, g Group) Rows {
	t.Helper()
	rows, err := Build(g)
	require.NoError(t, err)
	return rows
}

// memoryOf is an allocator that must be empty when the test ends.
func memoryOf(t testing.TB) memory.Allocator {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

func metadata() Metadata {
	return Metadata{
		RunID: "run-1", Config: json.RawMessage(`{"seed":1}`), Model: "tiny", TokenizerSHA256: "aa", TemplateSHA256: "bb",
		Estimator: "grpo", EstimatorParams: json.RawMessage(`{"ddof":1}`),
	}
}

func config(t testing.TB, dir string) Config {
	return Config{Dir: dir, Metadata: metadata(), FS: fastFS{}, mem: memoryOf(t)}
}

// write makes a finished run of groups.
func write(t testing.TB, cfg Config, groups ...Group) {
	t.Helper()
	w, err := Create(cfg)
	require.NoError(t, err)
	for _, g := range groups {
		require.NoError(t, w.Write(build(t, g)))
	}
	require.NoError(t, w.Close())
	require.NoError(t, w.Abort())
}

func mustVerify(t testing.TB, dir string) Report {
	t.Helper()
	r, err := verify(dir, memoryOf(t))
	require.NoError(t, err)
	return r
}

// proved is the report of a run that must be right.
func proved(t testing.TB, dir string) Report {
	t.Helper()
	r := mustVerify(t, dir)
	require.Empty(t, r.Problems)
	return r
}

func readRun(t testing.TB, dir string) (samples []*Sample, nodes []*Node) {
	t.Helper()
	run, err := Read(dir)
	require.NoError(t, err)
	run.mem = memoryOf(t)
	for s, err := range run.Samples() {
		require.NoError(t, err)
		samples = append(samples, s)
	}
	for n, err := range run.Nodes() {
		require.NoError(t, err)
		nodes = append(nodes, n)
	}
	return samples, nodes
}

func shardFiles(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	names, err := list(filepath.Join(dir, ShardsDir))
	require.NoError(t, err)
	for _, n := range names {
		data, err := os.ReadFile(filepath.Join(dir, ShardsDir, n))
		require.NoError(t, err)
		out[n] = data
	}
	return out
}
