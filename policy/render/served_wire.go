package render

import (
	"encoding/json"
	"strings"

	"focus/rollout"
)

// wireChat is the body of a chat endpoint that only renders.
func (cfg ServedConfig) wireChat(messages []rollout.Message, tools []rollout.ToolSchema, next bool) (map[string]any, error) {
	body := map[string]any{"messages": wireMessages(messages), "add_generation_prompt": next}
	if cfg.Model != "" {
		body["model"] = cfg.Model
	}
	if len(tools) > 0 {
		lines := make([]json.RawMessage, len(tools))
		for i, t := range tools {
			line, err := toolJSON(t)
			if err != nil {
				return nil, err
			}
			lines[i] = json.RawMessage(line)
		}
		body["tools"] = lines
	}
	if len(cfg.Kwargs) > 0 {
		body["chat_template_kwargs"] = cfg.Kwargs
	}
	return body, nil
}

// wireMessages are messages as chat endpoints take them: arguments are texts.
func wireMessages(messages []rollout.Message) []map[string]any {
	out := make([]map[string]any, len(messages))
	for i, m := range messages {
		w := map[string]any{"role": m.Role, "content": whole(m.Content)}
		if m.Reasoning != "" {
			w["reasoning_content"] = whole(m.Reasoning)
		}
		if m.ToolCallID != "" {
			w["tool_call_id"] = m.ToolCallID
		}
		if m.Name != "" {
			w["name"] = m.Name
		}
		var calls []map[string]any
		for _, c := range m.ToolCalls {
			arguments := whole(string(c.Arguments))
			if strings.TrimSpace(arguments) == "" {
				arguments = "{}"
			}
			calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": arguments}})
		}
		if len(calls) > 0 {
			w["tool_calls"] = calls
		}
		out[i] = w
	}
	return out
}
