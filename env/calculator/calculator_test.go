package calculator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/env"
	"focus/env/arith"
	"focus/env/calculator"
	"focus/env/envtest"
	"focus/env/expert"
	"focus/rollout"
)

func family(t *testing.T, cfg calculator.Config) *calculator.Family {
	t.Helper()
	f, err := calculator.New(cfg)
	require.NoError(t, err)
	return f
}

func TestConformance(t *testing.T) {
	for _, tc := range []struct {
		name string
		cfg  calculator.Config
	}{
		{"defaults", calculator.Config{}},
		{"a round of calls", calculator.Config{Limits: env.Limits{RoundCalls: 12}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			envtest.RunFamily(t, func(t *testing.T) env.Family { return family(t, tc.cfg) },
				func(t *testing.T, f env.Family, task rollout.Task) []rollout.Action {
					e, err := expert.New(calculator.Name, expert.Options{})
					require.NoError(t, err)
					script, err := expert.Script(t.Context(), e, task)
					require.NoError(t, err)
					return script
				})
		})
	}
}

// Invariant 2: every value on the way is in range, whatever the configuration.
func TestStepsStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := calculator.Config{
			MinOps: rapid.IntRange(1, 5).Draw(t, "min_ops"), MaxNumber: rapid.IntRange(2, 20).Draw(t, "max_number"),
		}
		cfg.MaxOps = rapid.IntRange(cfg.MinOps, 8).Draw(t, "max_ops")
		cfg.MaxValue = rapid.IntRange(4*cfg.MaxNumber, 5000).Draw(t, "max_value")
		f, err := calculator.New(cfg)
		if err != nil {
			t.Fatalf("configuration %+v: %v", cfg, err)
		}
		task := f.Task(rapid.Int64().Draw(t, "seed"), rapid.IntRange(0, 1000).Draw(t, "index"))
		p, err := env.MetaOf[calculator.Problem](task)
		if err != nil {
			t.Fatal(err)
		}
		e, err := arith.Parse(p.Expression)
		if err != nil {
			t.Fatalf("%s: %v", p.Expression, err)
		}
		ops := 0
		for ; e.Op != 0; ops++ {
			first := e.First()
			v, ok := first.Int()
			if !ok || v < 0 || v > int64(cfg.MaxValue) {
				t.Fatalf("%s: step %s has value %d, outside 0 to %d", p.Expression, first, v, cfg.MaxValue)
			}
			e = e.With(first, v)
		}
		if ops < cfg.MinOps || ops > cfg.MaxOps {
			t.Fatalf("%s: got %d operations, want %d to %d", p.Expression, ops, cfg.MinOps, cfg.MaxOps)
		}
	})
}

func TestCalls(t *testing.T) {
	f := family(t, calculator.Config{})
	one := 1.0
	zero := 0.0
	task := env.NewTask(calculator.Name, 1, 0, 1, calculator.Problem{Expression: "2*(3+4)"}, calculator.Truth{Answer: 14})
	for _, tc := range []struct {
		name, tool, arguments, want, cause string
		outcome                            *float64
	}{
		{"an operation", "calculator", `{"expression":"3+4"}`, "7", "", nil},
		{"in parentheses, with blanks", "calculator", `{"expression":"( 3 - 14 )"}`, "-11", "", nil},
		{"with signs", "calculator", `{"expression":"-3*-4"}`, "12", "", nil},
		{"two operations", "calculator", `{"expression":"2*(3+4)"}`, "error: one + - or * of two integers, such as 3*4", env.CauseRefused, nil},
		{"a number", "calculator", `{"expression":"14"}`, "error: one + - or * of two integers, such as 3*4", env.CauseRefused, nil},
		{"division", "calculator", `{"expression":"4/2"}`, "error: one + - or * of two integers, such as 3*4", env.CauseRefused, nil},
		{"no expression", "calculator", `{"expression":"three"}`, "error: cannot read the expression: number expected at 0", env.CauseRefused, nil},
		{"a huge product", "calculator", `{"expression":"999999999*999999999"}`, "999999998000000001", "", nil},
		{"the wrong type", "calculator", `{"expression":7}`, "error: calculator: expression: got number, want string", env.CauseBadArguments, nil},
		{"the wrong key", "calculator", `{"expr":"1+1"}`, "error: calculator: missing property 'expression'", env.CauseBadArguments, nil},
		{"the wrong tool", "calc", `{}`, `error: no tool "calc", only calculator, submit`, env.CauseUnknownTool, nil},
		{"the answer", "submit", `{"answer":14}`, "done", "", &one},
		{"a wrong answer", "submit", `{"answer":13}`, "done", "", &zero},
		{"an answer as a float", "submit", `{"answer":14.0}`, "error: answer cannot be a number 14.0", env.CauseBadArguments, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			start, err := f.Reset(t.Context(), task)
			require.NoError(t, err)
			_, tr, err := f.Step(t.Context(), start.World, rollout.Calls{Calls: []rollout.ToolCall{
				{ID: "c1", Name: tc.tool, Arguments: json.RawMessage(tc.arguments)},
			}})
			require.NoError(t, err)
			require.Len(t, tr.Observations, 1)
			require.Equal(t, tc.want, tr.Observations[0].Content)
			require.Equal(t, tc.outcome, tr.Outcome)
			require.Equal(t, tc.outcome != nil, tr.Done)
			if tc.cause == "" {
				require.Nil(t, tr.Failure)
				return
			}
			require.Equal(t, tc.cause, tr.Failure.Cause)
		})
	}
}

func TestFinish(t *testing.T) {
	f := family(t, calculator.Config{})
	task := env.NewTask(calculator.Name, 1, 0, 1, calculator.Problem{Expression: "2-9"}, calculator.Truth{Answer: -7})
	for _, tc := range []struct {
		name    string
		action  rollout.Action
		outcome float64
		stop    rollout.StopReason
	}{
		{"words", rollout.Text{Content: "2 - 9 is -7."}, 1, rollout.StopAnswered},
		{"wrong words", rollout.Text{Content: "it is 7"}, 0, rollout.StopAnswered},
		{"no number", rollout.Text{Content: "?"}, 0, rollout.StopAnswered},
		{"a submit", rollout.Calls{Calls: []rollout.ToolCall{{Name: "submit", Arguments: json.RawMessage(`{"answer":-7}`)}}}, 1, rollout.StopAnswered},
		{"another call", rollout.Calls{Calls: []rollout.ToolCall{{Name: "calculator", Arguments: json.RawMessage(`{"expression":"2-9"}`)}}}, 0, rollout.StopMaxSteps},
		{"an invalid action", rollout.Invalid{Feedback: "no"}, 0, rollout.StopMaxSteps},
	} {
		t.Run(tc.name, func(t *testing.T) {
			start, err := f.Reset(t.Context(), task)
			require.NoError(t, err)
			_, tr, err := f.Finish(t.Context(), start.World, tc.action)
			require.NoError(t, err)
			require.NotNil(t, tr.Outcome)
			require.Equal(t, tc.outcome, *tr.Outcome)
			require.Equal(t, tc.stop, tr.Stop)
		})
	}
}

func TestSplitsShareNoProblem(t *testing.T) {
	sides := map[env.Split]map[string]bool{env.SplitTrain: {}, env.SplitHeldOut: {}}
	for side, keys := range sides {
		f := family(t, calculator.Config{MaxOps: 2, MaxNumber: 4, Split: side})
		for i := range 300 {
			key, err := calculator.Key(f.Task(int64(i%3), i))
			require.NoError(t, err)
			keys[key] = true
		}
	}
	for key := range sides[env.SplitTrain] {
		require.False(t, sides[env.SplitHeldOut][key], "%s is on both sides", key)
	}
}

func TestBadTasks(t *testing.T) {
	f := family(t, calculator.Config{})
	for _, tc := range []struct{ name, meta, truth, want string }{
		{"no meta", ``, `{"answer":1}`, "meta of task t"},
		{"no expression", `{}`, `{"answer":1}`, "expression"},
		{"another answer", `{"expression":"1+1"}`, `{"answer":3}`, "the answer of 1+1 is not 3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := f.Reset(t.Context(), rollout.Task{ID: "t", Meta: json.RawMessage(tc.meta), Truth: json.RawMessage(tc.truth)})
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestValidateReportsEveryProblem(t *testing.T) {
	err := calculator.Config{
		MinOps: 9, MaxOps: 8, MaxNumber: 1, MaxValue: -1, Split: "half", Limits: env.Limits{Parallel: -1},
	}.Validate()
	require.Error(t, err)
	for _, key := range []string{"min_ops", "max_number", "max_value", "split", "limits.parallel"} {
		require.Contains(t, err.Error(), key)
	}
	require.Len(t, strings.Split(err.Error(), "\n"), 5)
}
