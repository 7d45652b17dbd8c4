package render

import (
	"slices"
	"strings"

	"focus/policy/render/jinja"
	"focus/rollout"
)

// Prompt renders a whole conversation. Sampled ids stand in it wherever the
// template renders the message, and the header before it, as when it was
// sampled.
func (t *Template) Prompt(messages []rollout.Message, schemas []rollout.ToolSchema) ([]rollout.TokenID, error) {
	tools, err := t.tools(schemas)
	if err != nil {
		return nil, err
	}
	values := t.values(messages)
	whole, err := t.render(values, tools, true)
	if err != nil {
		return nil, err
	}
	var ids []rollout.TokenID
	at, drop := 0, false
	add := func(to int) {
		n := len(ids)
		ids = t.encode(ids, whole, at, to)
		if drop {
			ids = slices.Delete(ids, n, n+1)
		}
	}
	for i, m := range messages {
		if len(m.Sampled) == 0 {
			continue
		}
		start, end := t.find(whole, values, tools, i, m.Sampled)
		if start < at || drop && start == at {
			continue
		}
		add(start)
		ids = append(ids, m.Sampled...)
		a, _ := t.addedAt(whole, end)
		at, drop = end, t.turns.drops(m.Sampled[len(m.Sampled)-1], a)
	}
	add(len(whole.Text))
	return ids, nil
}

// find is where a sampled message stands in a text as it was sampled; -1 where
// it does not.
func (t *Template) find(out jinja.Output, values []jinja.Value, tools jinja.Value, i int, said []rollout.TokenID) (start, end int) {
	r, err := t.ending(values, tools, i)
	if err != nil {
		return -1, -1
	}
	start = r.start
	if at := t.standsAt(out, r, i); at >= 0 {
		if end, ok := t.literal(out, at, said); ok {
			return at, end
		}
	}
	if !r.follows {
		return -1, -1
	}
	if !strings.HasPrefix(out.Text, r.upTo()) {
		src := jinja.FromMessage(i)
		here, there := firstByte(out, src), firstByte(r.out, src)
		if here < 0 || there < 0 {
			return -1, -1
		}
		start = here - (there - r.start)
		if start < len(r.header) || !strings.HasPrefix(out.Text[start-len(r.header):], r.header+r.sampled()) {
			return -1, -1
		}
	}
	end = start + r.end - r.start
	if a, ok := t.addedAt(out, end); !ok || t.encode(nil, out, end, end+len(a.Content))[0] != a.ID {
		return -1, -1
	}
	return start, end
}
