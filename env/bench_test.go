package env_test

import (
	"testing"

	"focus/env"
	"focus/rollout"
)

// BenchmarkStep is one turn with one call.
func BenchmarkStep(b *testing.B) {
	e, err := env.NewToolEnv(ledgerConfig(stubborn{}))
	if err != nil {
		b.Fatal(err)
	}
	start, err := e.Reset(b.Context(), rollout.Task{ID: "t"})
	if err != nil {
		b.Fatal(err)
	}
	a := calls("add", `{"n":1}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := e.Step(b.Context(), start.World, a); err != nil {
			b.Fatal(err)
		}
	}
}
