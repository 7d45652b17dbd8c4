package dataset

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// plant is one way to break the rows of branched.
type plant struct {
	name    string
	change  func(r *Rows)
	err     error
	rollout rollout.RolloutID
	row     int
	turn    int
}

// plants has each refusal at least once. a and b are the rows of two rollouts
// that share their first turn, nodes those of their tree.
func plants() []plant {
	a := func(f func(s *Sample)) func(*Rows) { return func(r *Rows) { f(r.Samples[0]) } }
	b := func(f func(s *Sample)) func(*Rows) { return func(r *Rows) { f(r.Samples[1]) } }
	node := func(i int, f func(n *Node)) func(*Rows) { return func(r *Rows) { f(r.Nodes[i]) } }
	nan, inf := math.NaN(), math.Inf(1)
	return []plant{
		{"another prompt token", a(func(s *Sample) { s.TokenIDs[0]++ }), ErrPrefix, "a-a", 0, 0},
		{"another observation", a(func(s *Sample) { s.TokenIDs[8]++ }), ErrPrefix, "a-a", 0, 1},
		{"another token of an earlier reply", a(func(s *Sample) { s.TokenIDs[5]++ }), ErrPrefix, "a-a", 0, 1},
		{"another sampled token", a(func(s *Sample) { s.TokenIDs[10]++ }), ErrPrefix, "a-a", 0, NoTurn},
		{"another edge", node(1, func(n *Node) { n.IDs[2]++ }), ErrPrefix, "a-a", 0, NoTurn},
		{"a longer edge", node(2, func(n *Node) { n.IDs = append(n.IDs, 1) }), ErrPrefix, "a-a", 0, NoTurn},
		{"a shorter edge", node(2, func(n *Node) { n.IDs = n.IDs[:2] }), ErrPrefix, "a-a", 0, NoTurn},
		{"the shared turn trains twice", b(func(s *Sample) { fillMask(s, 0) }), ErrTrainTwice, "a-b", 0, 0},
		{"the shared turn under another name", b(func(s *Sample) { fillMask(s, 0); s.Info.Turns[0].Turn = 1 }), ErrTree, "a-b", 0, 0},
		{"a turn of another node", b(func(s *Sample) { s.Info.Turns[0].Node = 3 }), ErrTree, "a-b", 0, 0},
		{"short sampled mask", a(func(s *Sample) { s.SampledMask = s.SampledMask[1:] }), ErrLength, "a-a", 0, NoTurn},
		{"short loss mask", a(func(s *Sample) { s.LossMask = s.LossMask[1:] }), ErrLength, "a-a", 0, NoTurn},
		{"short logprobs", a(func(s *Sample) { s.Logprobs = s.Logprobs[1:] }), ErrLength, "a-a", 0, NoTurn},
		{"short anchor logprobs", a(func(s *Sample) { s.AnchorLogprobs = s.Logprobs[1:] }), ErrLength, "a-a", 0, NoTurn},
		{"short advantages", a(func(s *Sample) { s.Advantages = s.Advantages[1:] }), ErrLength, "a-a", 0, NoTurn},
		{"short weights", a(func(s *Sample) { s.Weights = s.Weights[:0] }), ErrLength, "a-a", 0, NoTurn},
		{"turn out of bounds", a(func(s *Sample) { s.Info.Turns[1].N = 9 }), ErrLength, "a-a", 0, 1},
		{"loss on the prompt", a(func(s *Sample) { s.LossMask[0] = 1 }), ErrMask, "a-a", 0, NoTurn},
		{"mask of 2", a(func(s *Sample) { s.SampledMask[0] = 2 }), ErrMask, "a-a", 0, NoTurn},
		{"loss on part of a turn", a(func(s *Sample) { s.LossMask[6] = 0 }), ErrMask, "a-a", 0, 0},
		{"wrong prompt_len", a(func(s *Sample) { s.PromptLen = 6 }), ErrMask, "a-a", 0, NoTurn},
		{"loss on an invalid row", a(func(s *Sample) { s.Valid, s.Info.Invalid = false, InvalidInexact }), ErrMask, "a-a", 0, NoTurn},
		{"invalid without a reason", b(func(s *Sample) { s.Valid = false }), ErrMask, "a-b", 0, NoTurn},
		{"valid and inexact", a(func(s *Sample) { s.Exact = false }), ErrMask, "a-a", 0, NoTurn},
		{"loss on a probe", a(func(s *Sample) { s.Kind = KindProbe }), ErrMask, "a-a", 0, NoTurn},
		{"sampled without a turn", a(func(s *Sample) { s.Info.Turns = s.Info.Turns[:1] }), ErrMask, "a-a", 0, NoTurn},
		{"NaN logprob", a(func(s *Sample) { s.Logprobs[5] = float32(nan) }), ErrLogprob, "a-a", 0, NoTurn},
		{"infinite logprob", a(func(s *Sample) { s.Logprobs[5] = float32(-inf) }), ErrLogprob, "a-a", 0, NoTurn},
		{"positive logprob", a(func(s *Sample) { s.Logprobs[5] = 0.5 }), ErrLogprob, "a-a", 0, NoTurn},
		{"logprob of the prompt", a(func(s *Sample) { s.Logprobs[0] = -1 }), ErrLogprob, "a-a", 0, NoTurn},
		{"NaN anchor logprob", a(func(s *Sample) { s.AnchorLogprobs = slices.Clone(s.Logprobs); s.AnchorLogprobs[5] = float32(nan) }), ErrLogprob, "a-a", 0, NoTurn},
		{"anchor logprob of the prompt", a(func(s *Sample) { s.AnchorLogprobs = slices.Clone(s.Logprobs); s.AnchorLogprobs[0] = -1 }), ErrLogprob, "a-a", 0, NoTurn},
		{"NaN advantage", a(func(s *Sample) { s.Advantages[5] = float32(nan) }), ErrCredit, "a-a", 0, NoTurn},
		{"weight of the prompt", a(func(s *Sample) { s.Weights[0] = 1 }), ErrCredit, "a-a", 0, NoTurn},
		{"span gap", a(func(s *Sample) { s.Spans[0].Start = 1 }), ErrSpan, "a-a", 0, NoTurn},
		{"no spans", a(func(s *Sample) { s.Spans = nil }), ErrSpan, "a-a", 0, NoTurn},
		{"empty span", a(func(s *Sample) { s.Spans[2].Start = 9 }), ErrSpan, "a-a", 0, NoTurn},
		{"span off its mask", a(func(s *Sample) { s.Spans[1].Start = 4 }), ErrSpan, "a-a", 0, NoTurn},
		{"second base", a(func(s *Sample) { s.Spans[2].Kind = rollout.PieceBase }), ErrSpan, "a-a", 0, NoTurn},
		{"unknown span", a(func(s *Sample) { s.Spans[2].Kind = "x" }), ErrSpan, "a-a", 0, NoTurn},
		{"span off the branch", a(func(s *Sample) { s.Spans[3].Node = 3 }), ErrSpan, "a-a", 0, NoTurn},
		{"span back on the branch", a(func(s *Sample) { s.Spans[2].Node, s.Spans[3].Node = 2, 1 }), ErrSpan, "a-a", 0, NoTurn},
		{"span of another node than its turn", a(func(s *Sample) { s.Spans[2].Node, s.Spans[3].Node = 1, 1 }), ErrSpan, "a-a", 0, 1},
		{"missing span", a(func(s *Sample) { s.Spans = s.Spans[:3] }), ErrSpan, "a-a", 0, NoTurn},
		{"reward is not its parts", a(func(s *Sample) { *s.Reward = 2 }), ErrReward, "a-a", 0, NoTurn},
		{"reward without parts", a(func(s *Sample) { s.RewardOutcome = nil }), ErrReward, "a-a", 0, NoTurn},
		{"infinite reward", a(func(s *Sample) { *s.Reward, *s.RewardOutcome = inf, inf }), ErrReward, "a-a", 0, NoTurn},
		{"reward of a failed rollout", a(func(s *Sample) { s.StopReason = rollout.StopFailed }), ErrReward, "a-a", 0, NoTurn},
		{"reward of another leaf", node(2, func(n *Node) { n.Reward = ptr(0.25) }), ErrReward, "a-a", 0, NoTurn},
		{"reward of a failed node", node(1, func(n *Node) { n.Status, n.Reward = "failed:x", ptr(0) }), ErrReward, "", -1, NoTurn},
		{"NaN value", node(1, func(n *Node) { n.Value = &nan }), ErrReward, "", -1, NoTurn},
		{"wrong sample_id", a(func(s *Sample) { s.SampleID = "x" }), ErrIdentity, "a-a", 0, NoTurn},
		{"no group", a(func(s *Sample) { s.GroupID = "" }), ErrIdentity, "a-a", 0, NoTurn},
		{"unknown kind", a(func(s *Sample) { s.Kind = "x" }), ErrIdentity, "a-a", 0, NoTurn},
		{"unknown stop", a(func(s *Sample) { s.StopReason = "x" }), ErrIdentity, "a-a", 0, NoTurn},
		{"attempt 0", a(func(s *Sample) { s.Attempt = 0 }), ErrIdentity, "a-a", 0, NoTurn},
		{"not the last row", a(func(s *Sample) { s.IsLastRow = false }), ErrIdentity, "a-a", 0, NoTurn},
		{"law in two places", a(func(s *Sample) { s.Info.Turns[1].Law = &Law{} }), ErrIdentity, "a-a", 0, 1},
		{"a row that comes back", func(r *Rows) { r.Samples = append(r.Samples, r.Samples[0]) }, ErrIdentity, "a-a", 0, NoTurn},
		{"two roots", node(1, func(n *Node) { n.Parent, n.Depth = NoParent, 0 }), ErrTree, "", -1, NoTurn},
		{"orphan", node(1, func(n *Node) { n.Parent = 8 }), ErrTree, "", -1, NoTurn},
		{"wrong depth", node(2, func(n *Node) { n.Depth = 1 }), ErrTree, "", -1, NoTurn},
		{"node twice", node(2, func(n *Node) { n.Node = 3 }), ErrTree, "", -1, NoTurn},
		{"no status", node(2, func(n *Node) { n.Status = "" }), ErrTree, "", -1, NoTurn},
		{"more sampled than there is", node(2, func(n *Node) { n.Tokens = 4 }), ErrLength, "", -1, NoTurn},
		{"fewer sampled than there is", node(1, func(n *Node) { n.Tokens = 2 }), ErrTree, "a-a", 0, 1},
		{"a turn in no row", node(2, func(n *Node) { n.Turns = 2 }), ErrTree, "a-a", 0, NoTurn},
		{"branch off the tree", a(func(s *Sample) { s.Branch = []int32{0, 1, 2, 3} }), ErrTree, "a-a", 0, NoTurn},
		{"rows without nodes", func(r *Rows) { r.Nodes = nil }, ErrTree, "a-a", 0, NoTurn},
		{"rows in another order", func(r *Rows) { slices.Reverse(r.Samples); r.Samples[0].TreeID = "z" }, ErrTree, "a-b", 0, NoTurn},
		{"id is not UTF-8", a(func(s *Sample) { s.TaskID = "\xff" }), ErrText, "a-a", 0, NoTurn},
		{"messages are not JSON", a(func(s *Sample) { s.Messages = []byte("[") }), ErrText, "a-a", 0, NoTurn},
		{"server is not UTF-8", node(1, func(n *Node) { n.Server = "\xff" }), ErrText, "", -1, NoTurn},
	}
}

// fillMask puts loss on a turn.
func fillMask(s *Sample, turn int) {
	t := s.Info.Turns[turn]
	for i := t.At; i < t.At+t.N; i++ {
		s.LossMask[i] = 1
	}
}

func TestEachRefusal(t *testing.T) {
	for _, p := range plants() {
		t.Run(p.name, func(t *testing.T) {
			dir := t.TempDir()
			w, err := Create(config(t, dir))
			require.NoError(t, err)
			rows := build(t, branched("a"))
			p.change(&rows)
			err = w.Write(rows)
			require.ErrorIs(t, err, p.err)
			require.True(t, names(err, p), "no refusal names rollout %q, row %d, turn %d: %v", p.rollout, p.row, p.turn, err)

			// The group was refused whole, and the writer goes on.
			require.NoError(t, w.Write(build(t, simple("b"))))
			require.NoError(t, w.Close())
			require.NoError(t, w.Abort())
			require.Equal(t, 2, proved(t, dir).Samples)
		})
	}
}

// names reports whether one of the joined errors is the planted one.
func names(err error, p plant) bool {
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		r, ok := e.(*RefusedError)
		if ok && r.Err == p.err && r.Rollout == p.rollout && r.Row == p.row && r.Turn == p.turn {
			return true
		}
	}
	return false
}

func TestTreeThatComesBackIsRefused(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(config(t, dir))
	require.NoError(t, err)
	require.NoError(t, w.Write(build(t, branched("a"))))
	require.ErrorIs(t, w.Write(build(t, branched("a"))), ErrTrainTwice)
	require.NoError(t, w.Seal())
	require.ErrorIs(t, w.Write(build(t, branched("a"))), ErrTrainTwice)

	again, err := Resume(config(t, dir), nil)
	require.NoError(t, err)
	require.ErrorIs(t, again.Write(build(t, branched("a"))), ErrTrainTwice)
	require.NoError(t, again.Abort())
}

func TestRefusalSaysWhere(t *testing.T) {
	rows := build(t, branched("a"))
	rows.Samples[0].TokenIDs[8]++
	w := &Writer{trees: map[rollout.TreeID]bool{}}
	_, err := w.admit(rows)
	require.ErrorContains(t, err, "tree a, rollout a-a, row 0, turn 1: prefix differs from the one sampled under: the 9 tokens before it hash to")
}
