package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"focus/env"
	"focus/rollout"
)

// counting is a world for tests: `add(n)` adds, a text reply answers, and the
// sum is the score. Its state is the sum.
type counting struct {
	tools bool
	fail  error
}

func (w counting) Tools() []rollout.ToolSchema {
	if !w.tools {
		return nil
	}
	return []rollout.ToolSchema{{Name: "add", Description: "Add.", Parameters: json.RawMessage(`{"type":"object"}`)}}
}

func (w counting) Reset(_ context.Context, task rollout.Task) (env.Start, error) {
	return env.Start{World: env.World{State: 0}, Messages: []rollout.Message{rollout.User("count")}}, w.fail
}

func (w counting) Step(_ context.Context, at env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	if w.fail != nil {
		return at, nil, w.fail
	}
	sum := at.State.(int)
	tr := &rollout.Transition{}
	switch a := a.(type) {
	case rollout.Calls:
		for _, c := range a.Calls {
			var args struct{ N int }
			if err := json.Unmarshal(c.Arguments, &args); err != nil {
				return at, nil, err
			}
			sum += args.N
			tr.ToolCalls++
			tr.Observations = append(tr.Observations, rollout.ToolResult(c, fmt.Sprint(sum)))
		}
	case rollout.Invalid:
		tr.Failure = &rollout.Failure{Class: rollout.FailureVisible, Cause: "unparseable"}
		tr.Observations = []rollout.Message{rollout.User(a.Feedback)}
	case rollout.TokenChunk:
		if a.Final {
			return w.done(at, sum, rollout.StopAnswered)
		}
	default:
		return w.done(at, sum, rollout.StopAnswered)
	}
	at.State = sum
	return at, tr, nil
}

func (w counting) done(at env.World, sum int, why rollout.StopReason) (env.World, *rollout.Transition, error) {
	score := float64(sum)
	return at, &rollout.Transition{Done: true, Stop: why, Outcome: &score}, nil
}

func (w counting) Finish(_ context.Context, at env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	if w.fail != nil {
		return at, nil, w.fail
	}
	return w.done(at, at.State.(int), rollout.StopAnswered)
}

func add(n int) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": \"add\", \"arguments\": {\"N\": %d}}\n</tool_call>", n)
}
