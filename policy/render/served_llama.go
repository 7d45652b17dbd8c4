package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"focus/rollout"
)

// llama asks a llama-server: /apply-template for the text, /tokenize for its ids.
type llama struct{ ServedConfig }

// NewLlama asks a llama-server what its template is, and for a short
// conversation, on which it checks that the stop ids end turns and that no more
// than one BOS is added. A server whose model has no template renders ChatML.
func NewLlama(cfg ServedConfig) (*Served, error) {
	cfg, err := cfg.ready()
	if err != nil {
		return nil, fmt.Errorf("served renderer: %w", err)
	}
	var props struct {
		Settings map[string]any `json:"default_generation_settings"`
		Template string         `json:"chat_template"`
		EOS      string         `json:"eos_token"`
	}
	if err := cfg.call("/props", nil, &props); err != nil {
		return nil, err
	}
	if props.Settings == nil {
		return nil, &ServedError{URL: cfg.URL + "/props", Message: "this is not a llama-server", Advice: "correct url, or use the renderer of the server that is there"}
	}
	server := llama{cfg}
	if len(cfg.Stops) == 0 {
		out, err := server.encode(props.EOS, false)
		if err != nil {
			return nil, err
		}
		if len(out.ids) != 1 {
			return nil, &ServedError{URL: cfg.URL + "/props", Message: fmt.Sprintf("eos_token %q is not one id", props.EOS), Advice: "give the ids that end an assistant turn as stops"}
		}
		server.Stops = out.ids
	}
	out, err := server.ask(probe, nil, true)
	if err != nil {
		return nil, err
	}
	if err := server.checkBOS(out); err != nil {
		return nil, err
	}
	if r, err := server.reply(probe, 2, nil, out); err != nil {
		return nil, err
	} else if r.end < 0 {
		return nil, fmt.Errorf("%s: ids %v: %w", cfg.URL, server.Stops, errNoEnd)
	}
	hash := hashOf(props.Template)
	if props.Template == "" {
		hash = hashOf(fmt.Append(nil, out.ids))
	}
	return &Served{server: server, stops: server.Stops, hash: hash}, nil
}

// checkBOS holds a rendering against its ids without what the vocabulary adds.
// The server takes BOS off the text, so adding is right; anything more than
// that one id would stand in the middle of a bridge.
func (l llama) checkBOS(out rendered) error {
	bare, err := l.encode(out.text, false)
	if err != nil || slices.Equal(out.ids, bare.ids) {
		return err
	}
	fail := &ServedError{URL: l.URL + "/tokenize", Advice: "correct the special ids of the server's vocabulary"}
	switch {
	case len(bare.ids) == 0 || len(out.ids) == 0 || !slices.Equal(out.ids[1:], bare.ids):
		fail.Message = "add_special adds other ids than one BOS in front"
	case out.ids[0] == bare.ids[0]:
		fail.Message = fmt.Sprintf("the prompt begins with BOS (id %d) twice", bare.ids[0])
	default:
		return nil
	}
	return fail
}

func (l llama) ask(messages []rollout.Message, tools []rollout.ToolSchema, next bool) (rendered, error) {
	if n := len(messages); n > 0 && messages[n-1].Role == rollout.RoleAssistant {
		return rendered{}, errors.New("served renderer: the conversation ends with an assistant message, which a llama-server leaves open; add the message that follows it")
	}
	body, err := l.wireChat(messages, tools, next)
	if err != nil {
		return rendered{}, err
	}
	var out struct {
		Prompt *string `json:"prompt"`
	}
	if err := l.call("/apply-template", body, &out); err != nil {
		return rendered{}, err
	}
	if out.Prompt == nil {
		return rendered{}, &ServedError{URL: l.URL + "/apply-template", Message: "the answer has no prompt", Advice: advice(404)}
	}
	return l.encode(*out.Prompt, true)
}

// encode is a text's ids, control tokens among them, with BOS where the
// vocabulary adds it.
func (l llama) encode(text string, special bool) (rendered, error) {
	out, err := l.tokenize(map[string]any{"content": text, "add_special": special, "parse_special": true})
	out.text = text
	return out, err
}

// reply renders the conversation with another message after the reply: what both
// share ends in the header of that message, and the last stop id in it ends the
// turn. A conversation that ends with the reply cannot be asked for, so whether
// it stands there as it was said is read off the text of its ids.
func (l llama) reply(messages []rollout.Message, n int, tools []rollout.ToolSchema, whole rendered) (servedReply, error) {
	if n == len(messages) {
		return servedReply{}, errors.New("served renderer: nothing follows the assistant message")
	}
	other := slices.Clone(messages)
	other[n].Content = "x" + other[n].Content
	changed, err := l.ask(other, tools, true)
	if err != nil {
		return servedReply{}, err
	}
	r := servedReply{end: -1}
	to := shared([]byte(whole.text), []byte(changed.text))
	if to == len(whole.text) {
		return r, nil // the template does not show what follows
	}
	for r.end = shared(whole.ids, changed.ids) - 1; r.end >= 0; r.end-- {
		if slices.Contains(l.Stops, whole.ids[r.end]) {
			break
		}
	}
	if r.end < 0 {
		return r, nil
	}
	if n > 1 && messages[n-2].Role == rollout.RoleAssistant {
		return r, nil // the prompt for it cannot be asked for
	}
	sent, err := l.ask(messages[:n-1], tools, true)
	if err != nil {
		return r, err
	}
	r.start = len(sent.ids)
	if !strings.HasPrefix(whole.text[:to], sent.text) || shared(sent.ids, whole.ids) < r.start {
		return r, nil
	}
	if r.end < r.start {
		r.end = -1
		return r, nil
	}
	var reply struct {
		Content string `json:"content"`
	}
	if err := l.call("/detokenize", map[string]any{"tokens": whole.ids[r.start:r.end]}, &reply); err != nil {
		return r, err
	}
	r.same = holds(reply.Content, messages[n-1])
	return r, nil
}

// holds tells whether a text shows what a message thinks and then says, blanks
// around both aside.
func holds(text string, m rollout.Message) bool {
	_, text, ok := strings.Cut(text, strings.TrimSpace(whole(m.Reasoning)))
	return ok && strings.Contains(text, strings.TrimSpace(whole(m.Content)))
}

// shared is how long two sequences are the same.
func shared[T comparable](a, b []T) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
