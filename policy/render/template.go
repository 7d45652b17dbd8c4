package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"focus/policy/render/jinja"
	"focus/policy/tokenizer"
	"focus/rollout"
)

// Vocabulary is a Tokenizer that lists its added tokens; *tokenizer.Tokenizer
// is one.
type Vocabulary interface {
	Tokenizer
	Added() []tokenizer.AddedToken
}

// Source is a chat template and what it is rendered with.
type Source struct {
	// Text is the template. ForTools, where not empty, takes its place when
	// there are tools.
	Text, ForTools string
	// Special are the special tokens by the names templates know: bos_token, …
	Special map[string]string
	// Kwargs are further variables; they win over Special.
	Kwargs map[string]any
	// Now is what strftime_now formats. Zero refuses templates that ask.
	Now time.Time
	// Stops end a turn, besides the template's own terminator.
	Stops []rollout.TokenID
}

// Template is the renderer over a Hugging Face chat template.
type Template struct {
	plain, forTools *jinja.Template
	vars            jinja.Vars
	now             time.Time
	enc             Vocabulary
	trust           Trust
	hash            string
	keys            []string // what reasoning is called
	added           []tokenizer.AddedToken
	turns           turns
}

// NewTemplate compiles a template and finds out how it ends a turn.
func NewTemplate(enc Vocabulary, trust Trust, src Source) (*Template, error) {
	t := &Template{enc: enc, trust: trust, now: src.Now, added: enc.Added(), keys: reasoningKeys(src.Text)}
	var err error
	if t.plain, err = jinja.Parse(src.Text); err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	t.forTools = t.plain
	if src.ForTools != "" {
		if t.forTools, err = jinja.Parse(src.ForTools); err != nil {
			return nil, fmt.Errorf("chat template for tools: %w", err)
		}
	}
	sum := sha256.Sum256([]byte(src.Text + src.ForTools))
	t.hash = hex.EncodeToString(sum[:])
	t.vars = jinja.Vars{"documents": jinja.None}
	for name, token := range src.Special {
		t.vars[name] = jinja.String(token)
	}
	for name, v := range src.Kwargs {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("chat_template_kwargs: %s: %w", name, err)
		}
		if t.vars[name], err = jinja.Decode(string(data), jinja.Trusted); err != nil {
			return nil, fmt.Errorf("chat_template_kwargs: %s: %w", name, err)
		}
	}
	t.turns, err = t.probe(src.Stops, src.Special["eos_token"])
	return t, err
}

// StopIDs are the template's own terminator and what was given besides.
func (t *Template) StopIDs() []rollout.TokenID { return slices.Clone(t.turns.stops) }

// Hash is the SHA-256 of the template's text.
func (t *Template) Hash() string { return t.hash }

// render renders messages, and the prompt for the next assistant turn if asked.
func (t *Template) render(messages []jinja.Value, tools jinja.Value, next jinja.Bool) (jinja.Output, error) {
	vars := jinja.Vars{"messages": jinja.NewList(messages...), "tools": tools, "add_generation_prompt": next}
	for name, v := range t.vars {
		vars[name] = v
	}
	tmpl := t.plain
	if tools != jinja.None {
		tmpl = t.forTools
	}
	out, err := tmpl.Render(vars, jinja.Options{Now: t.now})
	if e, ok := errors.AsType[*jinja.RuntimeError](err); ok && t.now.IsZero() && strings.Contains(e.Message, "asks for the date") {
		return out, errDate
	}
	if err != nil {
		return out, fmt.Errorf("chat template: %w", err)
	}
	return out, nil
}

var errDate = errors.New("the chat template asks for the date: set date, such as 2026-01-31, so that prompts do not change at midnight")

// encode appends the ids of a part of a rendered text.
func (t *Template) encode(dst []rollout.TokenID, out jinja.Output, from, to int) []rollout.TokenID {
	if from >= to {
		return dst
	}
	var plain []tokenizer.Span
	if t.trust != HFExact {
		for _, s := range out.Content {
			if s.End > from && s.Start < to {
				plain = append(plain, tokenizer.Span{Start: s.Start - from, End: s.End - from})
			}
		}
	}
	return t.enc.EncodeSpans(dst, out.Text[from:to], plain)
}

// Rendered is a conversation as text and as ids.
type Rendered struct {
	Text string            `json:"text"`
	IDs  []rollout.TokenID `json:"ids"`
	// Content is where the text came from messages and tools, Generation where
	// the template marks it as an assistant's.
	Content    []Origin `json:"content"`
	Generation []Origin `json:"generation,omitempty"`
}

// Origin is a range of bytes and the message that it came from: -1 for the
// tools, and for text that the template marks.
type Origin struct {
	Start   int `json:"start"`
	End     int `json:"end"`
	Message int `json:"message"`
}

// RenderJSON renders messages and tools in the form HF is given them; tools may
// be empty or null.
func (t *Template) RenderJSON(messages, tools json.RawMessage, next bool) (Rendered, error) {
	list, err := jinja.Decode(string(messages), jinja.Trusted)
	if err != nil {
		return Rendered{}, fmt.Errorf("messages: %w", err)
	}
	schemas := jinja.None
	if len(tools) > 0 {
		if schemas, err = jinja.Decode(string(tools), jinja.Trusted); err != nil {
			return Rendered{}, fmt.Errorf("tools: %w", err)
		}
	}
	if _, ok := list.(*jinja.List); !ok {
		return Rendered{}, errors.New("messages: not a list")
	}
	list, schemas = jinja.MarkChat(list, schemas)
	all := make([]jinja.Value, list.(*jinja.List).Len())
	for i := range all {
		all[i] = list.(*jinja.List).At(i)
	}
	out, err := t.render(all, schemas, jinja.Bool(next))
	if err != nil {
		return Rendered{}, err
	}
	r := Rendered{Text: out.Text, IDs: t.encode(nil, out, 0, len(out.Text)), Content: []Origin{}}
	for _, s := range out.Content {
		i, ok := s.Source.Message()
		if !ok {
			i = -1
		}
		r.Content = append(r.Content, Origin{s.Start, s.End, i})
	}
	for _, s := range out.Generation {
		r.Generation = append(r.Generation, Origin{s.Start, s.End, -1})
	}
	return r, nil
}
