package main

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	contexts "focus/context"
	"focus/env"
	"focus/env/expert"
	"focus/env/notes"
	"focus/rollout"
)

func longNotes(t require.TestingT, filler int) expert.Family {
	f, err := expert.New(notes.Name, expert.Options{Notes: notes.Config{MinHops: 4, MaxHops: 4, People: 60, Facts: 12, Filler: filler}})
	require.NoError(t, err)
	return f
}

// Whatever the length of the notes and the place of the folds, the expert goes
// on from its own notes to the answer.
func TestFoldedRolloutsSolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := longNotes(t, rapid.IntRange(0, 40).Draw(t, "filler"))
		fold := folding{manager: rapid.SampledFrom([]string{"summarize", "prefix_summary"}).Draw(t, "manager"), room: rapid.IntRange(900, 3000).Draw(t, "room")}
		if fold.manager == "prefix_summary" {
			fold.room += 1500 // the last note stays, and must leave room
		}
		task := f.Task(rapid.Int64().Draw(t, "seed"), 0)
		demos, err := foldedDemos(context.Background(), f, task, fold, expert.Slips{Rate: rapid.Float64Range(0, 0.3).Draw(t, "slips"), Seed: 1})
		if err != nil {
			t.Fatalf("folded demonstrations: %v", err)
		}
		for _, d := range demos {
			learns := 0
			for _, m := range d.Messages {
				if m.Role == rollout.RoleAssistant && m.Weight == nil {
					learns++
				}
			}
			if len(d.Tools) == 0 && learns != 1 {
				t.Fatalf("%s: a fold is one reply, %d are learnt", d.ID, learns)
			}
		}
	})
}

// The chats are those of play: a task's chat goes on from the notes of the fold
// before it, as its manager words them.
func TestChatsGoOnFromTheNotes(t *testing.T) {
	f := longNotes(t, 30)
	for manager, marker := range map[string]string{"summarize": "folded away", "prefix_summary": contexts.SummaryPrefix} {
		t.Run(manager, func(t *testing.T) {
			demos, err := foldedDemos(t.Context(), f, f.Task(3, 0), folding{manager, 2000}, expert.Slips{})
			require.NoError(t, err)
			require.Greater(t, len(demos), 2)
			for i, d := range demos {
				if len(d.Tools) == 0 {
					require.Len(t, d.Messages, 3)
					require.Nil(t, d.Messages[2].Weight)
					continue
				}
				require.Equal(t, demos[0].Messages[:2], d.Messages[:2], "the seed stays")
				if i > 0 {
					notes := demos[i-1].Messages[2].Content
					require.Contains(t, d.Messages[2].Content, marker)
					require.Contains(t, d.Messages[2].Content, notes)
				}
			}
		})
	}
}

// What stays word for word after a fold was learnt before it.
func TestKeptRepliesAreNotLearntAgain(t *testing.T) {
	f := longNotes(t, 30)
	demos, err := foldedDemos(t.Context(), f, f.Task(3, 1), folding{"prefix_summary", 2300}, expert.Slips{})
	require.NoError(t, err)
	kept := 0
	for _, d := range demos[1:] {
		if len(d.Tools) > 0 && d.Messages[3].Role == rollout.RoleAssistant && d.Messages[4].Role == rollout.RoleTool && d.Messages[3].Weight != nil {
			require.Zero(t, *d.Messages[3].Weight)
			kept++
		}
	}
	require.Positive(t, kept)
}

func TestPartsOfFoldedRollouts(t *testing.T) {
	o := options{
		family: "notes", count: 12, seed: 3, split: string(env.SplitTrain),
		notes: notes.Config{MinHops: 4, MaxHops: 4, People: 60, Facts: 12, Filler: 12}, fold: folding{"summarize", 800},
	}
	all := demos(t, o)
	require.Equal(t, all, demos(t, o), "the same seed gives the same lines")
	for part, tools := range map[string]int{"task": 3, "fold": 0} {
		o.part = part
		for _, d := range demos(t, o) {
			require.Len(t, d.Tools, tools, part)
		}
	}
	o.family = "calculator"
	require.ErrorContains(t, write(t.Context(), io.Discard, o), "too short to be folded")
	o.fold.room = 30
	require.ErrorContains(t, write(t.Context(), io.Discard, o), "calculator does not fold")
}
