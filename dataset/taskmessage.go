package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"focus/rollout"
)

// taskMessages is the seed conversation of a row.
func taskMessages(row map[string]json.RawMessage) ([]rollout.Message, error) {
	raw, err := oneOf(row, "messages", "prompt")
	if err != nil {
		return nil, err
	}
	key := "messages"
	if row["prompt"] != nil {
		key = "prompt"
	}
	if raw == nil {
		return nil, &rowError{`neither "messages" nor "prompt"`, `add "prompt": "…" or "messages": [{"role": "user", "content": "…"}]`}
	}
	if key == "prompt" && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil || text == "" {
			return nil, &rowError{"prompt is empty", "write what the policy is asked"}
		}
		return []rollout.Message{rollout.User(text)}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		return nil, &rowError{fmt.Sprintf("%s is %s", key, clip(raw)), `write a list of {"role": …, "content": …} with at least one entry`}
	}
	out := make([]rollout.Message, 0, len(list))
	for i, one := range list {
		m, err := parseMessage(one)
		if err != nil {
			return nil, &rowError{fmt.Sprintf("%s[%d]: %v", key, i, err), "write messages as chat templates read them: role, content (a text), tool_calls, tool_call_id, name"}
		}
		out = append(out, m)
	}
	return out, nil
}

// fileMessage is a message in the forms that data sets have it.
type fileMessage struct {
	Role       rollout.Role `json:"role"`
	Content    *string      `json:"content"`
	Reasoning  string       `json:"reasoning_content"`
	ToolCalls  []fileCall   `json:"tool_calls"`
	ToolCallID string       `json:"tool_call_id"`
	Name       string       `json:"name"`
}

// fileCall is a call as servers write it (under "function", arguments in a
// text) or as chat templates read it.
type fileCall struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Function  *struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

func parseMessage(raw json.RawMessage) (rollout.Message, error) {
	var f fileMessage
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return rollout.Message{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return rollout.Message{}, errors.New("something follows the message")
	}
	switch f.Role {
	case rollout.RoleSystem, rollout.RoleUser, rollout.RoleAssistant, rollout.RoleTool:
	default:
		return rollout.Message{}, fmt.Errorf("role is %q, want system, user, assistant or tool", f.Role)
	}
	if f.Content == nil && len(f.ToolCalls) == 0 {
		return rollout.Message{}, errors.New("no content")
	}
	m := rollout.Message{Role: f.Role, Reasoning: f.Reasoning, ToolCallID: f.ToolCallID, Name: f.Name}
	if f.Content != nil {
		m.Content = *f.Content
	}
	for i, c := range f.ToolCalls {
		call, err := c.call()
		if err != nil {
			return rollout.Message{}, fmt.Errorf("tool_calls[%d]: %w", i, err)
		}
		m.ToolCalls = append(m.ToolCalls, call)
	}
	return m, nil
}

func (c fileCall) call() (rollout.ToolCall, error) {
	out := rollout.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
	if c.Function != nil {
		out.Name, out.Arguments = c.Function.Name, c.Function.Arguments
	}
	if len(out.Arguments) > 0 && out.Arguments[0] == '"' {
		var text string
		if err := json.Unmarshal(out.Arguments, &text); err != nil {
			return rollout.ToolCall{}, err
		}
		out.Arguments = json.RawMessage(text)
	}
	if len(out.Arguments) == 0 {
		out.Arguments = json.RawMessage("{}")
	}
	if out.Name == "" || !json.Valid(out.Arguments) || bytes.TrimSpace(out.Arguments)[0] != '{' {
		return rollout.ToolCall{}, fmt.Errorf("want a name and arguments that are a JSON object, got %q and %s", out.Name, clip(out.Arguments))
	}
	return out, nil
}
