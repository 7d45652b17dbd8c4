package render

import (
	"slices"
	"strings"
	"unicode/utf8"

	"focus/policy/render/jinja"
	"focus/rollout"
)

// reasoningKeys are the names under which a template is given reasoning.
func reasoningKeys(template string) []string {
	for _, key := range []string{"reasoning_content", "thinking", "reasoning"} {
		for _, use := range []string{"." + key, `"` + key + `"`, "'" + key + "'"} {
			if strings.Contains(template, use) {
				return []string{key}
			}
		}
	}
	return []string{"reasoning_content"}
}

// values are messages as a template sees them, with every byte marked that
// nobody vouches for. Keys that a message does not have are absent: templates
// ask whether they are defined.
func (t *Template) values(messages []rollout.Message) []jinja.Value {
	out := make([]jinja.Value, len(messages))
	for i, m := range messages {
		out[i] = t.value(i, m)
	}
	return out
}

func (t *Template) value(i int, m rollout.Message) *jinja.Dict {
	src := jinja.FromMessage(i)
	d := jinja.NewDict(6)
	role := jinja.Untrusted(whole(string(m.Role)), src)
	if slices.Contains([]rollout.Role{rollout.RoleSystem, rollout.RoleUser, rollout.RoleAssistant, rollout.RoleTool}, m.Role) {
		role = jinja.String(string(m.Role))
	}
	d.Set("role", role)
	d.Set("content", jinja.Untrusted(whole(m.Content), src))
	if m.Reasoning != "" {
		for _, key := range t.keys {
			d.Set(key, jinja.Untrusted(whole(m.Reasoning), src))
		}
	}
	if len(m.ToolCalls) > 0 {
		calls := make([]jinja.Value, len(m.ToolCalls))
		for k, c := range m.ToolCalls {
			calls[k] = callValue(c, src)
		}
		d.Set("tool_calls", jinja.NewList(calls...))
	}
	if m.ToolCallID != "" {
		d.Set("tool_call_id", jinja.Untrusted(whole(m.ToolCallID), src))
	}
	if m.Name != "" {
		d.Set("name", jinja.Untrusted(whole(m.Name), src))
	}
	return d
}

// callValue is a call in OpenAI's form. Arguments that are not JSON, as models
// write them, stay the text they are.
func callValue(c rollout.ToolCall, src jinja.Source) *jinja.Dict {
	var arguments jinja.Value = jinja.NewDict(0)
	if text := whole(string(c.Arguments)); strings.TrimSpace(text) != "" {
		v, err := jinja.Decode(text, src)
		if err != nil {
			v = jinja.Untrusted(text, src)
		}
		arguments = v
	}
	function := jinja.NewDict(2)
	function.Set("name", jinja.Untrusted(whole(c.Name), src))
	function.Set("arguments", arguments)
	d := jinja.NewDict(3)
	if c.ID != "" {
		d.Set("id", jinja.Untrusted(whole(c.ID), src))
	}
	d.Set("type", jinja.String("function"))
	d.Set("function", function)
	return d
}

// tools are what a template gets as tools: None when there are none.
func (t *Template) tools(schemas []rollout.ToolSchema) (jinja.Value, error) {
	if len(schemas) == 0 {
		return jinja.None, nil
	}
	list := make([]jinja.Value, len(schemas))
	for i, s := range schemas {
		line, err := toolJSON(s)
		if err != nil {
			return nil, err
		}
		if list[i], err = jinja.Decode(whole(line), jinja.ToolSchemas); err != nil {
			return nil, err
		}
	}
	return jinja.NewList(list...), nil
}

// whole is s as valid UTF-8, which is all that a template can write.
func whole(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	s, _ = repair([]byte(s), nil)
	return s
}
