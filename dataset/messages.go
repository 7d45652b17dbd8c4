package dataset

import (
	"encoding/json"

	"focus/rollout"
)

// messages is the conversation that the context of a row's last turn renders,
// nil when no known state has it: a fold's own conversation, or a context that
// was rewritten since and of which [Line.Earlier] has no checkpoint.
func (l *liner) messages(last *rollout.Turn) (json.RawMessage, error) {
	if last.Tag != rollout.TagTask || last.Covers <= 0 {
		return nil, nil
	}
	if m, ok := covered(l.line.State, last); ok {
		return encodeMessages(m)
	}
	for _, s := range l.line.Earlier {
		if m, ok := covered(s, last); ok {
			return encodeMessages(m)
		}
	}
	return nil, nil
}

// covered is the part of a state's conversation that a turn of its log renders.
func covered(s rollout.State, t *rollout.Turn) (rollout.List[rollout.Message], bool) {
	if s.ContextVersion != t.ContextVersion || s.Messages.Len() < t.Covers {
		return rollout.List[rollout.Message]{}, false
	}
	for have := range s.Turns() {
		if have == t {
			return s.Messages.Truncate(t.Covers), true
		}
	}
	return rollout.List[rollout.Message]{}, false
}

// encodeMessages writes a conversation in the form that chat templates share.
// Arguments that are not JSON, as a model may write them, become a string.
func encodeMessages(list rollout.List[rollout.Message]) (json.RawMessage, error) {
	out := make([]rollout.Message, 0, list.Len())
	for _, m := range list.All() {
		m.ToolCalls = jsonCalls(m.ToolCalls)
		out = append(out, m)
	}
	return marshal(out)
}

func jsonCalls(calls []rollout.ToolCall) []rollout.ToolCall {
	var out []rollout.ToolCall
	for _, c := range calls {
		if !json.Valid(c.Arguments) {
			text, err := marshal(string(c.Arguments))
			if err != nil {
				text = []byte(`""`)
			}
			c.Arguments = text
		}
		out = append(out, c)
	}
	return out
}
