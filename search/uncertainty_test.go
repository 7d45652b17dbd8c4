package search

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// surprised is a task turn whose ids had these surprises; none given is a turn
// that was never scored, of two ids.
func surprised(h ...float64) *rollout.Turn {
	c := rollout.Completion{Tokens: make([]rollout.TokenID, max(2, len(h)))}
	if len(h) > 0 {
		c.Tokens, c.Logprobs = c.Tokens[:len(h)], make([]float32, len(h))
	}
	for i, v := range h {
		c.Logprobs[i] = float32(-v)
	}
	return rollout.NewTurn(rollout.NewTokens(1), c)
}

func TestUncertaintyScores(t *testing.T) {
	fold := surprised(100)
	fold.Tag = rollout.TagFold
	empty := rollout.NewTurn(rollout.NewTokens(1), rollout.Completion{})
	two := []*rollout.Turn{surprised(1, 2), fold, empty, surprised(6)}
	for _, c := range []struct {
		name   string
		tokens int
		turns  []*rollout.Turn
		want   float64
		ok     bool
	}{
		{"mean", 0, two, 3, true},
		{"max", 0, two, 6, true},
		{"first", 2, two, 1.5, true},
		{"first", 0, two, 3, true},
		{"window", 2, two, 4, true},
		{"window", 0, two[:1], 1.5, true},
		{"mean", 0, []*rollout.Turn{surprised(0)}, 0, true},
		{"mean", 0, []*rollout.Turn{surprised(1), surprised()}, 0, false},
		{"max", 0, nil, 0, false},
		{"max", 0, []*rollout.Turn{fold, empty}, 0, false},
	} {
		u, err := UncertaintyOf(c.name, c.tokens)
		require.NoError(t, err)
		require.Equal(t, c.name, u.Name())
		got, ok := u.Score(slices.Values(c.turns))
		require.Equal(t, c.ok, ok, "%s %d", c.name, c.tokens)
		require.InDelta(t, c.want, got, 1e-6, "%s %d", c.name, c.tokens)
	}
}

func TestFirstLooksAtTwentyIDs(t *testing.T) {
	h := append(slices.Repeat([]float64{1}, 20), slices.Repeat([]float64{9}, 30)...)
	got, ok := FirstSurprise{}.Score(slices.Values([]*rollout.Turn{surprised(h...)}))
	require.True(t, ok)
	require.InDelta(t, 1, got, 1e-6)
}

func TestUncertaintyOfRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		tokens int
	}{{"", 0}, {"entropy", 0}, {"first", -1}, {"mean", 5}, {"max", 5}} {
		_, err := UncertaintyOf(c.name, c.tokens)
		require.Error(t, err, c)
	}
}

func TestW13WindowEntropy(t *testing.T) {
	h := []float64{.1, .2, 1.5, .1, .9, .8, .7, .1}
	require.InDeltaSlice(t, []float64{.6, .6, .833333, .6, .8, .533333}, windows(h, 3), 1e-6)
	got, ok := WindowSurprise{Tokens: 3}.Score(slices.Values([]*rollout.Turn{surprised(h...)}))
	require.True(t, ok)
	require.InDelta(t, .833333, got, 1e-6)
}
