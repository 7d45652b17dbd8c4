package agent

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/env"
	"focus/policy/policytest"
	"focus/rollout"
)

// keepLast keeps the seed and the last message.
type keepLast struct {
	contexts.Base
	fail error
}

func (m keepLast) Compact(_ context.Context, c contexts.Compaction) (contexts.Result, error) {
	kept := append(append([]rollout.Message{}, c.Seed...), c.Messages[len(c.Messages)-1])
	return contexts.Result{Messages: kept, State: c.State}, m.fail
}

func TestCompactionCostsAStepAndStartsARegion(t *testing.T) {
	m := keepLast{Base: contexts.Base{Trigger: contexts.PromptTokens{Max: 230}}}
	a := made(t, Config{Policy: policytest.NewScripted(policytest.Say(add(1), add(1), add(1), add(1), "four")), Context: m, MaxSteps: 6})
	s := played(t, a)
	require.Equal(t, rollout.StopAnswered, s.Reason())
	require.Equal(t, 4.0, reward(t, s), "the task state survives")
	require.Positive(t, s.Compactions)
	require.Equal(t, s.Compactions, s.ContextVersion)
	require.Equal(t, s.TurnsTaken()+s.Compactions, s.Steps())
	require.Len(t, rollout.Regions(s.Turns()), 1+s.Compactions)
}

func TestTriggerThatIsNotRelievedEndsTheRollout(t *testing.T) {
	m := keepLast{Base: contexts.Base{Trigger: contexts.PromptTokens{Max: 100}}}
	s := played(t, made(t, Config{Policy: policytest.NewScripted(policytest.Say(add(1))), Context: m}))
	require.Equal(t, rollout.StopFailed, s.Reason(), "before the first turn it is not the policy's doing")
	require.Equal(t, string(rollout.StopFoldStuck), s.Failure.Cause)
}

func TestRejectedFoldKeepsItsTurns(t *testing.T) {
	fold := rollout.NewTurn(rollout.NewTokens(1, 2), rollout.Completion{Tokens: []rollout.TokenID{3}})
	m := keepLast{Base: contexts.Base{Trigger: contexts.PromptTokens{Max: 230}}}
	m.fail = &contexts.IncompleteError{Turns: []*rollout.Turn{fold}, Reasons: []string{"empty"}}
	s := played(t, made(t, Config{Policy: policytest.NewScripted(policytest.Say(add(1))), Context: m}))
	require.Equal(t, rollout.StopFoldFailed, s.Reason())
	last := s.Last()
	require.Equal(t, rollout.TagFold, last.Tag)
	require.Nil(t, last.Transition)
	require.False(t, last.Accepted)
	require.Equal(t, rollout.TagTask, fold.Tag, "the fold's own turn is not edited")
	require.Positive(t, reward(t, s))

	m.fail = errors.New("disk")
	a := made(t, Config{Policy: policytest.NewScripted(policytest.Say(add(1))), Context: m})
	start, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	_, err = a.Run(t.Context(), start)
	require.ErrorIs(t, err, m.fail)
}

func TestDerive(t *testing.T) {
	a := made(t, Config{Policy: policytest.NewScripted(policytest.Say("notes")), MaxTokens: 64})
	r, err := a.Derive(counting{}, contexts.Derivation{MaxSteps: 2, MaxTokens: 16})
	require.NoError(t, err)
	s, err := r.Run(t.Context(), rollout.NewState(rollout.Task{ID: "t"}, []rollout.Message{rollout.User("sum up")}, 0, nil))
	require.NoError(t, err)
	require.Equal(t, rollout.TagFold, s.Last().Tag)
	require.Equal(t, 16, s.Last().Sampling.MaxTokens)

	_, err = a.Derive(counting{}, contexts.Derivation{Context: keepLast{Base: contexts.Base{Trigger: contexts.PromptTokens{}}}})
	require.ErrorContains(t, err, "never folds")
}

// A fork of a rollout goes on by itself, and its noise is its own.
func TestForkedRolloutsGoOnApart(t *testing.T) {
	a := made(t, Config{Policy: policytest.NewScripted(policytest.Say(add(1), add(10), add(100), "x", "x")), Env: env.Env(counting{tools: true})})
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	root, err := a.Step(t.Context(), s)
	require.NoError(t, err)
	left, err := root.Fork("0.0")
	require.NoError(t, err)
	right, err := root.Fork("0.1")
	require.NoError(t, err)
	left, err = a.Step(t.Context(), left)
	require.NoError(t, err)
	right, err = a.Step(t.Context(), right)
	require.NoError(t, err)
	require.Equal(t, 11, left.Env)
	require.Equal(t, 101, right.Env)
	require.Equal(t, 1, root.Env)
	require.NotEqual(t, left.Last().Sampling.Seed, right.Last().Sampling.Seed)
	edge, err := right.Edge(root)
	require.NoError(t, err)
	require.Len(t, edge, 1)
}

// asking compacts as told, on a full window too.
type asking struct {
	keepLast
	overflow bool
	asked    *[]contexts.Reason
}

func (m asking) CompactsOnOverflow() bool { return m.overflow }

func (m asking) Compact(ctx context.Context, c contexts.Compaction) (contexts.Result, error) {
	*m.asked = append(*m.asked, c.Reason)
	return m.keepLast.Compact(ctx, c)
}

func TestAFullWindowIsCompactedOnce(t *testing.T) {
	for _, tc := range []struct {
		name        string
		overflow    bool
		fail        error
		window      int
		steps       int
		want        rollout.StopReason
		compactions int
	}{
		{"compacted, and asked again", true, nil, 270, 8, rollout.StopAnswered, 1},
		{"on the final-answer turn", true, nil, 300, 2, rollout.StopAnswered, 1},
		{"of no use on the final-answer turn", true, nil, 250, 2, rollout.StopContextFull, 1},
		{"a manager that does not", false, nil, 270, 8, rollout.StopContextFull, 0},
		{"declined", true, contexts.ErrDeclined, 270, 8, rollout.StopContextFull, 0},
		{"declined on the final-answer turn", true, contexts.ErrDeclined, 300, 2, rollout.StopContextFull, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var asked []contexts.Reason
			m := asking{keepLast{fail: tc.fail}, tc.overflow, &asked}
			pol := policytest.NewScriptedWindow(policytest.Say(add(1), add(1), "two"), tc.window)
			s := played(t, made(t, Config{Policy: pol, Context: m, MaxSteps: tc.steps}))
			require.Equal(t, tc.want, s.Reason())
			require.Equal(t, tc.compactions, s.Compactions)
			require.LessOrEqual(t, len(asked), 1, "one compaction and one retry")
			for _, why := range asked {
				require.Equal(t, contexts.ReasonOverflow, why)
			}
		})
	}
}

// A derived agent's turns count as its steps, whatever their tag.
func TestADerivedAgentRunsOutOfSteps(t *testing.T) {
	a := made(t, Config{Policy: policytest.NewScripted(policytest.Say(add(1)))})
	r, err := a.Derive(counting{tools: true}, contexts.Derivation{MaxSteps: 3, FinalInstruction: "Stop."})
	require.NoError(t, err)
	s, err := r.Run(t.Context(), rollout.NewState(rollout.Task{ID: "t"}, []rollout.Message{rollout.User("sum up")}, 0, nil))
	require.NoError(t, err)
	require.Equal(t, 4, s.Len(), "three steps and the final-answer turn")
	require.Contains(t, s.Messages.AppendTo(nil), rollout.User("Stop."))
}
