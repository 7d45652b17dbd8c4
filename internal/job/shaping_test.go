package job

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/rollout"
	"focus/search"
	"focus/search/credit"
)

// sent is a task turn that was sent so many ids and sampled one.
func sent(ids int, edit func(*rollout.Turn)) *rollout.Turn {
	t := rollout.NewTurn(rollout.NewTokens(make([]rollout.TokenID, ids)...), rollout.Completion{Tokens: []rollout.TokenID{1}})
	t.Transition = &rollout.Transition{Action: rollout.Text{}}
	if edit != nil {
		edit(t)
	}
	return t
}

func answers(outcome float64) func(*rollout.Turn) {
	return func(t *rollout.Turn) { t.Transition.Done, t.Transition.Outcome = true, &outcome }
}

func folds(issue string) func(*rollout.Turn) {
	return func(t *rollout.Turn) { t.Tag, t.Transition, t.Issue = rollout.TagFold, nil, issue }
}

// chainsOf is a tree of rollouts that share nothing.
func chainsOf(t *testing.T, states ...rollout.State) *search.Tree {
	t.Helper()
	s, err := search.New(search.NewTree("t", rollout.Task{ID: "t"}), search.Group{Size: len(states)}.Strategy(), search.Config{})
	require.NoError(t, err)
	for _, state := range states {
		x, ok := s.Next()
		require.True(t, ok)
		require.NoError(t, s.Apply(search.Result{Ticket: x.Ticket, Path: []search.Checkpoint{{State: state}}, Attempt: 1}))
	}
	return s.Tree()
}

func logOf(turns ...*rollout.Turn) rollout.State {
	return rollout.NewState(rollout.Task{ID: "t"}, nil, nil, nil).WithTurn(turns...)
}

func TestFoldRules(t *testing.T) {
	failed := func(class rollout.FailureClass) func(*rollout.Turn) {
		return func(t *rollout.Turn) { t.Transition.Failure = &rollout.Failure{Class: class, Cause: "x"} }
	}
	malformed := func(t *rollout.Turn) { t.Status = rollout.ParseMalformed }
	rules := FoldRules{FailedCall: -1, RejectedFold: -2, Unfolded: -4, UnfoldedTokens: 10, NeverFolded: -8}
	folded := func(turns ...*rollout.Turn) rollout.State { return logOf(turns...).Rewritten(nil) }
	later := func(t *rollout.Turn) { t.ContextVersion = 1; answers(1)(t) }
	for _, tc := range []struct {
		name  string
		state rollout.State
		want  []float64
	}{
		{"nothing happened", folded(sent(3, nil)), []float64{0}},
		{"a call that failed", folded(sent(3, failed(rollout.FailureVisible)), sent(3, failed(rollout.FailureTask))), []float64{-1, -1}},
		{"not the policy's fault", folded(sent(3, failed(rollout.FailureInfrastructure))), []float64{0}},
		{"malformed", folded(sent(3, malformed), sent(3, func(t *rollout.Turn) { t.Status = rollout.ParseTruncated })), []float64{-1, -1}},
		{"a fold's own turns", folded(sent(30, folds("")), sent(30, folds("malformed")), sent(30, func(t *rollout.Turn) { folds("malformed")(t); malformed(t) })), []float64{0, -2, -3}},
		{"never folded", logOf(sent(3, nil), sent(3, folds("declined")), sent(3, answers(1))), []float64{-8, -2, -8}},
		{"a long context is left or kept", folded(sent(11, nil), sent(11, nil), sent(11, folds("")), sent(3, later)), []float64{-4, 0, 0, 0}},
		{"a long context at the end", folded(sent(10, nil), sent(11, later)), []float64{0, 0}},
		{"rewritten right after the edge", folded(sent(11, nil)), []float64{0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := chainsOf(t, tc.state)
			turns, err := tree.Edge(1)
			require.NoError(t, err)
			q := rules.in(tree)
			var got []float64
			for i := range turns {
				got = append(got, q(tree.Node(1), turns, i))
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func TestFoldRulesValidate(t *testing.T) {
	require.NoError(t, DefaultFoldRules().Validate())
	require.ErrorContains(t, FoldRules{NeverFolded: math.Inf(-1)}.Validate(), "never_folded: ")
	require.ErrorContains(t, FoldRules{UnfoldedTokens: -1}.Validate(), "unfolded_tokens: -1")
}

// W10 with turns: a failed call in the middle of the better rollout costs its
// own turn alone, and the checkpoint keeps its value.
func TestAnEdgeIsCutWhereQChanges(t *testing.T) {
	malformed := func(t *rollout.Turn) { t.Status = rollout.ParseMalformed }
	tree := chainsOf(t, logOf(sent(1, nil), sent(1, malformed), sent(1, malformed), sent(1, answers(1))), logOf(sent(1, nil), sent(1, answers(0))))
	o := credit.DefaultOptions()
	o.Eps = 0
	e := Shaped{credit.Estimator{Method: credit.DefaultFoldShape(), Options: o}, DefaultFoldRules()}
	c, err := judge(tree, e)
	require.NoError(t, err)
	require.Len(t, c.forest.Nodes, 1+3+1, "one node for each stretch of one Q")
	advantages, weights := c.credits([]search.NodeID{0, 1})
	const a = 0.7071067811865475
	require.InDeltaSlice(t, []float64{a, -a, -a, a}, advantages, 1e-12)
	require.Equal(t, []float64{1, 1, 1, 1}, weights)
	require.InDelta(t, 1, *c.of(1).Value, 0)
	require.InDelta(t, 0.5, *c.of(0).Value, 0)
	plain, err := judge(tree, e.Estimator)
	require.NoError(t, err)
	require.Len(t, plain.forest.Nodes, 3, "nothing is cut where nobody shapes")

	b, err := json.Marshal(e)
	require.NoError(t, err)
	require.Contains(t, string(b), `{"id":"fold.shape{grpo}(0,1)","options":{"value":"child-mean",`)
	require.Contains(t, string(b), `"fold":{"failed_call":-1,"rejected_fold":-1,"unfolded":-1,"unfolded_tokens":0,"never_folded":0}}`)
}

// Rollouts that nobody scored are not rollouts of one worth.
func TestNobodyScoredIsNoZeroSpread(t *testing.T) {
	o := credit.DefaultOptions()
	o.DropZeroSpread = true
	end := func(t *rollout.Turn) { t.Transition.Done = true }
	c, err := judge(chainsOf(t, logOf(sent(1, end)), logOf(sent(1, end))), credit.Estimator{Method: credit.TreeRL{}, Options: o})
	require.NoError(t, err)
	require.False(t, c.credit.ZeroSpread)
	require.Empty(t, c.left(c.tree.Node(1)))
	c, err = judge(chainsOf(t, logOf(sent(1, answers(1))), logOf(sent(1, answers(1)))), credit.Estimator{Method: credit.TreeRL{}, Options: o})
	require.NoError(t, err)
	require.Equal(t, "zero-spread", c.left(c.tree.Node(1)))
}
