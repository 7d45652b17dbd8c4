package expert_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/env"
	"focus/env/expert"
	"focus/env/notes"
	"focus/rollout"
)

func TestExpertsSolve(t *testing.T) {
	for _, name := range expert.Names() {
		for _, hops := range []int{0, 3} {
			t.Run(fmt.Sprint(name, " ", hops), func(t *testing.T) {
				f, err := expert.New(name, expert.Options{Notes: notes.Config{MinHops: hops, MaxHops: hops}})
				require.NoError(t, err)
				for i := range 30 {
					demo, err := expert.Play(t.Context(), f, f.Task(5, i), expert.Slips{Rate: 0.2, Seed: 5})
					require.NoError(t, err)
					require.Equal(t, name, demo.Family)
					require.Len(t, demo.Tools, len(f.Tools))
				}
			})
		}
	}
}

// A demonstration is what a rollout with the same replies would have seen.
func TestDemonstrationsReplay(t *testing.T) {
	families := map[string]expert.Family{}
	for _, name := range expert.Names() {
		f, err := expert.New(name, expert.Options{})
		require.NoError(t, err)
		families[name] = f
	}
	rapid.Check(t, func(t *rapid.T) {
		f := families[rapid.SampledFrom(expert.Names()).Draw(t, "family")]
		task := f.Task(rapid.Int64().Draw(t, "seed"), rapid.IntRange(0, 1000).Draw(t, "index"))
		slips := expert.Slips{Rate: rapid.Float64Range(0, 0.5).Draw(t, "rate"), Seed: 1}
		demo, err := expert.Play(context.Background(), f, task, slips)
		if err != nil {
			t.Fatalf("play: %v", err)
		}
		start, err := f.Reset(context.Background(), task)
		if err != nil {
			t.Fatal(err)
		}
		seen, w, done := start.Messages, start.World, false
		for _, m := range demo.Messages {
			if m.Role != rollout.RoleAssistant {
				if len(seen) == 0 || seen[0].Role != m.Role || seen[0].Content != m.Content {
					t.Fatalf("the demonstration has %s %q, the world says %v", m.Role, m.Content, seen)
				}
				seen = seen[1:]
				continue
			}
			said := rollout.Message{Role: m.Role, Content: m.Content}
			for _, c := range m.ToolCalls {
				said.ToolCalls = append(said.ToolCalls, rollout.ToolCall{Name: c.Function.Name, Arguments: c.Function.Arguments})
			}
			var tr *rollout.Transition
			if w, tr, err = f.Step(context.Background(), w, expert.Action(said)); err != nil {
				t.Fatalf("step: %v", err)
			}
			if slipped := m.Weight != nil; slipped != (tr.Failure != nil) {
				t.Fatalf("reply %+v: slip %v, failure %v", m, slipped, tr.Failure)
			}
			if seen, done = tr.Observations, tr.Done; done && (tr.Outcome == nil || *tr.Outcome != 1) {
				t.Fatalf("the demonstration ends with outcome %v", tr.Outcome)
			}
		}
		if !done {
			t.Fatal("the demonstration does not reach the end")
		}
	})
}

// The form that chat templates and trainers read.
func TestDemonstrationForm(t *testing.T) {
	f, err := expert.New("calculator", expert.Options{})
	require.NoError(t, err)
	task := env.NewTask("calculator", 1, 0, 1, map[string]string{"expression": "2+3"}, map[string]int{"answer": 5})
	demo, err := expert.Play(t.Context(), f, task, expert.Slips{})
	require.NoError(t, err)
	demo.Tools, demo.Messages = nil, demo.Messages[1:]
	b, err := json.Marshal(demo)
	require.NoError(t, err)
	require.Equal(t, `{"family":"calculator","id":"calculator-1-0","key":"2+3","messages":[`+
		`{"role":"user","content":"2+3"},`+
		`{"role":"assistant","content":"2+3","tool_calls":[{"type":"function","function":{"name":"calculator","arguments":{"expression":"2+3"}}}]},`+
		`{"role":"tool","content":"5"},`+
		`{"role":"assistant","content":"5","tool_calls":[{"type":"function","function":{"name":"submit","arguments":{"answer":5}}}]}`+
		`],"tools":null}`, string(b))
}

func TestUnknownFamily(t *testing.T) {
	_, err := expert.New("chess", expert.Options{})
	require.ErrorContains(t, err, `family "chess" is none of [calculator countdown notes]`)
}

// unscored is a family that ends without a score.
type unscored struct{ env.Family }

func (unscored) Step(_ context.Context, w env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	return w, &rollout.Transition{Action: a, Done: true}, nil
}

func TestLostDemonstrationIsAnError(t *testing.T) {
	f, err := expert.New("countdown", expert.Options{})
	require.NoError(t, err)
	f.Family = unscored{f.Family}
	_, err = expert.Play(t.Context(), f, f.Task(1, 0), expert.Slips{})
	require.ErrorIs(t, err, expert.ErrLost)
}
