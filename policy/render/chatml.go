package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"focus/rollout"
)

// The markers of ChatML.
const (
	imStart = "<|im_start|>"
	imEnd   = "<|im_end|>"
	reply   = imStart + "assistant\n"
)

// ChatML is the ChatML template with tools and calls in the Hermes form:
//
//	<|im_start|>system
//	{content}
//
//	# Tools
//	{"type": "function", "function": {"name": …, "description": …, "parameters": …}}<|im_end|>
//	<|im_start|>user
//	{content}<|im_end|>
//	<|im_start|>assistant
//	{content}
//	<tool_call>
//	{"name": "calculator", "arguments": {"expression": "2*3"}}
//	</tool_call><|im_end|>
//	<|im_start|>tool
//	{content}<|im_end|>
//	<|im_start|>assistant
//
// Reasoning stands before an assistant's content in think markers. JSON is as
// HF's tojson writes it. The template is append-only: it never rewrites what
// came before.
type ChatML struct {
	enc   Encoder
	trust Trust
	stops []rollout.TokenID
	hash  string
	// mute leaves reasoning out, as the bundled template does.
	mute bool
}

// NewChatML is the renderer over a tokenizer that has ChatML's markers as added
// tokens. stops end a turn besides the terminator.
func NewChatML(enc Encoder, trust Trust, stops ...rollout.TokenID) (*ChatML, error) {
	c := &ChatML{enc: enc, trust: trust}
	for _, token := range []string{imStart, imEnd} {
		id, ok := enc.ID(token)
		if ok {
			ids := enc.EncodeSpans(nil, token+"\n", nil)
			ok = len(ids) > 1 && ids[0] == id
		}
		if !ok {
			return nil, fmt.Errorf("chatml renderer: the tokenizer has no added token %s", token)
		}
		c.stops = append(c.stops[:0], id)
	}
	for _, id := range stops {
		if !slices.Contains(c.stops, id) {
			c.stops = append(c.stops, id)
		}
	}
	return c, c.name()
}

// name hashes what the template makes of a conversation that has one of each
// thing it can render.
func (c *ChatML) name() error {
	d := &draft{trust: HFExact}
	tools := []rollout.ToolSchema{{Name: "f", Description: "d", Parameters: []byte(`{"a":1.0}`)}}
	calls := []rollout.ToolCall{{Name: "f", Arguments: []byte(`{"a":1}`)}, {Name: "f", Arguments: []byte(`{}`)}}
	for _, messages := range [][]rollout.Message{
		{rollout.User("u")},
		{rollout.System("s"), {Role: rollout.RoleAssistant, Content: "c", Reasoning: "r", ToolCalls: calls}, {Role: rollout.RoleTool, Content: "t"}},
		{{Role: rollout.RoleAssistant, ToolCalls: calls}},
	} {
		if err := c.whole(d, messages, tools); err != nil {
			return fmt.Errorf("chatml renderer: %w", err)
		}
	}
	sum := sha256.Sum256([]byte(d.text.String()))
	c.hash = hex.EncodeToString(sum[:])
	return nil
}

// StopIDs are <|im_end|> and what was given besides.
func (c *ChatML) StopIDs() []rollout.TokenID { return slices.Clone(c.stops) }

// Hash names the template by what it renders.
func (c *ChatML) Hash() string { return c.hash }

// Prompt renders a whole conversation.
func (c *ChatML) Prompt(messages []rollout.Message, tools []rollout.ToolSchema) ([]rollout.TokenID, error) {
	d := &draft{enc: c.enc, trust: c.trust}
	if err := c.whole(d, messages, tools); err != nil {
		return nil, err
	}
	return d.done(), nil
}

func (c *ChatML) whole(d *draft, messages []rollout.Message, tools []rollout.ToolSchema) error {
	rest, err := c.opening(d, messages, tools)
	if err != nil {
		return err
	}
	for i, m := range rest {
		if err := c.message(d, m); err != nil {
			return fmt.Errorf("render message %d: %w", len(messages)-len(rest)+i, err)
		}
	}
	d.own(reply)
	return nil
}

// Bridge renders what follows a sampled turn. Its text begins with the
// terminator, so that it is encoded as it would be within the whole.
func (c *ChatML) Bridge(g Gap) (Bridge, error) {
	d := &draft{enc: c.enc, trust: c.trust}
	d.splice(nil, slices.Contains(c.stops, g.Last))
	d.own(imEnd + "\n")
	for i, m := range g.Messages[g.Covered:] {
		if err := c.message(d, m); err != nil {
			return Bridge{}, fmt.Errorf("render message %d: %w", g.Covered+i, err)
		}
	}
	d.own(reply)
	return Bridge{IDs: d.done()}, nil
}

// opening writes the system turn, with the tools in it, and returns the
// messages after it.
func (c *ChatML) opening(d *draft, messages []rollout.Message, tools []rollout.ToolSchema) ([]rollout.Message, error) {
	system := len(messages) > 0 && messages[0].Role == rollout.RoleSystem
	if !system && len(tools) == 0 {
		return messages, nil
	}
	d.own(imStart + "system\n")
	if system {
		d.foreign(messages[0].Content)
		messages = messages[1:]
	}
	if len(tools) > 0 {
		if system {
			d.own("\n\n")
		}
		d.own("# Tools")
	}
	for _, t := range tools {
		line, err := toolJSON(t)
		if err != nil {
			return nil, err
		}
		d.own("\n")
		d.foreign(line)
	}
	d.own(imEnd + "\n")
	return messages, nil
}

func (c *ChatML) message(d *draft, m rollout.Message) error {
	if m.Role != rollout.RoleAssistant {
		d.own(imStart)
		d.foreign(string(m.Role))
		d.own("\n")
		d.foreign(m.Content)
		d.own(imEnd + "\n")
		return nil
	}
	d.own(reply)
	if n := len(m.Sampled); n > 0 {
		d.splice(m.Sampled, slices.Contains(c.stops, m.Sampled[n-1]))
	} else if err := c.written(d, m); err != nil {
		return err
	}
	d.own(imEnd + "\n")
	return nil
}

// written renders an assistant message that nobody sampled.
func (c *ChatML) written(d *draft, m rollout.Message) error {
	thought := m.Reasoning != "" && !c.mute
	if thought {
		d.own("<think>\n")
		d.foreign(m.Reasoning)
		d.own("\n</think>\n\n")
	}
	d.foreign(m.Content)
	before := thought || m.Content != ""
	for _, call := range m.ToolCalls {
		arguments, err := pythonJSON(call.Arguments)
		if err != nil {
			return fmt.Errorf("arguments of call to %s: %w", call.Name, err)
		}
		if before {
			d.own("\n")
		}
		before = true
		d.own("<tool_call>\n{\"name\": ")
		d.foreign(pythonString(call.Name))
		d.own(", \"arguments\": ")
		d.foreign(arguments)
		d.own("}\n</tool_call>")
	}
	return nil
}
