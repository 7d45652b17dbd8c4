package rollout

import "encoding/json"

// Role says who speaks in a message.
type Role string

const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of the conversation, in the form that HF chat templates
// and OpenAI-shaped servers share.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
	// Reasoning is the text of the think block, without its markers.
	Reasoning string     `json:"reasoning_content,omitempty"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// ToolCallID ties a tool result to its call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// Name is the tool that a result comes from.
	Name string `json:"name,omitempty"`
	// Sampled holds the ids the policy sampled for this message, terminator
	// included; nil on a message that nobody sampled. A renderer never
	// re-encodes a message that has them.
	Sampled []TokenID `json:"-"`
}

// ToolCall is one call of an assistant message.
type ToolCall struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// Arguments is the JSON object as the model wrote it: numbers keep their
	// form and keys their order.
	Arguments json.RawMessage `json:"arguments"`
}

// ToolSchema describes a tool to the model.
type ToolSchema struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Parameters is a JSON schema of an object.
	Parameters json.RawMessage `json:"parameters"`
}

// User is a user message.
func User(content string) Message { return Message{Role: RoleUser, Content: content} }

// System is a system message.
func System(content string) Message { return Message{Role: RoleSystem, Content: content} }

// Assistant is an assistant message of plain text that nobody sampled.
func Assistant(content string) Message { return Message{Role: RoleAssistant, Content: content} }

// ToolResult is the answer to a call.
func ToolResult(call ToolCall, content string) Message {
	return Message{Role: RoleTool, Content: content, ToolCallID: call.ID, Name: call.Name}
}
