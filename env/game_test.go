package env_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/rollout"
)

// ledger is the state of a game that has one of every kind of tool.
type ledger struct{ Total int }

type none struct{}

type amount struct {
	N int `json:"n"`
}

// stubborn handlers run until released, whatever their context says.
type stubborn struct{ release chan struct{} }

func schema(name, properties string, required ...string) rollout.ToolSchema {
	quoted := []string{}
	for _, r := range required {
		quoted = append(quoted, fmt.Sprintf("%q", r))
	}
	return rollout.ToolSchema{Name: name, Description: name, Parameters: json.RawMessage(
		`{"type":"object","properties":{` + properties + `},"required":[` + strings.Join(quoted, ",") + `],"additionalProperties":false}`)}
}

func withN(name string) rollout.ToolSchema {
	return schema(name, `"n":{"type":"integer","minimum":0,"maximum":100000}`, "n")
}

func ledgerTools(hold stubborn) []env.Tool[ledger] {
	effect := func(s ledger, result string) (env.Effect[ledger], error) {
		return env.Effect[ledger]{State: s, Result: result}, nil
	}
	win := env.WriteTool(withN("win"), func(_ context.Context, c env.Call[ledger], a amount) (env.Effect[ledger], error) {
		one := 1.0
		return env.Effect[ledger]{State: c.State, Result: "won", Outcome: &one, Done: true}, nil
	})
	win.Final = true
	return []env.Tool[ledger]{
		env.ReadTool(schema("get", ""), func(_ context.Context, c env.Call[ledger], _ none) (string, error) {
			return fmt.Sprint(c.State.Total), nil
		}),
		env.WriteTool(withN("add"), func(_ context.Context, c env.Call[ledger], a amount) (env.Effect[ledger], error) {
			half := 0.5
			e, err := effect(ledger{c.State.Total + a.N}, "ok")
			e.Reward = &half
			return e, err
		}),
		env.WriteTool(withN("put"), func(_ context.Context, c env.Call[ledger], a amount) (env.Effect[ledger], error) {
			if c.Workspace == nil {
				return env.Effect[ledger]{}, env.Refuse("there is no workspace")
			}
			store := c.Workspace.(env.Store)
			old, err := store.Read("log")
			if _, ok := errors.AsType[*env.Refusal](err); err != nil && !ok {
				return env.Effect[ledger]{}, err
			}
			now := fmt.Sprintf("%s%d;", old, a.N)
			if err := store.Write("log", []byte(now)); err != nil {
				return env.Effect[ledger]{}, err
			}
			return effect(c.State, now)
		}),
		env.ReadTool(withN("wait"), func(ctx context.Context, _ env.Call[ledger], a amount) (string, error) {
			select {
			case <-ctx.Done():
				return "", ctx.Err()
			case <-time.After(time.Duration(a.N) * time.Second):
				return fmt.Sprintf("waited %d", a.N), nil
			}
		}),
		env.ReadTool(schema("hold", ""), func(context.Context, env.Call[ledger], none) (string, error) {
			<-hold.release
			return "released", nil
		}),
		env.WriteTool(schema("boom", ""), func(context.Context, env.Call[ledger], none) (env.Effect[ledger], error) {
			panic("boom " + strings.Repeat("!", 10000))
		}),
		env.ReadTool(withN("big"), func(_ context.Context, _ env.Call[ledger], a amount) (string, error) {
			return strings.Repeat("é", a.N), nil
		}),
		env.ReadTool(schema("garbled", ""), func(context.Context, env.Call[ledger], none) (string, error) {
			return "a\xf1\x80\x80b", nil
		}),
		env.ReadTool(schema("refuse", ""), func(context.Context, env.Call[ledger], none) (string, error) {
			return "", fmt.Errorf("on the way: %w", env.Refuse("not %s", "today"))
		}),
		env.ReadTool(schema("broken", ""), func(context.Context, env.Call[ledger], none) (string, error) {
			return "", errors.New("disk on fire")
		}),
		win,
	}
}

func ledgerConfig(hold stubborn) env.ToolConfig[ledger] {
	return env.ToolConfig[ledger]{
		Name:  "ledger",
		Tools: ledgerTools(hold),
		Open: func(_ context.Context, task rollout.Task) (ledger, []rollout.Message, error) {
			return ledger{int(task.Seed)}, []rollout.Message{rollout.User("play")}, nil
		},
		Score: func(s ledger) float64 { return -1 },
	}
}

// newLedger builds the game; change edits its configuration.
func newLedger(t *testing.T, change func(*env.ToolConfig[ledger])) *env.ToolEnv[ledger] {
	t.Helper()
	cfg := ledgerConfig(stubborn{make(chan struct{})})
	if change != nil {
		change(&cfg)
	}
	e, err := env.NewToolEnv(cfg)
	require.NoError(t, err)
	return e
}

func calls(pairs ...string) rollout.Calls {
	var out rollout.Calls
	for i := 0; i < len(pairs); i += 2 {
		out.Calls = append(out.Calls, rollout.ToolCall{
			ID: fmt.Sprintf("c%d", i/2), Name: pairs[i], Arguments: json.RawMessage(pairs[i+1]),
		})
	}
	return out
}

func begin(t *testing.T, e env.Env) env.World {
	t.Helper()
	start, err := e.Reset(t.Context(), rollout.Task{ID: "t"})
	require.NoError(t, err)
	if ws := start.World.Workspace; ws != nil {
		t.Cleanup(func() { require.NoError(t, ws.Close()) })
	}
	return start.World
}

func step(t *testing.T, e env.Env, w env.World, a rollout.Action) (env.World, *rollout.Transition) {
	t.Helper()
	w, tr, err := e.Step(t.Context(), w, a)
	require.NoError(t, err)
	return w, tr
}

func said(tr *rollout.Transition) []string {
	var out []string
	for _, o := range tr.Observations {
		out = append(out, o.Content)
	}
	return out
}
