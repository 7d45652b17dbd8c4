package notes

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"focus/env"
	"focus/rollout"
)

// maxFound is the most lines that a search shows.
const maxFound = 5

func searchTool() env.Tool[state] {
	schema := rollout.ToolSchema{
		Name: "search", Description: "Find note ids by name.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
	}
	type arguments struct {
		Query string `json:"query"`
	}
	return env.ReadTool(schema, func(_ context.Context, c env.Call[state], a arguments) (string, error) {
		query := strings.ToLower(strings.TrimSpace(a.Query))
		var found []string
		for _, p := range c.State.people {
			if query != "" && strings.Contains(strings.ToLower(p.name), query) && len(found) < maxFound {
				found = append(found, fmt.Sprintf("%s=%d", p.name, p.id))
			}
		}
		if len(found) == 0 {
			return "", env.Refuse("no name matches")
		}
		return strings.Join(found, "\n"), nil
	})
}

func readTool() env.Tool[state] {
	schema := rollout.ToolSchema{
		Name: "read", Description: "Read a note.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`),
	}
	type arguments struct {
		ID int `json:"id"`
	}
	return env.ReadTool(schema, func(_ context.Context, c env.Call[state], a arguments) (string, error) {
		for _, p := range c.State.people {
			if p.id == a.ID {
				return c.State.note(p), nil
			}
		}
		return "", env.Refuse("no note %d", a.ID)
	})
}

func submitTool() env.Tool[state] {
	schema := rollout.ToolSchema{
		Name: "submit", Description: "Give the answer.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`),
	}
	type arguments struct {
		Answer string `json:"answer"`
	}
	t := env.WriteTool(schema, func(_ context.Context, c env.Call[state], a arguments) (env.Effect[state], error) {
		out := score(c.State, a.Answer)
		return env.Effect[state]{State: c.State, Result: "done", Outcome: &out, Done: true, Stop: rollout.StopAnswered}, nil
	})
	t.Final = true
	return t
}
