package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"focus/dataset"
	"focus/policy/tinylm"
	"focus/rollout"
	"focus/search"
)

// Edges sampled at another temperature carry what the policy's own Score gives
// their tokens; the others carry nothing, or what they were sampled with.
func TestProposalsOnTheEmbeddedPolicy(t *testing.T) {
	dir := newDir(t)
	file := jobFile(t, `
seed: 3
tasks: {count: 2}
env: {kind: calculator}
policy: {kind: tinylm}
search: {kind: tree-grpo, trees: 2, nodes: 3, keep: 0, proposal: [{name: anchor}, {name: hot, weight: 2, temperature: 1.5}]}
agent: {max_steps: 3, max_tokens: 48}
`)
	sum := ran(t, file, "--out", dir)
	require.Zero(t, sum.Failed)
	run, err := dataset.Read(dir)
	require.NoError(t, err)
	type place struct {
		tree rollout.TreeID
		node int32
	}
	law := map[place]string{}
	for n, err := range run.Nodes() {
		require.NoError(t, err)
		law[place{n.Tree, n.Node}] = n.Proposal
	}
	pol, err := tinylm.NewPolicy(tinylm.PolicyConfig{})
	require.NoError(t, err)
	defer func() { require.NoError(t, pol.Close()) }()
	off, both, differ := 0, 0, false
	for s, err := range run.Samples() {
		require.NoError(t, err)
		laws := map[bool]bool{}
		for _, turn := range s.Info.Turns {
			hot := law[place{s.TreeID, turn.Node}] != search.AnchorName
			laws[hot] = true
			if s.AnchorLogprobs == nil {
				require.False(t, hot, "an edge off the anchor without its logprobs")
				continue
			}
			got := s.AnchorLogprobs[turn.At : turn.At+turn.N]
			if !hot {
				require.Equal(t, s.Logprobs[turn.At:turn.At+turn.N], got)
				continue
			}
			off++
			want, err := pol.Score(t.Context(), rollout.NewTokens(s.TokenIDs[:turn.At]...), s.TokenIDs[turn.At:turn.At+turn.N])
			require.NoError(t, err)
			require.InDeltaSlice(t, want, got, 1e-5, "row %s", s.SampleID)
			for i := range got {
				differ = differ || got[i] != s.Logprobs[turn.At+i]
			}
		}
		require.Equal(t, laws[true], s.AnchorLogprobs != nil, "the column is there where a turn was sampled off the anchor")
		if laws[true] && laws[false] {
			both++
		}
	}
	require.Positive(t, off)
	require.Positive(t, both, "no row has both laws")
	require.True(t, differ, "both laws gave the same logprobs")
}

func TestProposalsThatCannotBeAreRefused(t *testing.T) {
	text := func(proposal, more string) string {
		return "tasks: {count: 1}\nenv: {kind: calculator}\npolicy: {kind: tinylm" + more + "}\nsearch: {kind: group, proposal: [" + proposal + "]}\n"
	}
	const hot = "{name: hot, temperature: 1.5}"
	for name, c := range map[string]struct{ text, want string }{
		"truncation":           {text("{name: cut, top_p: 0.9}", ""), "a law that truncates leaves out ids that the anchor gives"},
		"no law":               {text("{name: cold}", ""), `name: "cold" says no law`},
		"no name":              {text("{temperature: 1.5}", ""), "name: missing"},
		"an anchor of its own": {text("{name: anchor, temperature: 1.5}", ""), "anchor is the run's own law and has no keys of its own"},
		"greedy":               {text("{name: cold, temperature: 0}", ""), "temperature: is outside 0.01 to 2"},
		"no weight":            {text("{name: hot, temperature: 1.5, weight: 0}", ""), "weight: must be above 0"},
		"raw logprobs":         {text(hot, ", logprobs: raw"), "the policy reports raw logprobs"},
		"the run truncates":    {text(hot, "") + "sampling: {top_k: 5}\n", "the run's own law must be that"},
		"the run is cold":      {text(hot, "") + "sampling: {temperature: 0.5}\n", "the run's own law must be that"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, errs := focus(t, "run", jobFile(t, c.text), "--out", newDir(t))
			require.NotEqual(t, ExitDone, code)
			require.Contains(t, errs, c.want)
			require.Contains(t, errs, "search")
		})
	}
}
