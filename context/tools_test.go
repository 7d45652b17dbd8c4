package contexts_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	contexts "focus/context"
	"focus/rollout"
)

// forget is a user's own operation: nothing after the task is kept.
func forget(err error) contexts.Operation {
	return contexts.Operation{
		Schema: rollout.ToolSchema{Name: "forget", Parameters: json.RawMessage(`{"type":"object"}`)},
		Run: func(_ context.Context, c contexts.OperationCall) (contexts.Operated, error) {
			if err != nil {
				return contexts.Operated{}, err
			}
			last := c.Rollout.Messages.At(c.Rollout.Messages.Len() - 1)
			return contexts.Operated{Rollout: c.Rollout.Rewritten(append(c.Rollout.Seed[:2:2], last)), Result: "gone", Effect: "forgot"}, nil
		},
	}
}

func tools(t testing.TB, ops ...contexts.Operation) *contexts.ContextTools {
	t.Helper()
	m, err := contexts.NewContextTools(ops...)
	require.NoError(t, err)
	return m
}

func TestAUsersOwnOperation(t *testing.T) {
	m := tools(t, forget(nil))
	require.True(t, contexts.Manages(m))
	s := play(t, playing(t, worldConfig{Want: "7"}, m, 8, look("a"), call("forget", "{}"), "7"))
	require.Equal(t, rollout.StopAnswered, s.Reason())
	require.Equal(t, 1, s.ContextVersion)
	require.Equal(t, 3, s.TurnsTaken(), "an operation is a turn and a step")
	require.Equal(t, 5, s.Messages.Len())
	require.Equal(t, "gone", s.Messages.At(3).Content)
	require.Len(t, rollout.Regions(s.Turns()), 2, "a rewritten context starts a region")

	done, err := m.Operation(t.Context(), s, "forget", nil, nil)
	require.NoError(t, err)
	require.Equal(t, "forgot", done.Effect)
	_, err = m.Operation(t.Context(), s, "other", nil, nil)
	var wrong *contexts.Error
	require.ErrorAs(t, err, &wrong)
	require.Contains(t, wrong.Message, `"other"`)
}

func TestAContextErrorIsAnObservation(t *testing.T) {
	m := tools(t, forget(&contexts.Error{Message: "Not now."}))
	s := play(t, playing(t, worldConfig{Want: "7"}, m, 8, call("forget", "{}"), "7"))
	require.Equal(t, rollout.StopAnswered, s.Reason())
	require.Zero(t, s.ContextVersion)
	require.Equal(t, "Not now.", s.Messages.At(3).Content)
	for turn := range s.Turns() {
		require.Equal(t, contexts.CauseContextError, turn.Transition.Failure.Cause)
		require.Equal(t, rollout.FailureVisible, turn.Transition.Failure.Class)
		break
	}

	broken := errors.New("broken")
	a := playing(t, worldConfig{}, tools(t, forget(broken)), 8, call("forget", "{}"))
	start, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	_, err = a.Run(t.Context(), start)
	require.ErrorIs(t, err, broken, "anything else is no fault of the model's")
}

func TestContextToolsRefuseNamesTheyCannotTell(t *testing.T) {
	for _, ops := range [][]contexts.Operation{{{}}, {{Schema: rollout.ToolSchema{Name: "x"}}}, {forget(nil), forget(nil)}} {
		_, err := contexts.NewContextTools(ops...)
		require.ErrorContains(t, err, "needs a Run and a name of its own")
	}
	op := forget(nil)
	op.Schema.Name = "look"
	a := playing(t, worldConfig{}, tools(t, op), 8, "x")
	_, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.ErrorContains(t, err, `two tools are named "look"`)
}

// Whatever range a model asks for, no call loses its results and the reply stays
// last.
func TestDropSplitsNoCall(t *testing.T) {
	m := tools(t)
	rapid.Check(t, func(rt *rapid.T) {
		s := rollout.NewState(rollout.Task{ID: "t"}, []rollout.Message{rollout.User("task")}, nil, nil)
		for range rapid.IntRange(0, 6).Draw(rt, "turns") {
			c := rollout.ToolCall{ID: "call_0", Name: "f", Arguments: json.RawMessage("{}")}
			reply := rollout.Assistant("")
			results := rapid.IntRange(0, 2).Draw(rt, "results")
			for range results {
				reply.ToolCalls = append(reply.ToolCalls, c)
			}
			s = s.WithMessages(reply)
			for range results {
				s = s.WithMessages(rollout.ToolResult(c, "r"))
			}
		}
		s = s.WithMessages(rollout.Assistant("the call"))
		args, err := json.Marshal(map[string]int{"from": rapid.IntRange(-1, 20).Draw(rt, "from"), "to": rapid.IntRange(-1, 20).Draw(rt, "to")})
		require.NoError(rt, err)
		done, err := m.Operation(t.Context(), s, "drop_messages", args, nil)
		if err != nil {
			var wrong *contexts.Error
			require.ErrorAs(rt, err, &wrong)
			require.Equal(rt, s, done.Rollout)
			return
		}
		open := 0
		for i, msg := range done.Rollout.Messages.All() {
			if msg.Role == rollout.RoleTool {
				open--
			} else {
				require.Zero(rt, open, "message %d", i)
				open = len(msg.ToolCalls)
			}
		}
		require.Zero(rt, open)
		require.Equal(rt, "the call", done.Rollout.Messages.At(done.Rollout.Messages.Len()-1).Content)
		require.Less(rt, done.Rollout.Messages.Len(), s.Messages.Len())
	})
}
