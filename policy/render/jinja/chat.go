package jinja

// MarkChat returns a conversation with the source of its text: every string and key of message i comes from
// FromMessage(i), except the message's role, and everything in tools from ToolSchemas. Values that are not lists of
// messages and tools are returned unchanged in kind, with every string in them marked.
func MarkChat(messages, tools Value) (markedMessages, markedTools Value) {
	markedTools = Mark(tools, ToolSchemas)
	list, ok := messages.(*List)
	if !ok {
		return Mark(messages, FromMessage(0)), markedTools
	}
	out := make([]Value, len(list.items))
	for i, m := range list.items {
		d, ok := m.(*Dict)
		if !ok {
			out[i] = Mark(m, FromMessage(i))
			continue
		}
		c := NewDict(len(d.keys))
		for k, key := range d.keys {
			v := d.vals[k]
			if s, ok := key.(*Str); !ok || s.s != "role" {
				key, v = Mark(key, FromMessage(i)), Mark(v, FromMessage(i))
			}
			c.put(key, v)
		}
		out[i] = c
	}
	return &List{items: out}, markedTools
}

// Mark returns v with every string and key in it marked as coming from src.
func Mark(v Value, src Source) Value {
	switch x := v.(type) {
	case *Str:
		return Untrusted(x.s, src)
	case *List:
		out := make([]Value, len(x.items))
		for i, e := range x.items {
			out[i] = Mark(e, src)
		}
		return &List{items: out}
	case *Dict:
		d := NewDict(len(x.keys))
		for i, k := range x.keys {
			d.put(Mark(k, src), Mark(x.vals[i], src))
		}
		return d
	}
	return v
}
