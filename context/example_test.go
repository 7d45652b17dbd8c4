package contexts_test

import (
	"context"
	"fmt"
	"slices"

	"focus/agent"
	contexts "focus/context"
	"focus/env"
	"focus/policy/policytest"
	"focus/rollout"
)

// Recent restarts from the seed and the last four messages, less results whose
// call is not among them.
type Recent struct{ contexts.Base }

func (Recent) Compact(_ context.Context, c contexts.Compaction) (contexts.Result, error) {
	recent := contexts.OrderToolResults(c.Messages[max(0, len(c.Messages)-4):])
	return contexts.Result{Messages: slices.Concat(c.Seed, recent), State: c.State}, nil
}

// A manager of one's own embeds Base and says what it does differently.
func Example() {
	manager := Recent{contexts.Base{Trigger: contexts.PromptTokens{Max: 120}}}
	world, err := env.NewToolEnv(env.ToolConfig[int]{
		Name: "talk",
		Open: func(context.Context, rollout.Task) (int, []rollout.Message, error) {
			return 0, []rollout.Message{rollout.User("Say something.")}, nil
		},
		Nudge: "Go on.",
	})
	if err != nil {
		panic(err)
	}
	model := policytest.NewScripted(policytest.Say("one", "two", "three", "four"))
	a, err := agent.New(agent.Config{Policy: model, Env: world, Context: manager, MaxSteps: 4})
	if err != nil {
		panic(err)
	}
	s, err := a.Start(context.Background(), rollout.Task{ID: "t"}, "0")
	for err == nil && s.Compactions == 0 {
		s, err = a.Step(context.Background(), s)
	}
	if err != nil {
		panic(err)
	}
	for _, m := range s.Messages.All() {
		fmt.Printf("%s: %s\n", m.Role, m.Content)
	}
	// Output:
	// user: Say something.
	// assistant: two
	// user: Go on.
	// assistant: three
	// user: Go on.
}
