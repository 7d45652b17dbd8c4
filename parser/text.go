package parser

import "focus/rollout"

// Text takes every reply as an answer in words. It has no calls, so nothing in
// a reply is an attempt; reasoning is split off also when it never closes.
func Text() Parser { return text{} }

type text struct{}

func (text) Kinds() []rollout.ActionKind { return []rollout.ActionKind{rollout.ActionText} }

func (text) Parse(r Reply) Parsed {
	t := newTurn(r)
	if f := t.splitReasoning(tags, newMarkers()); f == nil {
		t.text(t.pos, len(t.src))
	}
	content := t.content()
	return Parsed{
		Message: rollout.Message{
			Role:      rollout.RoleAssistant,
			Content:   content,
			Reasoning: trim(t.reasoning),
			Sampled:   r.Tokens,
		},
		Action: rollout.Text{Content: content},
		Status: rollout.ParseNone,
	}
}
