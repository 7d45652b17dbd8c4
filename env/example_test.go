package env_test

import (
	"context"
	"encoding/json"
	"fmt"

	"focus/env"
	"focus/rollout"
)

// A world with one tool: guess a number.
func ExampleNewToolEnv() {
	type guess struct{ secret int }
	type arguments struct {
		N int `json:"n"`
	}
	try := env.WriteTool(rollout.ToolSchema{
		Name: "try", Description: "Guess the number.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"]}`),
	}, func(_ context.Context, c env.Call[guess], a arguments) (env.Effect[guess], error) {
		if a.N != c.State.secret {
			return env.Effect[guess]{State: c.State, Result: "no"}, nil
		}
		one := 1.0
		return env.Effect[guess]{State: c.State, Result: "yes", Outcome: &one, Done: true}, nil
	})
	e, err := env.NewToolEnv(env.ToolConfig[guess]{
		Name: "guess", Tools: []env.Tool[guess]{try},
		Open: func(_ context.Context, task rollout.Task) (guess, []rollout.Message, error) {
			return guess{int(task.Seed)}, []rollout.Message{rollout.User("Guess.")}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	start, err := e.Reset(ctx, rollout.Task{ID: "g", Seed: 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := start.World
	for _, arguments := range []string{`{"n":-1}`, `{"n":3}`, `{"n":7}`} {
		var tr *rollout.Transition
		w, tr, err = e.Step(ctx, w, rollout.Calls{Calls: []rollout.ToolCall{{Name: "try", Arguments: json.RawMessage(arguments)}}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(tr.Observations[0].Content, tr.Done)
	}
	// Output:
	// error: try: n: minimum: got -1, want 0 false
	// no false
	// yes true
}
