package exactness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"focus/policy/render/jinja"
)

// now is the date that the answers were rendered at.
var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// conversation is an entry of convs.json.
type conversation struct {
	ID       string          `json:"id"`
	Messages json.RawMessage `json:"messages"`
	Tools    json.RawMessage `json:"tools"`
	Next     bool            `json:"add_generation_prompt"`
	Kwargs   json.RawMessage `json:"kwargs"`
}

// answer is what the reference made of a conversation.
type answer struct {
	OK  *string `json:"ok"`
	Err string  `json:"err"`
}

// Templates checks every template of a folder in the order of their names and
// calls each with what it found. convs may name a file of conversations; "" is
// the folder's own.
func Templates(dir, convs string, each func(Line) error) error {
	var list []conversation
	if err := readJSON(given(convs, dir, "convs.json"), &list); err != nil {
		return fmt.Errorf("conversations: %w", err)
	}
	var renders map[string]map[string]json.RawMessage
	if err := readJSON(filepath.Join(dir, "renders.json"), &renders); err != nil {
		return fmt.Errorf("renders: %w", err)
	}
	names := map[string]bool{}
	for name := range renders {
		names[name] = true
	}
	entries, err := os.ReadDir(filepath.Join(dir, "templates"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		names[e.Name()] = true
	}
	vars := make([]jinja.Vars, len(list))
	for i, c := range list {
		if vars[i], err = c.vars(); err != nil {
			return fmt.Errorf("conversation %s: %w", c.ID, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		l := Line{Kind: "template", Name: name}
		text, err := os.ReadFile(filepath.Join(dir, "templates", name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			l.Total = len(renders[name])
			l.differ("the folder has no such template")
		case err != nil:
			return err
		default:
			template(&l, string(text), list, vars, renders[name])
		}
		if err := each(l); err != nil {
			return err
		}
	}
	return nil
}

// template compares one template's renders.
func template(l *Line, text string, list []conversation, vars []jinja.Vars, want map[string]json.RawMessage) {
	t, err := jinja.Parse(text)
	if refusal, ok := want["_compile"]; ok {
		l.Total = 1
		if err == nil {
			l.differ("it compiles, where the reference says %s", refusal)
			return
		}
		l.Same, l.Refused = 1, 1
		return
	}
	l.Total = max(len(list), len(want))
	if err != nil {
		l.differ("it does not compile: %v", err)
		return
	}
	known := map[string]bool{}
	for i, c := range list {
		known[c.ID] = true
		var a answer
		if raw, ok := want[c.ID]; !ok {
			l.differ("conversation %s: renders.json has no answer", c.ID)
			continue
		} else if err := json.Unmarshal(raw, &a); err != nil || (a.OK == nil) == (a.Err == "") {
			l.differ("conversation %s: the answer in renders.json is neither ok nor err", c.ID)
			continue
		}
		out, err := t.Render(vars[i], jinja.Options{Now: now})
		switch {
		case a.OK == nil && err == nil:
			l.differ("conversation %s: rendered, where the reference raises %s", c.ID, a.Err)
		case a.OK == nil:
			l.Refused++
			l.Same++
		case err != nil:
			l.differ("conversation %s: %v", c.ID, err)
		case out.Text != *a.OK:
			l.differ("conversation %s: %s", c.ID, firstByte(out.Text, *a.OK))
		default:
			l.Same++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if !known[id] {
			l.differ("conversation %s: it has an answer and is not in convs.json", id)
		}
	}
}

// vars are the variables that the reference gave the template.
func (c conversation) vars() (jinja.Vars, error) {
	decode := func(raw json.RawMessage) (jinja.Value, error) {
		if len(raw) == 0 {
			return jinja.None, nil
		}
		return jinja.Decode(string(raw), jinja.Trusted)
	}
	messages, err := decode(c.Messages)
	if err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	tools, err := decode(c.Tools)
	if err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	kwargs, err := decode(c.Kwargs)
	if err != nil {
		return nil, fmt.Errorf("kwargs: %w", err)
	}
	messages, tools = jinja.MarkChat(messages, tools)
	vars := jinja.Vars{
		"messages": messages, "tools": tools, "documents": jinja.None, "add_generation_prompt": jinja.Bool(c.Next),
		"bos_token": jinja.String("<s>"), "eos_token": jinja.String("</s>"), "pad_token": jinja.String("<pad>"),
	}
	if d, ok := kwargs.(*jinja.Dict); ok {
		for k, v := range d.All {
			if name, ok := k.(*jinja.Str); ok {
				vars[name.Text()] = v
			}
		}
	}
	return vars, nil
}
