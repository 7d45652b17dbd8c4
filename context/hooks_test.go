package contexts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/agent"
	contexts "focus/context"
	"focus/env"
	"focus/parser"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

// hooked is a user's own manager with every hook there is. It notes their calls.
type hooked struct {
	contexts.Base
	calls *[]string
	// got is what it was given to compact.
	got *contexts.Compaction
}

func (m hooked) note(format string, args ...any) {
	*m.calls = append(*m.calls, fmt.Sprintf(format, args...))
}

func (m hooked) Defaults() contexts.Defaults {
	return contexts.Defaults{MaxTokens: 70, FinalAnswer: true, Action: rollout.ActionToolCalls, BranchPoints: rollout.EveryDecision{}}
}

func (m hooked) CheckPolicy(policy.Policy) error { m.note("check policy"); return nil }

func (m hooked) Initialize(ctx context.Context, rs rollout.State, a contexts.Agent) (rollout.State, error) {
	m.note("initialize")
	return m.Base.Initialize(ctx, rs, a)
}

func (m hooked) Schemas() []rollout.ToolSchema {
	return []rollout.ToolSchema{{Name: "mine", Parameters: json.RawMessage(`{"type":"object"}`)}}
}

func (m hooked) Prepare(rs rollout.State, a contexts.Agent, tools []rollout.ToolSchema) (policy.Prompt, error) {
	m.note("prepare %d tools", len(tools))
	return m.Base.Prepare(rs, a, tools)
}

func (m hooked) ShouldCompact(rs rollout.State, p policy.Prompt, a contexts.Agent) bool {
	m.note("should compact")
	return m.Base.ShouldCompact(rs, p, a)
}

func (m hooked) Compact(_ context.Context, c contexts.Compaction) (contexts.Result, error) {
	m.note("compact")
	*m.got = c
	turn := rollout.NewTurn(rollout.NewTokens(1, 2), rollout.Completion{Tokens: []rollout.TokenID{3}})
	ep := c.State.(env.Episode[looked])
	ep.State.Pages = 70
	return contexts.Result{
		Messages: c.Seed, State: ep, Turns: []*rollout.Turn{turn}, Replaced: rollout.Span{Start: 2, End: 3},
	}, nil
}

func (m hooked) Relieve(state any) (any, error) {
	m.note("relieve")
	ep := state.(env.Episode[looked])
	ep.State.Pages++
	return m.Base.Relieve(ep)
}

func (m hooked) RecordReply(rs rollout.State, p policy.Prompt, reply rollout.Message, a contexts.Agent) rollout.State {
	m.note("record reply")
	return m.Base.RecordReply(rs, p, reply, a)
}

func (m hooked) Apply(ctx context.Context, rs rollout.State, action rollout.Action, a contexts.Agent, ending contexts.Ending) (contexts.Applied, error) {
	m.note("apply %s, ending %v", action.Kind(), ending)
	return m.Base.Apply(ctx, rs, action, a, ending)
}

// A manager of a user's own is asked in this order, and what it says is done.
func TestEveryHookIsCalled(t *testing.T) {
	m := hooked{Base: contexts.Base{Trigger: contexts.StateCounter{}}, calls: &[]string{}, got: &contexts.Compaction{}}
	a := playing(t, worldConfig{Want: "7", RoundCalls: 1, Workspace: true}, m, 2, look("a"), "7")
	require.Equal(t, rollout.EveryDecision{}, a.BranchPoints())
	s := play(t, a)
	require.Equal(t, []string{
		"check policy", "initialize",
		"prepare 2 tools", "should compact", "record reply", "apply tool_calls, ending false",
		"prepare 2 tools", "should compact", "compact", "relieve",
		"prepare 2 tools", "record reply", "apply text, ending true",
	}, *m.calls, "the policy is checked once; the final-answer turn does not compact")
	require.Equal(t, rollout.StopAnswered, s.Reason())
	require.Equal(t, 71, s.Env.(env.Episode[looked]).State.Pages, "the state that Compact returned, relieved")

	c := *m.got
	require.Equal(t, 4, len(c.Messages))
	require.Equal(t, s.Seed, c.Seed)
	require.Equal(t, 1, c.State.(env.Episode[looked]).State.Pages)
	require.Same(t, s.Workspace, c.Workspace)
	require.Same(t, a, c.Agent)
	require.Equal(t, 1, c.Rollout.Len(), "the checkpoint it starts from")
	require.Equal(t, contexts.ReasonThreshold, c.Reason)

	var turns []*rollout.Turn
	for turn := range s.Turns() {
		turns = append(turns, turn)
	}
	require.Len(t, turns, 3)
	require.Equal(t, rollout.TagFold, turns[1].Tag)
	require.True(t, turns[1].Accepted)
	require.Equal(t, rollout.Span{Start: 2, End: 3}, turns[1].Replaced)
	require.Equal(t, []int{0, 0, 1}, []int{turns[0].ContextVersion, turns[1].ContextVersion, turns[2].ContextVersion})
	require.Equal(t, 70, turns[0].Sampling.MaxTokens, "the manager's cap of a request")
}

// plain is a manager with the defaults and nothing else.
type plain struct{ contexts.Base }

func TestDefaultsOfAManager(t *testing.T) {
	require.False(t, contexts.Manages(plain{}))
	a := playing(t, worldConfig{Want: "7", RoundCalls: 1}, plain{}, 1, look("a"), "7")
	require.Equal(t, rollout.SparseCheckpoints{}, a.BranchPoints())
	require.Len(t, a.Tools(), 1, "no tools of the manager's")
	s := play(t, a)
	require.Equal(t, rollout.StopAnswered, s.Reason(), "a final-answer turn")
	require.Equal(t, 2, s.TurnsTaken())
	require.Equal(t, agent.DefaultMaxTokens, s.Last().Sampling.MaxTokens)
	state, err := contexts.Base{}.Relieve(3)
	require.NoError(t, err)
	require.Equal(t, 3, state)
	_, err = a.Compact(t.Context(), s)
	require.ErrorContains(t, err, "does not compact")
}

// What the agent is told takes precedence over what its manager would choose.
func TestTheAgentsOwnSettingsTakePrecedence(t *testing.T) {
	no := false
	m := hooked{Base: contexts.Base{}, calls: &[]string{}, got: &contexts.Compaction{}}
	a, err := agent.New(agent.Config{
		Policy: policytest.NewScripted(policytest.Say(look("a"))), Env: world(t, worldConfig{}), Context: m,
		Parser: parser.Hermes(), MaxTokens: 99, MaxSteps: 1, FinalAnswer: &no, BranchPoints: rollout.SparseCheckpoints{},
	})
	require.NoError(t, err)
	require.Equal(t, rollout.SparseCheckpoints{}, a.BranchPoints())
	s := play(t, a)
	require.Equal(t, rollout.StopMaxSteps, s.Reason())
	require.Equal(t, 1, s.TurnsTaken())
	require.Equal(t, 99, s.Last().Sampling.MaxTokens)
}
