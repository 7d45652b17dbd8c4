package dataset

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/rollout"
)

// grower makes random trees with folds, rewritten contexts, empty replies,
// inexact turns, failures and probes.
type grower struct {
	t    *rapid.T
	tree Tree
	next int32
	id   int32
}

func (g *grower) fresh(label string, most int) []rollout.TokenID {
	n := rapid.IntRange(0, most).Draw(g.t, label)
	out := make([]rollout.TokenID, n)
	for i := range out {
		g.id++
		out[i] = g.id
	}
	return out
}

// turn extends, folds or rewrites what came before.
func (g *grower) turn(s rollout.State) (rollout.State, *rollout.Turn) {
	prefix := rollout.NewTokens(g.fresh("prompt", 4)...)
	if live := s.Live(); live != nil && rapid.Bool().Draw(g.t, "continue") {
		prefix = live.Context.Append(g.fresh("observation", 3)...)
	}
	u := sampled(prefix, g.fresh("reply", 4)...)
	u.ContextVersion = s.ContextVersion
	u.Exact = rapid.IntRange(0, 9).Draw(g.t, "exact") > 0
	if rapid.IntRange(0, 4).Draw(g.t, "fold") == 0 {
		return s.WithTurn(fold(u)).Rewritten([]rollout.Message{rollout.User("notes")}), u
	}
	return s.WithTurn(u), u
}

// grow adds a node below parent and what follows.
func (g *grower) grow(parent int32, branch []int32, s rollout.State, depth int) {
	e := Edge{Node: g.next, Parent: parent}
	g.next++
	for range rapid.IntRange(0, 3).Draw(g.t, "turns") {
		var u *rollout.Turn
		s, u = g.turn(s)
		e.Turns = append(e.Turns, u)
	}
	branch = append(branch[:len(branch):len(branch)], e.Node)
	children := 0
	if depth > 0 {
		children = rapid.IntRange(0, 3).Draw(g.t, "children")
	}
	if children == 0 {
		var last *rollout.Turn
		s, last = g.turn(s)
		e.Turns = append(e.Turns, last)
		g.end(branch, s, last)
	}
	g.tree.Edges = append(g.tree.Edges, e)
	for range children {
		g.grow(e.Node, branch, s, depth-1)
	}
}

func (g *grower) end(branch []int32, s rollout.State, last *rollout.Turn) {
	l := Line{ID: rollout.RolloutID(fmt.Sprintf("%s-%d", g.tree.ID, g.next)), Branch: branch, Probe: rapid.IntRange(0, 9).Draw(g.t, "probe") == 0}
	switch rapid.IntRange(0, 5).Draw(g.t, "end") {
	case 0:
		s = s.Ended(rollout.StopFailed, &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: "x"})
	case 1:
		s = s.Ended(rollout.StopMaxSteps, nil)
	default:
		if last.Tag == rollout.TagTask {
			done(last, float64(len(branch)))
		} else {
			s = s.Ended(rollout.StopFoldFailed, nil)
		}
	}
	l.State = s
	if rapid.Bool().Draw(g.t, "credit") {
		for range s.Len() {
			l.Advantages = append(l.Advantages, 0.5)
			l.Weights = append(l.Weights, 1)
		}
	}
	g.tree.Lines = append(g.tree.Lines, l)
}

func randomGroup(t *rapid.T, name string) Group {
	g := &grower{t: t, tree: Tree{ID: rollout.TreeID(name)}}
	g.grow(NoParent, nil, state(), rapid.IntRange(0, 3).Draw(t, "depth"))
	return Group{ID: rollout.GroupID("group-" + name), Task: task("task-" + name), Trees: []Tree{g.tree}}
}

// TestEveryTokenIsOwnedOnce: of any tree, each turn that some valid row holds
// has loss in exactly one row, whole, and no other token has.
func TestEveryTokenIsOwnedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGroup(t, "a")
		rows, err := Build(g)
		require.NoError(t, err)
		trainable, loss := map[place]int{}, map[place]int{}
		for _, s := range rows.Samples {
			total := 0
			for _, u := range s.Info.Turns {
				at := place{u.Node, u.Turn}
				if s.Valid {
					trainable[at] = u.N
				}
				for _, m := range s.LossMask[u.At : u.At+u.N] {
					loss[at] += int(m)
					total += int(m)
				}
			}
			for _, m := range s.LossMask {
				total -= int(m)
			}
			require.Zero(t, total, "loss outside of every turn")
		}
		for at, n := range trainable {
			require.Equal(t, n, loss[at], "turn %v", at)
			delete(loss, at)
		}
		for at, n := range loss {
			require.Zero(t, n, "turn %v, which no valid row holds", at)
		}
	})
}

// TestRowsJoinToEdges: of any tree, the rows of a rollout joined are its edges
// joined, and each row is the context of its last turn.
func TestRowsJoinToEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGroup(t, "a")
		rows, err := Build(g)
		require.NoError(t, err)
		edges := map[int32][]int32{}
		for _, n := range rows.Nodes {
			edges[n.Node] = n.IDs
		}
		at := 0
		for _, l := range g.Trees[0].Lines {
			var fromRows, fromEdges []int32
			for _, r := range rollout.Regions(l.State.Turns()) {
				require.Equal(t, r.Tokens().Slice(), rows.Samples[at].TokenIDs)
				fromRows = append(fromRows, rows.Samples[at].TokenIDs...)
				at++
			}
			for _, node := range l.Branch {
				fromEdges = append(fromEdges, edges[node]...)
			}
			require.Equal(t, fromEdges, fromRows)
		}
		require.Len(t, rows.Samples, at)
	})
}

// TestAnyRunVerifies: what Build makes is written and proved, and the digest
// does not depend on how it was cut into files or ordered.
func TestAnyRunVerifies(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		one, two := randomGroup(rt, "a"), randomGroup(rt, "b")
		dir := func() string {
			d, err := os.MkdirTemp(root, "run")
			require.NoError(rt, err)
			return d
		}
		first, second := dir(), dir()
		cfg := config(t, first)
		cfg.ShardBytes = rapid.SampledFrom([]int{1, 4000, 1 << 20}).Draw(rt, "shard")
		cfg.BatchRows = rapid.IntRange(1, 5).Draw(rt, "batch")
		write(t, cfg, one, two)
		write(t, config(t, second), two, one)
		require.Equal(rt, proved(t, first).Digest, proved(t, second).Digest)
	})
}
