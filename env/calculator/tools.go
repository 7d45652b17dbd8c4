package calculator

import (
	"context"
	"encoding/json"
	"strconv"

	"focus/env"
	"focus/env/arith"
	"focus/rollout"
)

func calculatorTool() env.Tool[state] {
	schema := rollout.ToolSchema{
		Name: "calculator", Description: "One operation on two integers.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"]}`),
	}
	type arguments struct {
		Expression string `json:"expression"`
	}
	return env.ReadTool(schema, func(_ context.Context, _ env.Call[state], a arguments) (string, error) {
		e, err := arith.Parse(a.Expression)
		if err != nil {
			return "", env.Refuse("cannot read the expression: %v", err)
		}
		if !e.Simple() || e.Op == '/' {
			return "", env.Refuse("one + - or * of two integers, such as 3*4")
		}
		v, ok := e.Int()
		if !ok {
			return "", env.Refuse("out of range")
		}
		return strconv.FormatInt(v, 10), nil
	})
}

func submitTool() env.Tool[state] {
	schema := rollout.ToolSchema{
		Name: "submit", Description: "Give the answer.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"integer"}},"required":["answer"]}`),
	}
	type arguments struct {
		Answer int64 `json:"answer"`
	}
	t := env.WriteTool(schema, func(_ context.Context, c env.Call[state], a arguments) (env.Effect[state], error) {
		out := score(a.Answer == c.State.answer)
		return env.Effect[state]{State: c.State, Result: "done", Outcome: &out, Done: true, Stop: rollout.StopAnswered}, nil
	})
	t.Final = true
	return t
}
