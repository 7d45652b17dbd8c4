package render

import (
	"fmt"
	"sync/atomic"

	"focus/policy"
	"focus/rollout"
)

// Chat is the part of a policy that deals in text: a renderer, its tokenizer
// and what to do when the template rewrites the history. A policy over token
// ids embeds one and has Prepare, Continue, Decode and StopIDs.
type Chat struct {
	renderer  Renderer
	tokenizer Tokenizer
	history   History
	rewrites  atomic.Int64
}

// NewChat joins the parts. An empty history is [Fork].
func NewChat(r Renderer, tok Tokenizer, history History) (*Chat, error) {
	switch history {
	case "":
		history = Fork
	case Keep, Fork, Fail:
	default:
		return nil, fmt.Errorf("history is %q, must be keep, fork or fail", history)
	}
	return &Chat{renderer: r, tokenizer: tok, history: history}, nil
}

// Prepare renders a whole conversation.
func (c *Chat) Prepare(messages []rollout.Message, tools []rollout.ToolSchema) (policy.Prompt, error) {
	ids, err := c.renderer.Prompt(messages, tools)
	if err != nil {
		return policy.Prompt{}, err
	}
	return policy.Prompt{Tokens: rollout.NewTokens(ids...), Covers: len(messages)}, nil
}

// Continue extends prev by what came after it.
func (c *Chat) Continue(prev *rollout.Turn, all []rollout.Message, tools []rollout.ToolSchema) (policy.Prompt, error) {
	sampled := prev.Sampled()
	if len(sampled) == 0 || prev.Covers < 1 || prev.Covers > len(all) {
		return policy.Prompt{}, fmt.Errorf("continue a turn of %d sampled ids that covers %d of %d messages: it must have ids and cover its own reply",
			len(sampled), prev.Covers, len(all))
	}
	b, err := c.renderer.Bridge(Gap{Last: sampled[len(sampled)-1], Messages: all, Covered: prev.Covers, Tools: tools})
	if err != nil {
		return policy.Prompt{}, err
	}
	if b.Rewrites {
		c.rewrites.Add(1)
		switch c.history {
		case Fail:
			return policy.Prompt{}, fmt.Errorf("continue after message %d: %w; set history to keep or fork", prev.Covers-1, policy.ErrRewritten)
		case Fork:
			p, err := c.Prepare(all, tools)
			p.Rewrote = true
			return p, err
		}
	}
	return policy.Prompt{Tokens: prev.Context.Append(b.IDs...), Covers: len(all)}, nil
}

// Decode is the text of ids and where each of them ends in it.
func (c *Chat) Decode(ids []rollout.TokenID) (string, []int) { return decode(c.tokenizer, ids) }

// Encode is the ids of plain text, as HF encodes it.
func (c *Chat) Encode(text string) []rollout.TokenID {
	return c.tokenizer.EncodeSpans(nil, text, nil)
}

// StopIDs end an assistant turn.
func (c *Chat) StopIDs() []rollout.TokenID { return c.renderer.StopIDs() }

// TokenizerHash and TemplateHash name what prompts are made with.
func (c *Chat) TokenizerHash() string { return c.tokenizer.Hash() }
func (c *Chat) TemplateHash() string  { return c.renderer.Hash() }

// Rewrites counts the turns before which the template rewrote the history,
// whatever was done about it.
func (c *Chat) Rewrites() int64 { return c.rewrites.Load() }
