package parser

import "focus/rollout"

// TokenChunk takes every reply as one segment of a longer one. A segment may end
// inside a word or a think block, so its text stays as it is; whoever wants the
// answer reads the whole reply when it is final.
func TokenChunk() Parser { return chunk{} }

type chunk struct{}

func (chunk) Kinds() []rollout.ActionKind {
	return []rollout.ActionKind{rollout.ActionTokenChunk}
}

func (chunk) Parse(r Reply) Parsed {
	t := newTurn(r)
	return Parsed{
		Message: rollout.Message{
			Role:    rollout.RoleAssistant,
			Content: t.src[len(r.Before):],
			Sampled: r.Tokens,
		},
		Action: rollout.TokenChunk{
			Tokens: r.Tokens,
			Reply:  t.src,
			Final:  r.Finish == rollout.FinishStop,
		},
		Status: rollout.ParseNone,
	}
}
