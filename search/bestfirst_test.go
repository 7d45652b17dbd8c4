package search

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

func TestW13DeepSearchFrontier(t *testing.T) {
	c := DefaultBestFirst()
	c.Depth = 64
	for _, n := range []struct {
		q, h      float64
		depth     int
		want, off float64
	}{{.5, .4, 4, .347347, .187347}, {-.2, 1.2, 16, .406050, -.073950}, {0, .6, 36, .2475, .0075}} {
		require.InDelta(t, n.want, c.score(&n.q, &n.h, n.depth), 1e-6)
		require.InDelta(t, n.off, c.score(&n.q, nil, n.depth), 1e-6, "without the term of the entropy")
		without := c
		without.EntropyWeight = 0
		require.InDelta(t, n.off, without.score(&n.q, &n.h, n.depth), 1e-6)
	}
	require.InDelta(t, .0025, c.score(nil, nil, 4), 1e-9)
}

// The ends are both at depth 3: the right one through s1 and s2, the wrong one
// through s1 and s3.
func TestW13DeepSearchBackup(t *testing.T) {
	path := func(worth float64, middle NodeID) []*Node {
		turn := rollout.NewTurn(rollout.NewTokens(1), rollout.Completion{})
		turn.Transition = &rollout.Transition{Done: true, Outcome: &worth}
		state := rollout.NewState(rollout.Task{ID: "t"}, nil, nil, nil).WithTurn(turn)
		return []*Node{{ID: middle + 10, Depth: 3, State: state}, {ID: middle, Depth: 2}, {ID: 1, Depth: 1}, {ID: Root}}
	}
	right, wrong := path(0.25, 2), path(0, 3)
	for name, order := range map[string][][]*Node{"right first": {right, wrong}, "wrong first": {wrong, right}} {
		b := backed{}
		for _, p := range order {
			b.told(p[0], slices.Values(p))
		}
		for id, want := range map[NodeID]float64{Root: .25, 1: .5, 2: .75, 3: -.75, 12: 1, 13: -1} {
			require.InDelta(t, want, b[id], 1e-6, "%s: node %d", name, id)
		}
	}
	same := backed{}
	for range 2 {
		same.told(wrong[0], slices.Values(wrong))
	}
	require.InDelta(t, -.5, same[Root], 1e-6, "what has the sign is added to")
	far := path(1, 2)
	far[0].Depth = 99
	same.told(far[0], slices.Values(far))
	require.InDelta(t, .1, same[Root], 1e-6, "at least 0.1, and it overwrites")

	nobody := path(1, 2)
	nobody[0].Failure = &rollout.Failure{Class: rollout.FailureInfrastructure}
	none := backed{}
	none.told(nobody[0], slices.Values(nobody))
	require.Empty(t, none, "what the infrastructure broke tells nothing")
}

// The tree grows elsewhere by the other backup, and nowhere else where λ1 is 0.
func TestBestFirstReadsTheBackup(t *testing.T) {
	c := DefaultBestFirst()
	of := func(b Backup) []NodeID {
		c.Backup = b
		return asked(drive(t, c.Strategy(), world{seed: "3", turns: 5, blind: 1}, 1, 1).Tree())
	}
	require.NotEqual(t, of(BackupMean), of(BackupDeepSearch))
	c.ValueWeight = 0
	require.Equal(t, of(BackupMean), of(BackupDeepSearch))
}

// asked are the nodes that a tree was expanded from, by ticket.
func asked(t *Tree) []NodeID {
	var out []NodeID
	for n := range t.Nodes() {
		if n.ID != Root {
			out = append(out, n.Expansion.From)
		}
	}
	return out
}

func TestBestFirstGoesOnFromTheBest(t *testing.T) {
	c := DefaultBestFirst()
	c.Rank, c.Width, c.InFlight, c.Size = ByConfidence, 2, 1, 2
	said := endsAt(3)
	// What was never scored, as the root, comes last.
	said.surprise = surpriseOf(map[int]float64{0: 3, 1: 2, 2: 9, 3: .1})
	tree := grow(t, c.Strategy(), said)
	// 1 has 3.0 and 2 has 2.5 over its path.
	require.Equal(t, []NodeID{0, 1, 2, 2}, asked(tree))
	require.Equal(t, 2, finished(tree))

	c.Rank = ByFrontier
	c.ValueWeight = 0
	tree = grow(t, c.Strategy(), said)
	require.Equal(t, []NodeID{0, 1, 1, 3, 3}, asked(tree), "by entropy: the least sure")
}

// finished counts the rollouts that ended.
func finished(t *Tree) int {
	n := 0
	for node := range t.Nodes() {
		if node.State.Done() {
			n++
		}
	}
	return n
}

func TestBestFirstReadsOutcomesWhereItSaysSo(t *testing.T) {
	c := DefaultBestFirst()
	for _, want := range []struct {
		rank  Rank
		value float64
		reads bool
	}{{ByFrontier, .4, true}, {ByFrontier, 0, false}, {ByEstimate, 0, true}, {ByConfidence, .4, false}} {
		c.Rank, c.ValueWeight = want.rank, want.value
		require.Equal(t, want.reads, c.Strategy().OutcomeAdaptive(), want)
		blind, bright := drawnOutcomes(t, c, 0), drawnOutcomes(t, c, 1)
		if want.rank != ByEstimate {
			require.Equal(t, want.reads, !slices.Equal(blind, bright), "the same tree whatever rollouts were worth: %v", want)
		}
	}
}

// drawnOutcomes is where a tree grew when every rollout was worth the same.
func drawnOutcomes(t *testing.T, c BestFirst, worth float64) []NodeID {
	w := world{seed: "5", turns: 5, blind: 1, outcome: func(rollout.State) float64 { return worth }}
	return asked(drive(t, c.Strategy(), w, 3, 1).Tree())
}

// against checks each pick with a walk over the whole tree.
type against struct {
	BestFirst
	t require.TestingT
}

func (a against) Open(v *View) Selector {
	return &checkedSelector{a.BestFirst.Open(v).(*frontierSelector), a.t}
}

type checkedSelector struct {
	*frontierSelector
	t require.TestingT
}

func (s *checkedSelector) Next() (Pick, bool) {
	var want *standing
	for n := range s.v.Tree().Nodes() {
		if !s.v.Room(n) {
			continue
		}
		if at := s.stand(n); want == nil || at.order(*want) < 0 {
			want = &at
		}
	}
	pick, ok := s.frontierSelector.Next()
	if ok {
		require.Equal(s.t, want.id, pick.From)
	} else {
		require.True(s.t, want == nil || s.ended+s.out >= s.Size || s.asked >= s.Expansions)
	}
	return pick, ok
}

func drawBestFirst(t *rapid.T) BestFirst {
	c := DefaultBestFirst()
	c.Size, c.Width, c.InFlight = rapid.IntRange(1, 10).Draw(t, "size"), rapid.IntRange(1, 4).Draw(t, "width"), rapid.IntRange(1, 6).Draw(t, "in flight")
	c.Expansions = rapid.SampledFrom([]int{1, 10, 100}).Draw(t, "expansions")
	c.ToEnd = rapid.Bool().Draw(t, "to end")
	c.Rank = rapid.SampledFrom([]Rank{ByFrontier, ByEstimate, ByConfidence}).Draw(t, "rank")
	if c.Rank == ByFrontier {
		c.Backup = rapid.SampledFrom([]Backup{BackupMean, BackupDeepSearch}).Draw(t, "backup")
	}
	c.ValueWeight, c.DepthWeight = rapid.Float64Range(-1, 1).Draw(t, "value"), rapid.SampledFrom([]float64{0, .01, -.1}).Draw(t, "deep")
	return c
}

func TestBestFirstPicksTheBestOfTheWholeTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawBestFirst(t)
		require.NoError(t, c.Validate())
		s := c.Strategy()
		s.Passes[0].Allocator = against{c, t}
		d := drive(t, s, drawWorld(t), rapid.IntRange(1, 9).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival"))
		require.LessOrEqual(t, finished(d.Tree()), c.Size)
		require.LessOrEqual(t, len(d.results), c.Expansions)
		for n := range d.Tree().Nodes() {
			require.LessOrEqual(t, len(n.Children()), c.Width)
		}
	})
}

func TestBestFirstToTheEnd(t *testing.T) {
	c := DefaultBestFirst()
	c.ToEnd, c.InFlight = true, 1
	tree := grow(t, c.Strategy(), endsAt(4))
	require.Equal(t, 8, finished(tree))
	require.Equal(t, 8, leaves(tree), "nothing is left unfinished")
}

func TestBestFirstValidate(t *testing.T) {
	require.NoError(t, DefaultBestFirst().Validate())
	err := BestFirst{Rank: "luck"}.Validate()
	for _, want := range []string{"size", "width", "expansions", "depth", "in_flight", "rank", "backup", "score"} {
		require.ErrorContains(t, err, want)
	}
	c := DefaultBestFirst()
	c.Rank, c.Backup = ByEstimate, BackupDeepSearch
	require.EqualError(t, c.Validate(), "backup is deepsearch, which rank estimate does not read")
}
