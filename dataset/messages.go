package dataset

import (
	"encoding/json"

	"focus/rollout"
)

// messages is the conversation that the context of a row's last turn renders;
// nil for a fold's own, which nobody keeps.
func (l *liner) messages(last *rollout.Turn) (json.RawMessage, error) {
	if last.Tag != rollout.TagTask || last.Covers <= 0 {
		return nil, nil
	}
	all, ok := l.line.State.Conversation(last.ContextVersion)
	if !ok || all.Len() < last.Covers {
		return nil, nil
	}
	return encodeMessages(all.Truncate(last.Covers))
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
