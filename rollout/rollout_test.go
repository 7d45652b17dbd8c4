package rollout

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func ids(t *rapid.T, label string, least, most int) []TokenID {
	return rapid.SliceOfN(rapid.Int32Range(0, 3), least, most).Draw(t, label)
}

// grown draws a sequence that was built by appends, and its plain ids.
func grown(t *rapid.T, label string) (Tokens, []TokenID) {
	var tok Tokens
	var plain []TokenID
	for range rapid.IntRange(0, 5).Draw(t, label+" appends") {
		part := ids(t, label, 0, 4)
		tok, plain = tok.Append(part...), append(plain, part...)
		if rapid.Bool().Draw(t, label+" cut") && len(plain) > 0 {
			n := rapid.IntRange(0, len(plain)).Draw(t, label+" at")
			tok, plain = tok.Truncate(n), slices.Clone(plain[:n])
		}
	}
	return tok, plain
}

func TestTokensBehaveLikeASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tok, plain := grown(t, "ids")
		if !slices.Equal(tok.Slice(), plain) {
			t.Fatalf("slice: got %v, want %v", tok.Slice(), plain)
		}
		for i, id := range tok.All() {
			if id != plain[i] || tok.At(i) != plain[i] {
				t.Fatalf("at %d: walk %d, At %d, want %d", i, id, tok.At(i), plain[i])
			}
		}
		from := rapid.IntRange(0, len(plain)).Draw(t, "from")
		if !slices.Equal(tok.From(from), plain[from:]) {
			t.Fatalf("from %d: got %v, want %v", from, tok.From(from), plain[from:])
		}
		if NewTokens(plain...).Sum() != tok.Sum() {
			t.Fatalf("sum of %v depends on how it was built", plain)
		}
	})
}

func TestForkIsolation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, plain := grown(t, "base")
		a := ids(t, "a", 1, 4)
		b := ids(t, "b", 1, 4)
		left, right := base.Append(a...), base.Append(b...)
		if !slices.Equal(left.Slice(), append(slices.Clone(plain), a...)) || !slices.Equal(right.Slice(), append(slices.Clone(plain), b...)) {
			t.Fatalf("forks of %v see each other: %v and %v", plain, left.Slice(), right.Slice())
		}
		if !slices.Equal(base.Slice(), plain) {
			t.Fatalf("an append changed its base: got %v, want %v", base.Slice(), plain)
		}
	})
}

func TestHasPrefix(t *testing.T) {
	base := NewTokens(1, 2, 3).Append(4, 5)
	for _, tc := range []struct {
		name string
		t, p Tokens
		want bool
	}{
		{"identical by pointer", base, base, true},
		{"extended by pointer", base.Append(6), base, true},
		{"equal, built apart", NewTokens(1, 2, 3, 4, 5), base, true},
		{"equal, chunks cut differently", NewTokens(1).Append(2, 3, 4).Append(5, 6), base, true},
		{"diverging at the end", NewTokens(1, 2, 3, 4, 9), base, false},
		{"diverging at the start", NewTokens(9, 2, 3, 4, 5, 6), base, false},
		{"diverging in a shared tail", NewTokens(9).Append(2, 3, 4, 5), base, false},
		{"shorter", NewTokens(1, 2), base, false},
		{"empty prefix", base, Tokens{}, true},
		{"cut inside a chunk", base, base.Truncate(4), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equalf(t, tc.want, tc.t.HasPrefix(tc.p), "%v has prefix %v", tc.t.Slice(), tc.p.Slice())
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		a, pa := grown(t, "a")
		b, pb := grown(t, "b")
		want := len(pb) <= len(pa) && slices.Equal(pa[:len(pb)], pb)
		if got := a.HasPrefix(b); got != want {
			t.Fatalf("%v has prefix %v: got %v", pa, pb, got)
		}
	})
}

// history draws a log of turns: continued, rewritten and tagged.
func history(t *rapid.T) State {
	s := NewState(Task{ID: "t"}, []Message{User("q")}, nil, nil)
	ctx := NewTokens(ids(t, "seed", 1, 4)...)
	for range rapid.IntRange(1, 6).Draw(t, "turns") {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			ctx = NewTokens(ids(t, "rewritten", 1, 6)...)
		case 1:
			ctx = ctx.Append(ids(t, "observation", 1, 3)...)
		}
		turn := NewTurn(ctx, Completion{Tokens: ids(t, "sampled", 1, 4)})
		if rapid.IntRange(0, 3).Draw(t, "tag") == 0 {
			turn.Tag = TagFold
		}
		s, ctx = s.WithTurn(turn), turn.Context
	}
	return s
}

func TestRegionsConcatenateToTheirLastTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := history(t)
		seen := 0
		for _, r := range Regions(s.Turns()) {
			var all []TokenID
			kind := PieceGenerated
			for p := range r.Pieces() {
				if p.Kind == PieceBase && len(all) > 0 || p.Kind == PieceObservation && kind != PieceGenerated {
					t.Fatalf("piece %s after %s", p.Kind, kind)
				}
				all, kind = append(all, p.IDs...), p.Kind
			}
			if last := r.Turns[len(r.Turns)-1]; !slices.Equal(all, last.Context.Slice()) {
				t.Fatalf("pieces %v, last turn %v", all, last.Context.Slice())
			}
			seen += len(r.Turns)
		}
		if seen != s.Len() {
			t.Fatalf("regions hold %d turns of %d", seen, s.Len())
		}
	})
}

func TestRegionsSplit(t *testing.T) {
	seed := NewTokens(1, 2)
	first := NewTurn(seed, Completion{Tokens: []TokenID{3}})
	chained := NewTurn(first.Context.Append(7), Completion{Tokens: []TokenID{4}})
	rewritten := NewTurn(NewTokens(1, 9), Completion{Tokens: []TokenID{4}})
	fold := NewTurn(first.Context.Append(7), Completion{Tokens: []TokenID{4}})
	fold.Tag = TagFold
	for _, tc := range []struct {
		name  string
		turns []*Turn
		want  []int
	}{
		{"one turn", []*Turn{first}, []int{1}},
		{"chained", []*Turn{first, chained}, []int{2}},
		{"rewritten history", []*Turn{first, rewritten}, []int{1, 1}},
		{"tag change", []*Turn{first, fold}, []int{1, 1}},
		{"back after a fold", []*Turn{first, fold, chained}, []int{1, 1, 1}},
		{"none", nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []int
			for _, r := range Regions(slices.Values(tc.turns)) {
				got = append(got, len(r.Turns))
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func TestEdgeIsTheTailOfTheLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parent := history(t)
		child, err := parent.Fork("b")
		require.NoError(t, err)
		var want []*Turn
		for range rapid.IntRange(0, 3).Draw(t, "more") {
			turn := NewTurn(NewTokens(1), Completion{Tokens: []TokenID{2}})
			child, want = child.WithTurn(turn), append(want, turn)
		}
		got, err := child.Edge(parent)
		require.NoError(t, err)
		require.Equal(t, len(want), len(got))
		for i := range want {
			require.Same(t, want[i], got[i])
		}
		stranger := history(t)
		_, err = child.Edge(stranger)
		require.Error(t, err, "a state does not descend from a stranger")
	})
}

type countedWorkspace struct{ forks *int }

func (w countedWorkspace) Fork() (Workspace, error) { *w.forks++; return w, nil }
func (w countedWorkspace) Close() error             { return nil }

func TestForkCopiesTheWorkspaceOnly(t *testing.T) {
	forks := 0
	s := NewState(Task{ID: "t"}, []Message{User("q")}, nil, countedWorkspace{&forks})
	f, err := s.WithTurn(NewTurn(NewTokens(1), Completion{Tokens: []TokenID{2}})).Fork("1")
	require.NoError(t, err)
	require.Equal(t, 1, forks)
	require.Equal(t, 1, f.Len())
	require.Equal(t, 0, s.Len(), "a fork's turns are not its origin's")
	require.Equal(t, "1", f.Branch)
}

func TestEndsAndRewards(t *testing.T) {
	num := func(v float64) *float64 { return &v }
	live := NewState(Task{}, nil, nil, nil)
	won := NewTurn(NewTokens(1), Completion{Tokens: []TokenID{2}})
	won.Transition = &Transition{Done: true, Outcome: num(1), Reward: num(0.25), Stop: StopAnswered}
	require.False(t, live.Done())
	_, scored := live.Reward()
	require.False(t, scored, "nobody computed a reward: it is not 0")

	s := live.WithTurn(won)
	require.Equal(t, StopAnswered, s.Reason())
	r, ok := s.Reward()
	require.True(t, ok)
	require.Equal(t, 1.25, r)
	require.Equal(t, StopAnswered, s.Ended(StopCancelled, nil).Reason(), "a rollout ends once")

	failed := live.Ended(StopFailed, &Failure{Class: FailureInfrastructure, Cause: "unreachable"})
	_, scored = failed.Reward()
	require.False(t, scored, "an infrastructure failure is never a reward")
	require.True(t, live.Ended(StopMaxSteps, nil).Truncated)

	settled := live.Ended(StopMaxSteps, nil)
	settled.Settled = &Transition{Done: true, Outcome: num(0)}
	r, ok = settled.Reward()
	require.True(t, ok)
	require.Zero(t, r)
}

func TestBranchPoints(t *testing.T) {
	root := NewState(Task{}, nil, nil, nil)
	task := root.WithTurn(NewTurn(NewTokens(1), Completion{Tokens: []TokenID{2}}))
	foldTurn := NewTurn(NewTokens(1), Completion{Tokens: []TokenID{2}})
	foldTurn.Tag = TagFold
	folded := task.WithTurn(foldTurn)
	kept := task
	kept.Compactions, kept.CompactedAt = 1, kept.Len()
	ended := task.Ended(StopMaxSteps, nil)
	for _, tc := range []struct {
		name          string
		s             State
		sparse, every bool
	}{
		{"root", root, true, true},
		{"after a task turn", task, false, true},
		{"after a fold", folded, true, true},
		{"after a compaction without a turn", kept, true, true},
		{"a turn after it", kept.WithTurn(task.Last()), false, true},
		{"ended", ended, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.sparse, SparseCheckpoints{}.Branchable(tc.s))
			require.Equal(t, tc.every, EveryDecision{}.Branchable(tc.s))
		})
	}
}

func TestEveryStopReasonHasASentence(t *testing.T) {
	for r, s := range StopReasons() {
		require.NotEmpty(t, s, r)
	}
	require.Len(t, StopReasons(), 12)
}

func TestSeedsDiffer(t *testing.T) {
	require.NotEqual(t, DeriveSeed("a", "bc"), DeriveSeed("ab", "c"), "parts do not run into each other")
	require.GreaterOrEqual(t, DeriveSeed("x"), int64(0))
}

// BenchmarkTurnMemory reports what one more turn of 32 sampled and 32 observed
// ids costs at two context lengths. The two must be within 10 %.
func BenchmarkTurnMemory(b *testing.B) {
	for _, bc := range []struct {
		name string
		n    int
	}{{"1k", 1 << 10}, {"64k", 64 << 10}} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportMetric(bytesPerTurn(bc.n), "bytes/turn")
			for b.Loop() {
				oneTurn(NewState(Task{}, nil, nil, nil), NewTokens(1))
			}
		})
	}
}

// TestTurnMemoryDoesNotGrow holds the benchmark to its claim.
func TestTurnMemoryDoesNotGrow(t *testing.T) {
	short, long := bytesPerTurn(1<<10), bytesPerTurn(64<<10)
	require.InEpsilonf(t, short, long, 0.10, "bytes per turn: %v at 1k ids, %v at 64k", short, long)
}

func oneTurn(s State, ctx Tokens) (State, Tokens) {
	turn := NewTurn(ctx, Completion{Tokens: make([]TokenID, 32), Logprobs: make([]float32, 32)})
	return s.WithTurn(turn).WithMessages(Assistant("a"), User("b")), turn.Context.Append(make([]TokenID, 32)...)
}

func bytesPerTurn(context int) float64 {
	const turns = 2000
	s, ctx := NewState(Task{}, nil, nil, nil), NewTokens(make([]TokenID, context)...)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range turns {
		s, ctx = oneTurn(s, ctx)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(s)
	runtime.KeepAlive(ctx)
	return float64(after.HeapAlloc-before.HeapAlloc) / turns
}

func TestConversationsOfEarlierVersionsAreKept(t *testing.T) {
	s := NewState(Task{}, []Message{User("a")}, nil, nil).WithMessages(Assistant("b"))
	folded := s.Rewritten([]Message{User("notes")}).WithMessages(Assistant("c"))
	for version, want := range []int{2, 2} {
		got, ok := folded.Conversation(version)
		require.True(t, ok)
		require.Equal(t, want, got.Len())
	}
	first, _ := folded.Conversation(0)
	require.Equal(t, "a", first.At(0).Content)
	for _, version := range []int{-1, 2} {
		_, ok := folded.Conversation(version)
		require.False(t, ok)
	}
}
