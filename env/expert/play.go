package expert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"focus/rollout"
)

// maxTurns is far above what an expert needs; reaching it is a defect.
const maxTurns = 64

// Slips say how often a mistake comes before a right reply.
type Slips struct {
	// Rate is the chance per reply, 0 to 1. Default 0.
	Rate float64
	// Seed draws them, together with the task's own seed.
	Seed int64
}

// slip makes a mistake out of the right reply; false when it has none to make.
type slip func(r *rand.Rand, right rollout.Message) (rollout.Message, bool)

// ErrLost is a demonstration that did not end with outcome 1.
var ErrLost = errors.New("the expert did not solve the task")

// Play plays a task to its end.
func Play(ctx context.Context, f Family, task rollout.Task, s Slips) (Demo, error) {
	key, err := f.Key(task)
	if err != nil {
		return Demo{}, err
	}
	start, err := f.Reset(ctx, task)
	if err != nil {
		return Demo{}, err
	}
	demo := Demo{Family: f.Name, ID: string(task.ID), Key: key, Tools: AsTools(f.Tools)}
	for _, m := range start.Messages {
		demo.Messages = append(demo.Messages, AsMessage(m))
	}
	r := rand.New(rand.NewPCG(uint64(task.Seed), uint64(s.Seed)))
	talk, w := start.Messages, start.World
	for range maxTurns {
		m, err := f.act(talk)
		if err != nil {
			return Demo{}, fmt.Errorf("task %s: %w", task.ID, err)
		}
		said := AsMessage(m)
		if len(f.slips) > 0 && r.Float64() < s.Rate {
			if wrong, ok := f.Slip(r, m); ok {
				m, said = wrong, AsMessage(wrong)
				said.Weight = new(int)
			}
		}
		var tr *rollout.Transition
		if w, tr, err = f.Step(ctx, w, Action(m)); err != nil {
			return Demo{}, err
		}
		demo.Messages = append(demo.Messages, said)
		if tr.Done {
			if tr.Outcome == nil || *tr.Outcome != 1 {
				return Demo{}, fmt.Errorf("task %s, problem %s: %w", task.ID, key, ErrLost)
			}
			return demo, nil
		}
		talk = append(append(talk[:len(talk):len(talk)], m), tr.Observations...)
		for _, o := range tr.Observations {
			demo.Messages = append(demo.Messages, AsMessage(o))
		}
	}
	return Demo{}, fmt.Errorf("task %s: %d turns: %w", task.ID, maxTurns, ErrLost)
}

// Slip makes a mistake out of a right reply; false when it has none to make.
func (f Family) Slip(r *rand.Rand, right rollout.Message) (rollout.Message, bool) {
	if len(f.slips) == 0 {
		return rollout.Message{}, false
	}
	return f.slips[r.IntN(len(f.slips))](r, right)
}

// Act is the expert's reply to a conversation.
func (f Family) Act(talk []rollout.Message) (rollout.Message, error) { return f.act(talk) }

// Script is the actions that solve a task, without slips.
func Script(ctx context.Context, f Family, task rollout.Task) ([]rollout.Action, error) {
	start, err := f.Reset(ctx, task)
	if err != nil {
		return nil, err
	}
	var script []rollout.Action
	talk, w := start.Messages, start.World
	for range maxTurns {
		m, err := f.act(talk)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", task.ID, err)
		}
		script = append(script, Action(m))
		var tr *rollout.Transition
		if w, tr, err = f.Step(ctx, w, Action(m)); err != nil || tr.Done {
			return script, err
		}
		talk = append(append(talk[:len(talk):len(talk)], m), tr.Observations...)
	}
	return nil, fmt.Errorf("task %s: %d turns: %w", task.ID, maxTurns, ErrLost)
}

// Action is the action that a reply asks for.
func Action(m rollout.Message) rollout.Action {
	if len(m.ToolCalls) == 0 {
		return rollout.Text{Content: m.Content}
	}
	return rollout.Calls{Calls: m.ToolCalls, Content: m.Content}
}

// say is a reply in words with one call. The arguments have the blanks that
// Python's json writes, as chat templates and so the model do.
func say(words, tool, argument string, value any) (rollout.Message, error) {
	v, err := json.Marshal(value)
	if err != nil {
		return rollout.Message{}, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	m := rollout.Assistant(words)
	m.ToolCalls = []rollout.ToolCall{{Name: tool, Arguments: fmt.Appendf(nil, "{%q: %s}", argument, v)}}
	return m, nil
}

// silent forgets the call.
func silent(_ *rand.Rand, right rollout.Message) (rollout.Message, bool) {
	return rollout.Assistant(right.Content), right.Content != "" && len(right.ToolCalls) > 0
}
