package expert

import (
	"encoding/json"

	"focus/rollout"
)

// Demo is one demonstration, a line of JSON.
type Demo struct {
	Family string `json:"family"`
	ID     string `json:"id"`
	// Key names the problem: equal keys are equal problems.
	Key      string    `json:"key"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools"`
}

// Message is one entry of a conversation in HF's chat form.
type Message struct {
	Role      rollout.Role `json:"role"`
	Content   string       `json:"content"`
	ToolCalls []ToolCall   `json:"tool_calls,omitempty"`
	// Weight is 0 on an assistant message that is not to be learned; absent
	// means 1.
	Weight *int `json:"weight,omitempty"`
}

// ToolCall is a call in HF's chat form.
type ToolCall struct {
	Type     string   `json:"type"`
	Function Function `json:"function"`
}

// Function is the body of a [ToolCall].
type Function struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Tool is a tool in HF's chat form.
type Tool struct {
	Type     string             `json:"type"`
	Function rollout.ToolSchema `json:"function"`
}

// AsMessage is a message in HF's chat form.
func AsMessage(m rollout.Message) Message {
	out := Message{Role: m.Role, Content: m.Content}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, ToolCall{Type: "function", Function: Function{c.Name, c.Arguments}})
	}
	return out
}

// AsTools is schemas in HF's chat form.
func AsTools(schemas []rollout.ToolSchema) []Tool {
	out := make([]Tool, len(schemas))
	for i, s := range schemas {
		out[i] = Tool{Type: "function", Function: s}
	}
	return out
}
