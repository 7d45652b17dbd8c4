package env_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"focus/env"
	"focus/env/envtest"
	"focus/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	memory, err := env.MemoryWorkspaces(env.MemoryConfig{})
	require.NoError(t, err)
	directories, err := env.DirectoryWorkspaces(env.DirectoryConfig{Parent: t.TempDir()})
	require.NoError(t, err)
	script := []rollout.Action{
		calls("add", `{"n":2}`, "get", `{}`, "put", `{"n":7}`),
		calls("nothing", `{}`, "refuse", `{}`),
		rollout.Text{Content: "hm"},
		calls("add", `{"n":3}`, "put", `{"n":8}`, "big", `{"n":20000}`),
		calls("get", `{}`, "win", `{"n":0}`, "get", `{}`),
	}
	for _, tc := range []struct {
		name       string
		workspaces env.Workspaces
	}{{"none", env.NoWorkspaces()}, {"memory", memory}, {"directory", directories}} {
		t.Run(tc.name, func(t *testing.T) {
			envtest.Run(t, func(t *testing.T) env.Env {
				return newLedger(t, func(c *env.ToolConfig[ledger]) {
					c.Workspaces, c.Limits.RoundCalls = tc.workspaces, 20
					// These two are not of a sound world.
					c.Tools = withoutTools(c.Tools, "hold", "broken")
				})
			}, envtest.Case{Task: rollout.Task{ID: "t", Seed: 4}, Script: script})
		})
	}
}

func withoutTools(tools []env.Tool[ledger], names ...string) []env.Tool[ledger] {
	var out []env.Tool[ledger]
	for _, t := range tools {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+t.Schema.Name+" ") {
			out = append(out, t)
		}
	}
	return out
}

// What goes wrong with a call is an observation, has a cause, and leaves the
// state as it was.
func TestFailuresAreObservations(t *testing.T) {
	for _, tc := range []struct {
		name, tool, arguments, want, cause string
		ran                                int
	}{
		{"an unknown tool", "set", `{}`, `error: no tool "set", only get, add, put, wait, hold, boom, big, garbled, refuse, broken, win`, env.CauseUnknownTool, 0},
		{"no arguments", "add", ``, "error: add: arguments are not JSON", env.CauseBadArguments, 0},
		{"half an object", "add", `{"n":`, "error: add: arguments are not JSON", env.CauseBadArguments, 0},
		{"two objects", "add", `{"n":1}{"n":2}`, "error: add: arguments are not JSON", env.CauseBadArguments, 0},
		{"a list", "add", `[1]`, "error: add: arguments must be an object", env.CauseBadArguments, 0},
		{"a missing key", "add", `{}`, "error: add: missing property 'n'", env.CauseBadArguments, 0},
		{"another key", "add", `{"m":1,"n":1}`, "error: add: additional properties 'm' not allowed", env.CauseBadArguments, 0},
		{"three mistakes of five", "add", `{"a":1,"b":{},"n":"x"}`, "error: add: additional properties 'a', 'b' not allowed; n: got string, want integer", env.CauseBadArguments, 0},
		{"below the least", "add", `{"n":-1}`, "error: add: n: minimum: got -1, want 0", env.CauseBadArguments, 0},
		{"a number that would fill the memory", "add", `{"n":1e999999999}`, "error: add: a number is out of range", env.CauseBadArguments, 0},
		{"one that rounds to nothing", "add", `{"n":1e-999999999}`, "error: add: a number is out of range", env.CauseBadArguments, 0},
		{"one with too many digits", "add", `{"n":0.` + strings.Repeat("0", 500) + `1}`, "error: add: a number is out of range", env.CauseBadArguments, 0},
		{"too many bytes", "add", `{"n":` + strings.Repeat(" ", 1<<16) + `1}`, "error: add: arguments are over 65536 bytes", env.CauseBadArguments, 0},
		{"an integer in float form", "add", `{"n":1.0}`, "error: n cannot be a number 1.0", env.CauseBadArguments, 1},
		{"a panic", "boom", `{}`, "error: boom crashed on these arguments", env.CauseToolPanic, 1},
		{"a refusal", "refuse", `{}`, "error: not today", env.CauseRefused, 1},
		{"a long result", "big", `{"n":20}`, strings.Repeat("é", 15) + "\n[cut: 30 of 40 bytes shown]", env.CauseResultTooLong, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := newLedger(t, func(c *env.ToolConfig[ledger]) {
				if tc.cause == env.CauseResultTooLong {
					c.Limits.ResultBytes = 31
				}
			})
			w := begin(t, e)
			next, tr := step(t, e, w, calls(tc.tool, tc.arguments))
			require.Equal(t, []string{tc.want}, said(tr))
			require.Equal(t, rollout.RoleTool, tr.Observations[0].Role)
			require.Equal(t, "c0", tr.Observations[0].ToolCallID)
			require.Equal(t, rollout.FailureVisible, tr.Failure.Class)
			require.Equal(t, tc.cause, tr.Failure.Cause)
			require.LessOrEqual(t, len(tr.Failure.Detail), 500)
			require.Equal(t, tc.ran, tr.ToolCalls)
			require.Equal(t, w, next)
			require.False(t, tr.Done)
		})
	}
}

func TestResultsAreValidUTF8(t *testing.T) {
	e := newLedger(t, nil)
	_, tr := step(t, e, begin(t, e), calls("garbled", `{}`))
	require.Equal(t, []string{"a\uFFFDb"}, said(tr))
	require.Nil(t, tr.Failure)
}

// A broken world is an error with a cause, not an observation and not a score.
func TestBrokenToolIsAnError(t *testing.T) {
	e := newLedger(t, nil)
	_, tr, err := e.Step(t.Context(), begin(t, e), calls("get", `{}`, "broken", `{}`))
	require.ErrorContains(t, err, "tool broken: disk on fire")
	require.Nil(t, tr)
	require.Equal(t, "tool_broken", rollout.InfrastructureFailure(err, "env").Cause)
}

func TestCallsOfATurn(t *testing.T) {
	for _, tc := range []struct {
		name   string
		calls  rollout.Calls
		want   []string
		reward float64
		ran    int
		cause  string
		done   bool
	}{
		{"see what came before them", calls("get", `{}`, "add", `{"n":2}`, "get", `{}`, "add", `{"n":3}`, "get", `{}`),
			[]string{"0", "ok", "2", "ok", "5"}, 1, 5, "", false},
		{"go on after a failure", calls("add", `{"n":2}`, "boom", `{}`, "nothing", `{}`, "get", `{}`),
			[]string{"ok", "error: boom crashed on these arguments", `error: no tool "nothing", only get, add, put, wait, hold, boom, big, garbled, refuse, broken, win`, "2"},
			0.5, 3, env.CauseToolPanic, false},
		{"stop at the end", calls("get", `{}`, "win", `{"n":1}`, "add", `{"n":1}`, "nothing", `{}`),
			[]string{"0", "won", "not run: the episode has ended", "not run: the episode has ended"}, 0, 2, "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := newLedger(t, nil)
			_, tr := step(t, e, begin(t, e), tc.calls)
			require.Equal(t, tc.want, said(tr))
			require.Equal(t, tc.ran, tr.ToolCalls)
			require.Equal(t, tc.done, tr.Done)
			if tc.reward > 0 {
				require.Equal(t, tc.reward, *tr.Reward)
			}
			if tc.cause == "" {
				require.Nil(t, tr.Failure)
				return
			}
			require.Equal(t, tc.cause, tr.Failure.Cause)
		})
	}
}

func TestTooManyCallsOfATurn(t *testing.T) {
	e := newLedger(t, func(c *env.ToolConfig[ledger]) { c.Limits.TurnCalls = 2 })
	_, tr := step(t, e, begin(t, e), calls("add", `{"n":1}`, "add", `{"n":1}`, "win", `{"n":1}`))
	require.Equal(t, []string{"ok", "ok", "error: at most 2 calls run in one turn"}, said(tr))
	require.Equal(t, env.CauseTooManyCalls, tr.Failure.Cause)
}

func TestWords(t *testing.T) {
	judge := func(s ledger, reply string) float64 { return float64(len(reply)) }
	for _, tc := range []struct {
		name    string
		change  func(*env.ToolConfig[ledger])
		action  rollout.Action
		want    []string
		cause   string
		outcome float64
	}{
		{"are met with a nudge", nil, rollout.Text{Content: "hm"}, []string{"Call a tool."}, env.CauseNoCall, 0},
		{"with the game's own", func(c *env.ToolConfig[ledger]) { c.Nudge, c.Answer = "Act.", judge }, rollout.Text{Content: "hm"}, []string{"Act."}, env.CauseNoCall, 0},
		{"are an answer", func(c *env.ToolConfig[ledger]) { c.Answer, c.AnswerEnds = judge, true }, rollout.Text{Content: "four"}, nil, "", 4},
		{"beside no call", func(c *env.ToolConfig[ledger]) { c.Answer, c.AnswerEnds = judge, true }, rollout.Calls{Content: "four"}, nil, "", 4},
		{"in chunks, whole", func(c *env.ToolConfig[ledger]) { c.Answer, c.AnswerEnds = judge, true }, rollout.TokenChunk{Reply: "four", Final: true}, nil, "", 4},
		{"an invalid action is told why", nil, rollout.Invalid{Status: rollout.ParseTruncated, Feedback: "the call was cut"}, []string{"the call was cut"}, env.CauseInvalidAction, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := newLedger(t, tc.change)
			_, tr := step(t, e, begin(t, e), tc.action)
			require.Equal(t, tc.want, said(tr))
			for _, o := range tr.Observations {
				require.Equal(t, rollout.RoleUser, o.Role)
			}
			if tc.cause != "" {
				require.Equal(t, tc.cause, tr.Failure.Cause)
				require.False(t, tr.Done)
				return
			}
			require.True(t, tr.Done)
			require.Equal(t, rollout.StopAnswered, tr.Stop)
			require.Equal(t, tc.outcome, *tr.Outcome)
		})
	}
}

func TestScoreWithoutAnAnswer(t *testing.T) {
	e := newLedger(t, nil)
	w := begin(t, e)
	got, err := e.Score(t.Context(), w)
	require.NoError(t, err)
	require.Equal(t, -1.0, *got)
	_, tr, err := e.Finish(t.Context(), w, rollout.Text{Content: "hm"})
	require.NoError(t, err)
	require.Equal(t, -1.0, *tr.Outcome)
	require.Equal(t, rollout.StopMaxSteps, tr.Stop)
	ended, _ := step(t, e, w, calls("win", `{"n":0}`))
	got, err = e.Score(t.Context(), ended)
	require.NoError(t, err)
	require.Nil(t, got, "the transition has the outcome; a second one would be added to it")
}

func TestCancelledWhileCalling(t *testing.T) {
	e := newLedger(t, nil)
	w := begin(t, e)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, _, err := e.Step(ctx, w, calls("wait", `{"n":100000}`))
		done <- err
	}()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestNewToolEnvReportsEveryProblem(t *testing.T) {
	get := ledgerTools(stubborn{})[0]
	remote := get
	remote.Schema = rollout.ToolSchema{Name: "remote", Parameters: json.RawMessage(`{"$ref":"http://elsewhere.example/s.json"}`)}
	garbage := get
	garbage.Schema = rollout.ToolSchema{Name: "garbage", Parameters: json.RawMessage(`{"type":7}`)}
	_, err := env.NewToolEnv(env.ToolConfig[ledger]{
		Name: "bad", Tools: []env.Tool[ledger]{get, get, {}, remote, garbage}, Limits: env.Limits{Grace: -1},
	})
	for _, want := range []string{"environment bad", "no Open", `tool 1, "get"`, `tool 2, ""`, `tool "remote"`, `tool "garbage"`, "limits.grace"} {
		require.ErrorContains(t, err, want)
	}
}

// Whatever the arguments, there is one bounded, valid observation or a state
// that the schema allows.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"n":1}`, `{"n":1.5}`, `{"n":1e400}`, `{"N":1}`, `{"n":1,"n":-1}`, `{"n":null}`, "{", "\xff", `{"n":"\ud800"}`} {
		f.Add(s)
	}
	e, err := env.NewToolEnv(ledgerConfig(stubborn{}))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		w := begin(t, e)
		next, tr := step(t, e, w, calls("add", arguments))
		again, twice := step(t, e, w, calls("add", arguments))
		require.Equal(t, said(tr), said(twice), "arguments %q", arguments)
		require.Equal(t, next, again)
		require.Len(t, tr.Observations, 1)
		total := next.State.(env.Episode[ledger]).State.Total
		if tr.Failure != nil {
			require.Zero(t, total, "arguments %q failed and changed the state", arguments)
			require.Less(t, len(tr.Observations[0].Content), 17<<10)
			return
		}
		require.True(t, json.Valid([]byte(arguments)), "arguments %q ran", arguments)
		require.True(t, total >= 0 && total <= 100000, "arguments %q gave %d, which the schema forbids", arguments, total)
	})
}
