package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env/expert"
	"focus/env/notes"
)

func demos(t *testing.T, o options) []expert.Demo {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(t.Context(), &out, o))
	var all []expert.Demo
	for line := range strings.Lines(out.String()) {
		var d expert.Demo
		require.NoError(t, json.Unmarshal([]byte(line), &d))
		all = append(all, d)
	}
	return all
}

// What is held out is not trained on, whatever the seeds.
func TestSplitsShareNoKey(t *testing.T) {
	for _, family := range expert.Names() {
		t.Run(family, func(t *testing.T) {
			train := map[string]bool{}
			for _, d := range demos(t, options{family: family, count: 150, seed: 1, split: "train", slips: 0.1}) {
				require.True(t, !train[d.Key] || family == "notes", "%s is there twice", d.Key)
				train[d.Key] = true
			}
			held := demos(t, options{family: family, count: 40, seed: 2, split: "heldout"})
			require.Len(t, held, 40)
			for _, d := range held {
				require.False(t, train[d.Key], "%s is on both sides", d.Key)
			}
		})
	}
}

func TestSameSeedSameLines(t *testing.T) {
	o := options{family: "notes", count: 20, seed: 3, notes: notes.Config{MinHops: 2, MaxHops: 2}, split: "all", slips: 0.3}
	require.Equal(t, demos(t, o), demos(t, o))
	other := o
	other.seed = 4
	require.NotEqual(t, demos(t, o), demos(t, other))
}

func TestBadOptions(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		o          options
	}{
		{"an unknown family", "chess", options{family: "chess", count: 1}},
		{"an unknown split", `"half"`, options{family: "notes", count: 1, split: "half"}},
		{"too many hops", "max_hops", options{family: "notes", count: 1, notes: notes.Config{MinHops: 99}}},
	} {
		t.Run(tc.name, func(t *testing.T) { require.ErrorContains(t, write(t.Context(), io.Discard, tc.o), tc.want) })
	}
}
