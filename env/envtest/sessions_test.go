package envtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/env/envtest"
	"focus/rollout"
)

func note(word string) rollout.Action {
	return rollout.Calls{Calls: []rollout.ToolCall{{ID: "c-" + word, Name: "note", Arguments: json.RawMessage(fmt.Sprintf(`{"word":%q}`, word))}}}
}

func notes() envtest.Case {
	return envtest.Case{Task: rollout.Task{ID: "t"}, Script: []rollout.Action{note("a"), note("b"), note("c"), rollout.Text{Content: "done"}}}
}

// caseOf is an episode for the environment with a defect.
func caseOf(defect string) envtest.Case {
	switch defect {
	case "shares sessions", "forks the start", "closes its origin", "replays differently", "hashes nothing", "holds something":
		return notes()
	}
	return tallyCase()
}

// TestToyWorldsPass runs the suite on the worlds with sessions, and holds the
// suite to closing each session once.
func TestToyWorldsPass(t *testing.T) {
	var worlds []*envtest.Sessions
	for name, make := range map[string]func() (env.Env, *envtest.Sessions){
		"root":     func() (env.Env, *envtest.Sessions) { w := &envtest.Sessions{}; return w, w },
		"forked":   func() (env.Env, *envtest.Sessions) { w := &envtest.Forked{}; return w, &w.Sessions },
		"replayed": func() (env.Env, *envtest.Sessions) { w := &envtest.Replayed{}; return w, &w.Sessions },
	} {
		t.Run(name, func(t *testing.T) {
			envtest.Run(t, func(*testing.T) env.Env {
				e, w := make()
				worlds = append(worlds, w)
				return e
			}, notes())
		})
	}
	for _, w := range worlds {
		_, open := w.Count()
		require.Zero(t, open)
	}
}

// held says that its sessions are values.
type held struct{ envtest.Sessions }

func (*held) Immutable() {}

// badForks forks with a defect.
type badForks struct {
	envtest.Forked
	defect string
}

func (b *badForks) Fork(ctx context.Context, w env.World) (env.World, error) {
	switch b.defect {
	case "shares sessions":
		return w, nil
	case "forks the start":
		start, err := b.Forked.Reset(ctx, rollout.Task{})
		return start.World, err
	}
	next, err := b.Forked.Fork(ctx, w)
	if err == nil {
		err = w.Close()
	}
	return next, err
}

// badReplays replays with a defect.
type badReplays struct {
	envtest.Replayed
	defect string
	steps  atomic.Int64
}

func (b *badReplays) Step(ctx context.Context, w env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	next, tr, err := b.Replayed.Step(ctx, w, a)
	if n := b.steps.Add(1); err == nil && b.defect == "replays differently" {
		tr.Observations = append(tr.Observations, rollout.User(fmt.Sprint(n)))
	}
	return next, tr, err
}

func (b *badReplays) ObservationHash(tr *rollout.Transition) string {
	if b.defect == "hashes nothing" {
		return "same"
	}
	return b.Replayed.ObservationHash(tr)
}
