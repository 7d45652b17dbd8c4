package contexts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/agent"
	contexts "focus/context"
	"focus/env"
	"focus/policy/policytest"
	"focus/rollout"
)

// worldConfig describes the test's world: `look` gives the text of a key, and a
// reply in words is the answer, worth 1 when it holds Want.
type worldConfig struct {
	Task       string            `yaml:"task"`
	Want       string            `yaml:"want"`
	Pages      map[string]string `yaml:"-"`
	RoundCalls int               `yaml:"round_calls"`
	Workspace  bool              `yaml:"workspace"`
	// Keeps offers `keep` as well, which puts a text into the workspace.
	Keeps bool `yaml:"keeps"`
	// Words leaves the tools out.
	Words bool `yaml:"words"`
	// Talk goes on after a reply in words, instead of taking it as the answer.
	Talk bool `yaml:"talk"`
	// Spaces takes the place of workspaces in memory.
	Spaces env.Workspaces `yaml:"-"`
}

// looked is the world's state: how many pages were read.
type looked struct{ Pages int }

func world(t testing.TB, c worldConfig) *env.ToolEnv[looked] {
	t.Helper()
	if c.Task == "" {
		c.Task = "Find the number."
	}
	spaces := env.NoWorkspaces()
	switch {
	case c.Spaces != nil:
		spaces = c.Spaces
	case c.Workspace:
		var err error
		spaces, err = env.MemoryWorkspaces(env.MemoryConfig{})
		require.NoError(t, err)
	}
	schema := rollout.ToolSchema{
		Name: "look", Description: "Read a page.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"page":{"type":"string"}},"required":["page"]}`),
	}
	look := env.WriteTool(schema, func(_ context.Context, c2 env.Call[looked], a struct{ Page string }) (env.Effect[looked], error) {
		text, ok := c.Pages[a.Page]
		if !ok {
			text = fmt.Sprintf("page %s: nothing here", a.Page)
		}
		return env.Effect[looked]{State: looked{c2.State.Pages + 1}, Result: text}, nil
	})
	offered := []env.Tool[looked]{look}
	switch {
	case c.Words:
		offered = nil
	case c.Keeps:
		offered = append(offered, keep())
	}
	nudge := ""
	if c.Talk {
		nudge = "Go on."
	}
	e, err := env.NewToolEnv(env.ToolConfig[looked]{
		Name: "look", Tools: offered,
		Open: func(context.Context, rollout.Task) (looked, []rollout.Message, error) {
			return looked{}, []rollout.Message{rollout.System("You look things up."), rollout.User(c.Task)}, nil
		},
		Answer: func(_ looked, reply string) float64 {
			if strings.Contains(reply, c.Want) {
				return 1
			}
			return 0
		},
		AnswerEnds: !c.Talk,
		Nudge:      nudge,
		Score:      func(looked) float64 { return 0 },
		Workspaces: spaces,
		Limits:     env.Limits{RoundCalls: c.RoundCalls},
	})
	require.NoError(t, err)
	return e
}

// keep is the world's tool for its workspace.
func keep() env.Tool[looked] {
	schema := rollout.ToolSchema{
		Name: "keep", Description: "Keep a text.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"text":{"type":"string"}},"required":["name","text"]}`),
	}
	return env.WriteTool(schema, func(_ context.Context, c env.Call[looked], a struct{ Name, Text string }) (env.Effect[looked], error) {
		return env.Effect[looked]{State: c.State, Result: "kept"}, c.Workspace.(env.Store).Write(a.Name, []byte(a.Text))
	})
}

func look(page string) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": \"look\", \"arguments\": {\"page\": %q}}\n</tool_call>", page)
}

func call(name, arguments string) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", name, arguments)
}

// playing makes an agent over the world that replies in the order of the script.
func playing(t testing.TB, c worldConfig, m contexts.Manager, steps int, replies ...string) *agent.Agent {
	t.Helper()
	a, err := agent.New(agent.Config{Policy: policytest.NewScripted(policytest.Say(replies...)), Env: world(t, c), Context: m, MaxSteps: steps})
	require.NoError(t, err)
	return a
}

func play(t testing.TB, a *agent.Agent) rollout.State {
	t.Helper()
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	s, err = a.Run(t.Context(), s)
	require.NoError(t, err)
	return s
}

// failing replies in order, and fails once with err at the call with that number.
func failing(err error, at int64, replies ...string) policytest.Script {
	say := policytest.Say(replies...)
	return func(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		if c.N == at {
			return nil, err
		}
		if c.N > at {
			c.N--
		}
		return say(ctx, c)
	}
}
