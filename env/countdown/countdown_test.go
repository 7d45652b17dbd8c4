package countdown_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/env"
	"focus/env/arith"
	"focus/env/countdown"
	"focus/env/envtest"
	"focus/env/expert"
	"focus/rollout"
)

func family(t *testing.T, cfg countdown.Config) *countdown.Family {
	t.Helper()
	f, err := countdown.New(cfg)
	require.NoError(t, err)
	return f
}

func TestConformance(t *testing.T) {
	envtest.RunFamily(t, func(t *testing.T) env.Family { return family(t, countdown.Config{}) },
		func(t *testing.T, f env.Family, task rollout.Task) []rollout.Action {
			e, err := expert.New(countdown.Name, expert.Options{})
			require.NoError(t, err)
			script, err := expert.Script(t.Context(), e, task)
			require.NoError(t, err)
			return script
		})
}

func TestCheck(t *testing.T) {
	p := countdown.Problem{Numbers: []int64{2, 3, 8, 8}, Target: 3}
	for _, tc := range []struct {
		name, reply, want string
	}{
		{"right", "8-3-2", ""},
		{"with its value", "8 - 3 - 2 = 3", ""},
		{"on the last line", "I try 8+8\nno\n\n  8-3-2 \n\n", ""},
		{"a number alone", "3", ""},
		{"through a fraction", "8/(8/3)", ""},
		{"an equal number twice", "8/8*3", ""},
		{"a number used too often", "3*2/2", "2 is not given, or is used too often"},
		{"a number not given", "1+2", "1 is not given"},
		{"another value", "8-3", "the value is 5"},
		{"a fraction beside it", "8/3", "the value is 8/3"},
		{"division by zero", "3/(8-8)", "division by zero"},
		{"a right side that lies", "8-3-2=4", "the right side is not the target"},
		{"a right side that computes", "8-3-2=2+1", "the right side is not the target"},
		{"two right sides", "8-3-2=3=3", "read right side"},
		{"a sign on a number", "8+-3-2", "-3 is not given"},
		{"a sum that smuggles a zero", "-(2-8)-3", "0 is not given"},
		{"nothing", "", "read answer"},
		{"words", "eight minus three", "read answer"},
		{"right, then words", "8-3-2\nDone.", "read answer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := countdown.Check(p, tc.reply)
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// A reply that arrives in chunks is judged once, whole.
func TestChunksAreJudgedAtTheEnd(t *testing.T) {
	f := family(t, countdown.Config{})
	task := env.NewTask(countdown.Name, 1, 0, 1, countdown.Problem{Numbers: []int64{2, 3, 8}, Target: 14}, countdown.Truth{Solution: "2*3+8"})
	start, err := f.Reset(t.Context(), task)
	require.NoError(t, err)
	require.Equal(t, "2 3 8\n14", start.Messages[1].Content)
	w := start.World
	var tr *rollout.Transition
	for _, chunk := range []rollout.TokenChunk{
		{Tokens: []rollout.TokenID{1, 2}, Reply: "2*3"}, {Tokens: []rollout.TokenID{3}, Reply: "2*3+"},
	} {
		w, tr, err = f.Step(t.Context(), w, chunk)
		require.NoError(t, err)
		require.False(t, tr.Done)
		require.Nil(t, tr.Outcome)
		require.Empty(t, tr.Observations)
	}
	_, tr, err = f.Step(t.Context(), w, rollout.TokenChunk{Tokens: []rollout.TokenID{4}, Reply: "2*3+8", Final: true})
	require.NoError(t, err)
	require.True(t, tr.Done)
	require.Equal(t, 1.0, *tr.Outcome)
	require.Equal(t, rollout.StopAnswered, tr.Stop)
}

// Invariant 1: a task has a solution, and so does the solver.
func TestTasksAreSolvable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := countdown.Config{
			MinNumbers: rapid.IntRange(2, 4).Draw(t, "min_numbers"), MaxNumber: rapid.IntRange(6, 30).Draw(t, "max_number"),
		}
		cfg.MaxNumbers = rapid.IntRange(cfg.MinNumbers, 5).Draw(t, "max_numbers")
		cfg.MaxTarget = rapid.IntRange(cfg.MaxNumber, 300).Draw(t, "max_target")
		f, err := countdown.New(cfg)
		if err != nil {
			t.Fatalf("configuration %+v: %v", cfg, err)
		}
		task := f.Task(rapid.Int64().Draw(t, "seed"), rapid.IntRange(0, 100).Draw(t, "index"))
		p, err := env.MetaOf[countdown.Problem](task)
		if err != nil {
			t.Fatal(err)
		}
		truth, err := env.TruthOf[countdown.Truth](task)
		if err != nil {
			t.Fatal(err)
		}
		if err := countdown.Check(p, truth.Solution); err != nil {
			t.Fatalf("%+v: its own solution %s: %v", p, truth.Solution, err)
		}
		if p.Target > int64(cfg.MaxTarget) || slices.Contains(p.Numbers, p.Target) || len(p.Numbers) < cfg.MinNumbers || len(p.Numbers) > cfg.MaxNumbers {
			t.Fatalf("%+v is outside %+v", p, cfg)
		}
		solved := countdown.Solve(p)
		if solved == nil {
			t.Fatalf("%+v: the solver found nothing", p)
		}
		if err := countdown.Check(p, solved.String()); err != nil {
			t.Fatalf("%+v: the solver's %s: %v", p, solved, err)
		}
	})
}

func TestSolveFindsNothingWhereThereIsNothing(t *testing.T) {
	require.Nil(t, countdown.Solve(countdown.Problem{Numbers: []int64{1, 1, 2}, Target: 50}))
}

func TestValidateReportsEveryProblem(t *testing.T) {
	err := countdown.Config{MinNumbers: 1, MaxNumbers: 9, MaxNumber: 2, MaxTarget: 1, Split: "half"}.Validate()
	require.Error(t, err)
	for _, key := range []string{"min_numbers", "max_numbers", "max_number", "max_target", "split"} {
		require.Contains(t, err.Error(), key+":")
	}
}

// Whatever a reply holds, a right answer has the target's value and uses given
// numbers only.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"8-3-2", "8-3-2=3", "a\n3", "((3", "3=3", "-0+3", "8/(8/3)", "3/(8-8)"} {
		f.Add(s)
	}
	p := countdown.Problem{Numbers: []int64{2, 3, 8, 8}, Target: 3}
	f.Fuzz(func(t *testing.T, reply string) {
		if countdown.Check(p, reply) != nil {
			return
		}
		trimmed := strings.TrimSpace(reply)
		line := strings.TrimSpace(trimmed[strings.LastIndex(trimmed, "\n")+1:])
		answer, _, _ := strings.Cut(line, "=")
		e, err := arith.Parse(strings.TrimSpace(answer))
		if err != nil {
			t.Fatalf("%q was accepted and cannot be read: %v", reply, err)
		}
		if v, ok := e.Int(); !ok || v != p.Target {
			t.Fatalf("%q was accepted with value %d", reply, v)
		}
		left := slices.Clone(p.Numbers)
		for n := range e.Numbers() {
			i := slices.Index(left, n)
			if i < 0 {
				t.Fatalf("%q was accepted and uses %d", reply, n)
			}
			left = slices.Delete(left, i, i+1)
		}
	})
}
