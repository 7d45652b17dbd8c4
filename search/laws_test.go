package search

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/search/credit"
)

// kinds are all strategies, with a drawn configuration each.
var kinds = []struct {
	name string
	draw func(*rapid.T) Strategy
}{
	{"group", func(t *rapid.T) Strategy { return Group{Size: rapid.IntRange(1, 6).Draw(t, "size")}.Strategy() }},
	{"tree-grpo", func(t *rapid.T) Strategy {
		return TreeGRPO{
			Trees: rapid.IntRange(1, 3).Draw(t, "trees"), Nodes: rapid.IntRange(1, 3).Draw(t, "nodes"),
			Rounds: rapid.IntRange(0, 2).Draw(t, "rounds"), Keep: rapid.IntRange(0, 4).Draw(t, "keep"),
		}.Strategy()
	}},
	{"treepo", func(t *rapid.T) Strategy { return drawTreePO(t).Strategy() }},
	{"arpo", func(t *rapid.T) Strategy { return drawARPO(t).Strategy() }},
	{"beam", func(t *rapid.T) Strategy { return drawBeam(t).Strategy() }},
	{"best-first", func(t *rapid.T) Strategy { return drawBestFirst(t).Strategy() }},
	{"treerl", func(t *rapid.T) Strategy { return drawTreeRL(t).Strategy() }},
	{"spo-tree", func(t *rapid.T) Strategy { return drawSPOTree(t).Strategy() }},
	{"value-refinement", func(t *rapid.T) Strategy { return drawRefine(t).Strategy() }},
	{"puct", func(t *rapid.T) Strategy { return drawPUCT(t).Strategy() }},
	{"vineppo", func(t *rapid.T) Strategy { return drawVinePPO(t).Strategy() }},
}

// eachKind runs a property over every strategy, with a drawn budget, gate and
// order.
func eachKind(t *testing.T, check func(t *rapid.T, s Strategy, w world)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := k.draw(t)
				s.Budget = rapid.SampledFrom([]Cost{{}, {}, {Leaves: 5}, {Turns: 20}, {GeneratedTokens: 60}, {ToolCalls: 30, Leaves: 9}}).Draw(t, "budget")
				for i := range s.Passes {
					if in := rapid.IntRange(0, 3).Draw(t, "in flight"); in > 0 {
						s.Passes[i].Gate.InFlight = in
					}
				}
				check(t, s, drawWorld(t))
			})
		})
	}
}

func TestTheTreeIsTheSameAtAnyConcurrency(t *testing.T) {
	eachKind(t, func(t *rapid.T, s Strategy, w world) {
		one := drive(t, s, w, 1, 0)
		for range 2 {
			limit, arrival := rapid.IntRange(2, 40).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival")
			many := drive(t, s, w, limit, arrival)
			require.Equal(t, fingerprint(one.Tree()), fingerprint(many.Tree()))
			require.Equal(t, one.Budget(), many.Budget())
		}
	})
}

func TestResultsInOrderOfArrivalEndToo(t *testing.T) {
	eachKind(t, func(t *rapid.T, s Strategy, w world) {
		s.Order = Arrival
		drive(t, s, w, rapid.IntRange(1, 40).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival"))
	})
}

func TestNothingIsExpandedFromWhatCannotBe(t *testing.T) {
	eachKind(t, func(t *rapid.T, s Strategy, w world) {
		d := drive(t, s, w, 3, 1)
		for n := range d.Tree().Nodes() {
			if n.ID == Root {
				continue
			}
			from := d.Tree().Node(n.Expansion.From)
			require.True(t, from.Branchable, "node %d goes on from %d", n.ID, from.ID)
			require.Nil(t, from.Failure)
			require.False(t, from.Probe(), "node %d goes on from a probe", n.ID)
		}
	})
}

func TestNoNodeIsOverItsWidth(t *testing.T) {
	eachKind(t, func(t *rapid.T, s Strategy, w world) {
		width := rapid.IntRange(1, 3).Draw(t, "width")
		for i := range s.Passes {
			s.Passes[i].Gate.Width = width
		}
		d := drive(t, s, w, rapid.IntRange(1, 9).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival"))
		over := map[NodeID]int{}
		for n := range d.Tree().Nodes() {
			// Chains from the root are as many as the strategy says.
			if n.ID != Root && n.Expansion.Allocator != (Roots{}).Name() {
				over[n.Parent] = len(d.Tree().Node(n.Parent).Children())
			}
		}
		for id, children := range over {
			require.LessOrEqual(t, children, width, "node %d", id)
		}
	})
}

// P22: 0 ≤ used ≤ limit, used is the sum of what was committed, and reserving,
// committing and refunding commute. That nothing is reserved or in flight after
// the end is checked by drive.
func TestP22Budgets(t *testing.T) {
	eachKind(t, func(t *rapid.T, s Strategy, w world) {
		d := drive(t, s, w, rapid.IntRange(1, 9).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival"))
		var want Cost
		for _, r := range d.results {
			c := r.Cost
			if c.Leaves = 0; r.Failure != nil || r.End().State.Done() {
				c.Leaves = 1
			}
			want = want.Plus(c)
		}
		budget := d.Budget()
		require.Equal(t, want, budget.Used())
	})
}

func TestP22BudgetOperationsCommute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cost := rapid.Custom(func(t *rapid.T) Cost {
			return Cost{Leaves: rapid.IntRange(0, 3).Draw(t, "leaves"), Turns: rapid.IntRange(0, 9).Draw(t, "turns")}
		})
		limit := Cost{Leaves: rapid.IntRange(0, 12).Draw(t, "leaves"), Turns: rapid.IntRange(0, 40).Draw(t, "turns")}
		b := NewBudget(limit)
		var held []Cost
		for _, c := range rapid.SliceOfN(cost, 0, 12).Draw(t, "costs") {
			before := b
			if !b.Reserve(c) {
				require.Equal(t, before, b, "what does not fit changes nothing")
				continue
			}
			held = append(held, c)
		}
		back := b
		for _, c := range held {
			back.Refund(c)
		}
		require.Equal(t, NewBudget(limit), back, "refunds undo reservations")

		var want Cost
		actual := make([]Cost, len(held))
		for i, c := range held {
			actual[i] = Cost{Leaves: rapid.IntRange(0, c.Leaves).Draw(t, "used leaves"), Turns: rapid.IntRange(0, c.Turns).Draw(t, "used turns")}
			want = want.Plus(actual[i])
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
		for _, i := range r.Perm(len(held)) {
			b.Commit(held[i], actual[i])
			require.True(t, limit.Leaves == 0 || b.Used().Leaves+b.Reserved().Leaves <= limit.Leaves)
		}
		require.Equal(t, want, b.Used())
		require.Zero(t, b.Reserved())
	})
}

// P23: the results as they were recorded rebuild tree, V and A bit for bit.
func TestP23Replay(t *testing.T) {
	eachKind(t, func(t *rapid.T, s Strategy, w world) {
		s.Order = rapid.SampledFrom([]Order{Tickets, Arrival}).Draw(t, "order")
		d := drive(t, s, w, rapid.IntRange(1, 9).Draw(t, "limit"), rapid.Uint64().Draw(t, "arrival"))
		again, err := Replay("tree", d.Tree().Task, s, Config{Seed: "7", Bound: w.bound}, d.results)
		require.NoError(t, err)
		require.True(t, again.Done())
		require.Equal(t, fingerprint(d.Tree()), fingerprint(again.Tree()), "values included")
		require.Equal(t, d.Budget(), again.Budget())
		for _, m := range []credit.Method{credit.TD{Form: credit.TDLOO}, credit.TreeRL{}} {
			e := credit.Estimator{Method: m, Options: credit.DefaultOptions()}
			want, err := e.Estimate(forest(d.Tree()))
			require.NoError(t, err)
			got, err := e.Estimate(forest(again.Tree()))
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	})
}

// forest is a tree as the estimators see it.
func forest(tree *Tree) credit.Forest {
	f := credit.Forest{Prompt: "t", Nodes: make([]credit.Node, tree.Len())}
	for n := range tree.Nodes() {
		c := credit.Node{Parent: int(n.Parent), Probe: n.Probe()}
		if n.ID != Root {
			c.Turns = n.State.Len() - tree.Node(n.Parent).State.Len()
		}
		if r, ok := n.State.Return(); ok && n.State.Done() && n.Failure == nil && !n.Pruned {
			c.Reward = &r
		}
		f.Nodes[n.ID] = c
	}
	return f
}
