package render

import "focus/rollout"

// TextOf is the text that Prompt encodes when nothing was sampled.
func (t *Template) TextOf(messages []rollout.Message, schemas []rollout.ToolSchema) (string, error) {
	tools, err := t.tools(schemas)
	if err != nil {
		return "", err
	}
	out, err := t.render(t.values(messages), tools, true)
	return out.Text, err
}
