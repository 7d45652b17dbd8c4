package env_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/env"
	"focus/rollout"
)

func TestSplitsDivideKeys(t *testing.T) {
	heldOut := 0
	for i := range 2000 {
		key := fmt.Sprint("key ", i)
		require.True(t, env.SplitAll.Has(key))
		require.NotEqual(t, env.SplitTrain.Has(key), env.SplitHeldOut.Has(key), "%s is on both sides or on none", key)
		if env.SplitHeldOut.Has(key) {
			heldOut++
		}
	}
	require.InDelta(t, 200, heldOut, 60, "one key in ten is held out")
	// Checkpoints were trained by this division: it must not move.
	var first []string
	for i := range 60 {
		if key := fmt.Sprint("key ", i); env.SplitHeldOut.Has(key) {
			first = append(first, key)
		}
	}
	require.Equal(t, []string{"key 1", "key 8", "key 17", "key 19", "key 40", "key 54"}, first)
	require.ErrorContains(t, env.Split("half").Validate(), `"half"`)
}

func TestSeedsOfASplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, index := rapid.Int64().Draw(t, "seed"), rapid.IntRange(0, 1<<20).Draw(t, "index")
		key := func(at int64) string { return fmt.Sprint(at % 1000) }
		for _, s := range []env.Split{env.SplitAll, env.SplitTrain, env.SplitHeldOut} {
			at := s.Seed("f", seed, index, key)
			if !s.Has(key(at)) {
				t.Fatalf("split %q got seed %d of key %s, which is not its own", s, at, key(at))
			}
			if again := s.Seed("f", seed, index, key); again != at {
				t.Fatalf("split %q got %d, then %d", s, at, again)
			}
		}
	})
}

func TestTaskFields(t *testing.T) {
	type meta struct{ A int }
	task := env.NewTask("f", -2, 3, 99, meta{7}, []string{"x"})
	require.Equal(t, rollout.Task{
		ID: "f--2-3", Family: "f", Index: 3, Seed: 99, Meta: json.RawMessage(`{"A":7}`), Truth: json.RawMessage(`["x"]`),
	}, task)
	m, err := env.MetaOf[meta](task)
	require.NoError(t, err)
	require.Equal(t, meta{7}, m)
	_, err = env.TruthOf[meta](task)
	require.ErrorContains(t, err, "truth of task f--2-3")
}
