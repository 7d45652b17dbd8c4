package cmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/internal/job"
	"focus/search"
)

// Every problem of a search section is reported at once, by its key.
func TestSearchKeysOutOfRange(t *testing.T) {
	cases := []struct {
		name, keys string
		want       []string
	}{
		{"treerl", "kind: treerl, chains: 0, score: surprise, budget: {leaves: -1}", []string{"chains is 0", `score "surprise"`, "leaves is -1"}},
		{"sizes that no tree has", "kind: tree-grpo, trees: 2000000000", []string{"trees × nodes × rounds make 4000000000, must be at most 65536"}},
		{"rounds without end", "kind: tree-grpo, rounds: 9223372036854775807", []string{"must be at most 65536"}},
		{"a beam too wide", "kind: beam, keep: 1000000000, children: 1000000000", []string{"keep × children make"}},
		{"treerl too large", "kind: treerl, branches: 1000000", []string{"chains × places × rounds × branches make"}},
		{"vineppo too large", "kind: vineppo, probes: 1000000", []string{"chains × probes make"}},
		{"arpo too large", "kind: arpo, size: 1000000", []string{"size make 1000000"}},
		{"treepo too large", "kind: treepo, size: 1000000", []string{"size make 1000000"}},
		{"best-first too large", "kind: best-first, expansions: 1000000", []string{"expansions make 1000000"}},
		{"value-refinement too large", "kind: value-refinement, leaves: 1000000", []string{"leaves make 1000000"}},
		{"two laws of one name", "kind: tree-grpo, proposal: [{name: a, temperature: 1.2}, {name: a, temperature: 1.3}]", []string{`proposal[1].name: "a" is there twice`}},
		{"spo-tree", "kind: spo-tree, widths: [2, 0], segment: 0", []string{"widths[1] is 0", "segment is 0"}},
		{"vineppo", "kind: vineppo, probes: 0, steps: 0", []string{"probes is 0", "steps is 0"}},
		{"puct", "kind: puct, rule: ucb, alpha: 2, gate: {width: -1}", []string{`rule is "ucb"`, "alpha is 2", "width of -1"}},
		{"value-refinement", "kind: value-refinement, roots: 9, leaves: 8, mass: heavy", []string{"leaves is 8, must be at least 9", `mass is "heavy"`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := "name: x\ntasks: {count: 1}\nenv: {kind: calculator}\npolicy: {kind: tinylm}\nsearch: {" + c.keys + "}\n"
			_, err := job.Parse(Builtin(), "x.yaml", []byte(text), nil)
			require.Error(t, err)
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

// A job file's keys reach the strategy, and those that are absent are the
// paper's.
func TestSearchKeysAndTheirDefaults(t *testing.T) {
	of := func(keys string) string {
		text := "name: x\ntasks: {count: 1}\nenv: {kind: calculator}\npolicy: {kind: tinylm}\nsearch: {" + keys + "}\n"
		plan, err := job.Parse(Builtin(), "x.yaml", []byte(text), nil)
		require.NoError(t, err)
		s, err := Builtin().Strategies.Build(job.Deps{}, plan.Config.Search)
		require.NoError(t, err)
		return describe(s)
	}
	require.Equal(t, "roots {6 true}; uncertain-places {2 2 false 0 {}}", of("kind: treerl"))
	require.Equal(t, "roots {3 true}; uncertain-places {1 2 true 0 {7}}; uncertain-places {1 2 true 0 {7}}",
		of("kind: treerl, chains: 3, places: 1, rounds: 2, diverse: true, score: first, score_tokens: 7"))
	require.Equal(t, "levels {[6 6 6] 1}", of("kind: spo-tree"))
	require.Equal(t, "levels {[2 3] 4}", of("kind: spo-tree, widths: [2, 3], segment: 4"))
	require.Equal(t, "roots {8 true}; probes {9 25}", of("kind: vineppo"))
	require.Equal(t, "puct {{16 puct 1 uniform wu 0 2 0.5 0}}", of("kind: puct"))
	require.Equal(t, "uct {{16 uct 2 uniform virtual_loss -1 4 0 1}}",
		of("kind: puct, rule: uct, c: 2, unobserved: virtual_loss, loss: -1, widen: 4, alpha: 0, step: 1"))
	require.Equal(t, "roots {4 true}; marginal-mse {{4 16 one 50 false}}", of("kind: value-refinement"))
	require.Equal(t, "roots {2 true}; marginal-mse {{2 9 tokens 5 true}}",
		of("kind: value-refinement, roots: 2, leaves: 9, mass: tokens, replay_tokens: 5, probes: true"))
}

// describe is the passes of a strategy.
func describe(s search.Strategy) string {
	var out []string
	for _, p := range s.Passes {
		out = append(out, fmt.Sprintf("%s %v", p.Allocator.Name(), p.Allocator))
	}
	return strings.Join(out, "; ")
}
