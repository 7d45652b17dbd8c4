package envtest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/rollout"
)

// maxObservation is far above any limit an environment should set.
const maxObservation = 1 << 20

// checkFinish ends an episode at every position with every kind of reply.
func checkFinish(t *testing.T, e env.Env, c Case) {
	fresh := worlds(t, e, c.Task)
	for _, a := range append(hostileActions(e), c.Script...) {
		w := fresh()
		_, tr, err := e.Finish(t.Context(), w, a)
		require.NoError(t, err, "finish with %#v", a)
		sound(t, a, tr)
		require.True(t, tr.Done, "finish with %#v", a)
		answersCalls(t, a, tr)
	}
}

// checkHostile does what a bad policy does: nothing of it is an error, and the
// policy is told, or the episode ends.
func checkHostile(t *testing.T, e env.Env, c Case) {
	fresh := worlds(t, e, c.Task)
	for _, a := range hostileActions(e) {
		w := fresh()
		next, tr := step(t, e, w, a)
		answersCalls(t, a, tr)
		if tr.Done {
			continue
		}
		if chunk, ok := a.(rollout.TokenChunk); ok && !chunk.Final {
			require.Empty(t, tr.Observations, "a part of a reply is not answered")
		} else {
			require.NotEmpty(t, tr.Observations, "nothing was said to %#v", a)
		}
		size := 0
		for _, o := range tr.Observations {
			size += len(o.Content)
		}
		require.Less(t, size, maxObservation, "observations of %#v", a)
		// The episode goes on: the script still plays, or at least steps.
		step(t, e, next, c.Script[0])
	}
}

// answersCalls checks that each call has one result, in order.
func answersCalls(t *testing.T, a rollout.Action, tr *rollout.Transition) {
	calls, ok := a.(rollout.Calls)
	if !ok || len(calls.Calls) == 0 {
		return
	}
	var ids, want []string
	for _, o := range tr.Observations {
		if o.Role == rollout.RoleTool {
			ids = append(ids, o.ToolCallID)
		}
	}
	for _, call := range calls.Calls {
		want = append(want, call.ID)
	}
	require.Equal(t, want, ids, "results of %#v", a)
}

func hostileActions(e env.Env) []rollout.Action {
	call := func(name, arguments string) rollout.ToolCall {
		return rollout.ToolCall{ID: name + arguments[:min(8, len(arguments))], Name: name, Arguments: json.RawMessage(arguments)}
	}
	one := func(name, arguments string) rollout.Action {
		return rollout.Calls{Calls: []rollout.ToolCall{call(name, arguments)}}
	}
	out := []rollout.Action{
		rollout.Text{}, rollout.Text{Content: "\xff\xfe I do not know."}, rollout.Text{Content: strings.Repeat("(", 1<<16)},
		rollout.TokenChunk{Tokens: []rollout.TokenID{1}, Reply: "a"}, rollout.TokenChunk{Final: true, Reply: "b"},
		rollout.Invalid{Status: rollout.ParseMalformed, Feedback: "the call is not JSON \xff"},
		rollout.Invalid{Status: rollout.ParseTruncated, Feedback: strings.Repeat("é", 1<<16)},
		rollout.Calls{Content: "no call at all"},
		one("no_such_tool", `{}`), one("", `{}`), one(strings.Repeat("x", 1<<16), `{}`), one("\xff\xff", `{}`),
	}
	tooled, ok := e.(env.Tooled)
	if !ok {
		return out
	}
	var all []rollout.ToolCall
	for _, s := range tooled.Tools() {
		for _, arguments := range []string{
			"", "null", "[]", "7", `"text"`, "{", `{"a":`, "{}{}", `{"":null}`, `{"no_such_key":1}`,
			`{"n":1e999999999}`, `{"n":-0e-999999999}`, strings.Repeat(`{"a":`, 20000), "\xff",
		} {
			out = append(out, one(s.Name, arguments))
		}
		all = append(all, call(s.Name, `{"no_such_key":1}`))
	}
	for range 6 {
		all = append(all, all[:min(len(all), 8)]...)
	}
	return append(out, rollout.Calls{Calls: all})
}
