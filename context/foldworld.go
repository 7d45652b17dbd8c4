package contexts

import (
	"context"
	"encoding/json"
	"strings"

	"focus/env"
	"focus/rollout"
)

// foldState is the state of a fold's world.
type foldState struct {
	// Stored names what was stored, in order.
	Stored []string
	// Nudged says that the model was told once that it stored nothing.
	Nudged bool
	// Final ends the fold at the next reply, whatever that is.
	Final bool
}

// foldWorld is what a fold is played in: tools for a workspace, where there is
// one, and a reply in words ends it.
type foldWorld struct {
	*env.ToolEnv[foldState]
	// nudge asks once for something stored before the fold may end.
	nudge bool
}

// Step runs tools, and takes words as the notes.
func (w foldWorld) Step(ctx context.Context, at env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	ep := at.State.(env.Episode[foldState])
	if ep.State.Final {
		return w.Finish(ctx, at, a)
	}
	if _, words := a.(rollout.Text); !words {
		return w.ToolEnv.Step(ctx, at, a)
	}
	if w.nudge && len(ep.State.Stored) == 0 && !ep.State.Nudged {
		ep.State.Nudged = true
		at.State = ep
		return at, &rollout.Transition{Action: a, Observations: []rollout.Message{rollout.User(storeNudge)}}, nil
	}
	return w.Finish(ctx, at, a)
}

// Finish ends the fold; what its reply is worth is judged by the manager.
func (w foldWorld) Finish(_ context.Context, at env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	return at, &rollout.Transition{Action: a, Done: true, Stop: rollout.StopAnswered}, nil
}

// Score: a fold has none.
func (w foldWorld) Score(context.Context, env.World) (*float64, error) { return nil, nil }

// foldTools is the tool part of a fold's world; without a store it has no tools.
func foldTools(store bool) (*env.ToolEnv[foldState], error) {
	cfg := env.ToolConfig[foldState]{
		Name: "fold",
		Open: func(context.Context, rollout.Task) (foldState, []rollout.Message, error) {
			return foldState{}, nil, nil
		},
	}
	if store {
		cfg.Tools = []env.Tool[foldState]{
			env.WriteTool(rollout.ToolSchema{
				Name: "store", Description: "Put a text into the workspace under a name, in place of what is there.",
				Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"text":{"type":"string"}},"required":["name","text"],"additionalProperties":false}`),
			}, storeText),
			env.ReadTool(rollout.ToolSchema{
				Name: "recall", Description: "Read the text stored under a name.",
				Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`),
			}, recallText),
			env.ReadTool(rollout.ToolSchema{
				Name: "stored", Description: "List the names in the workspace.",
				Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
			}, listStored),
		}
	}
	return env.NewToolEnv(cfg)
}

type storeArguments struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type nameArguments struct {
	Name string `json:"name"`
}

func storeText(_ context.Context, c env.Call[foldState], a storeArguments) (env.Effect[foldState], error) {
	s, ok := c.Workspace.(env.Store)
	if !ok {
		return env.Effect[foldState]{}, errNoStore
	}
	if err := s.Write(a.Name, []byte(a.Text)); err != nil {
		return env.Effect[foldState]{}, err
	}
	next := c.State
	next.Stored = append(next.Stored[:len(next.Stored):len(next.Stored)], a.Name)
	return env.Effect[foldState]{State: next, Result: "stored"}, nil
}

func recallText(_ context.Context, c env.Call[foldState], a nameArguments) (string, error) {
	s, ok := c.Workspace.(env.Store)
	if !ok {
		return "", errNoStore
	}
	b, err := s.Read(a.Name)
	return string(b), err
}

func listStored(_ context.Context, c env.Call[foldState], _ struct{}) (string, error) {
	s, ok := c.Workspace.(env.Store)
	if !ok {
		return "", errNoStore
	}
	names, err := s.List()
	if len(names) == 0 && err == nil {
		return "nothing is stored", nil
	}
	return strings.Join(names, "\n"), err
}
