package dataset

import (
	"testing"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

func TestAnchorLogprobsComeBack(t *testing.T) {
	dir := t.TempDir()
	write(t, config(t, dir), offAnchor("a"), branched("b"))
	proved(t, dir)
	samples, _ := readRun(t, dir)
	require.Len(t, samples, 4)
	for _, s := range samples[:2] {
		// The shared turn was sampled under the anchor: both laws give the same.
		require.Equal(t, s.Logprobs[5:8], s.AnchorLogprobs[5:8])
		require.Equal(t, []float32{-1.5, -0.125}, s.AnchorLogprobs[9:11])
		require.Zero(t, s.AnchorLogprobs[8], "an observation")
		require.Len(t, s.AnchorLogprobs, s.Len())
		require.Nil(t, s.Law, "its turns were drawn under two laws")
	}
	for _, s := range samples[2:] {
		require.Nil(t, s.AnchorLogprobs, "every token was sampled under the run's own law")
	}
}

func TestAnchorLogprobsAreRefused(t *testing.T) {
	turn := func(g Group) *rollout.Turn { return g.Trees[0].Edges[2].Turns[0] }
	for name, c := range map[string]struct {
		change func(Group)
		err    error
		want   string
	}{
		"too few": {func(g Group) { turn(g).Anchor = []float32{-1} }, ErrLength, "1 anchor logprobs for 2 sampled tokens"},
		"raw logprobs at another temperature": {func(g Group) { turn(g).LogprobMode = rollout.LogprobsRaw }, ErrLogprob,
			"its logprobs are raw, not of the law it was sampled under"},
		"a turn of the row was not scored": {func(g Group) {
			first := g.Trees[0].Edges[1].Turns[0]
			first.Sampling.TopK = 5
		}, ErrLogprob, "turn 0: sampled at temperature 1, top_p 1, top_k 5, min_p 0 beside turns off the run's own law"},
	} {
		t.Run(name, func(t *testing.T) {
			g := offAnchor("a")
			c.change(g)
			_, err := Build(g)
			require.ErrorIs(t, err, c.err)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestAnchorLogprobsChangeTheDigest(t *testing.T) {
	digestOf := func(change func(*Sample)) string {
		dir := t.TempDir()
		w, err := Create(config(t, dir))
		require.NoError(t, err)
		rows := build(t, offAnchor("a"))
		change(rows.Samples[0])
		require.NoError(t, w.Write(rows))
		require.NoError(t, w.Close())
		return proved(t, dir).Digest
	}
	whole := digestOf(func(*Sample) {})
	require.Equal(t, whole, digestOf(func(*Sample) {}))
	require.NotEqual(t, whole, digestOf(func(s *Sample) { s.AnchorLogprobs[10] = -2 }))
	require.NotEqual(t, whole, digestOf(func(s *Sample) { s.AnchorLogprobs = nil }))
}
