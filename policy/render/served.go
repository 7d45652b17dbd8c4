package render

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"focus/rollout"
)

// ServedConfig is where a server renders.
type ServedConfig struct {
	// URL is the server, without /tokenize. Required.
	URL string
	// Model is the name it is served under. Required.
	Model string
	// Key is sent as a bearer token; "" sends none.
	Key string
	// Kwargs are further variables of the chat template.
	Kwargs map[string]any
	// Stops are the ids that end an assistant turn, the template's own first.
	// Required: a server does not tell them.
	Stops []rollout.TokenID
	// Timeout of one request; 0 is 30 seconds.
	Timeout time.Duration
	// Client sends the requests; nil is a client of its own.
	Client *http.Client
}

// Served is the renderer over vLLM's /tokenize, for models whose template is not
// at hand. Ids are what the server gives for the whole conversation, which is
// [HFExact]: it cannot be told what nobody vouches for. A bridge asks for the
// conversation three times.
type Served struct {
	cfg  ServedConfig
	hash string
}

// NewServed asks the server for a short conversation, whose ids name the
// template.
func NewServed(cfg ServedConfig) (*Served, error) {
	var errs []error
	if cfg.URL == "" {
		errs = append(errs, errors.New("url: missing"))
	}
	if cfg.Model == "" {
		errs = append(errs, errors.New("model: missing"))
	}
	if len(cfg.Stops) == 0 {
		errs = append(errs, errors.New("stops: missing; give the ids that end an assistant turn"))
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("served renderer: %w", errors.Join(errs...))
	}
	cfg.URL = strings.TrimSuffix(cfg.URL, "/") + "/tokenize"
	if cfg.Timeout <= 0 {
		cfg.Timeout = 30 * time.Second
	}
	if cfg.Client == nil {
		cfg.Client = &http.Client{}
	}
	s := &Served{cfg: cfg}
	ids, err := s.ask([]rollout.Message{rollout.User("a"), rollout.Assistant("b"), rollout.User("c")}, nil, true)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(fmt.Append(nil, ids))
	s.hash = hex.EncodeToString(sum[:])
	return s, nil
}

// StopIDs are those of the configuration.
func (s *Served) StopIDs() []rollout.TokenID { return slices.Clone(s.cfg.Stops) }

// Hash names the template by the ids of a short conversation.
func (s *Served) Hash() string { return s.hash }

// Prompt is the server's ids for a whole conversation. Sampled ids stand in it
// up to the first message that the template renders in another way.
func (s *Served) Prompt(messages []rollout.Message, tools []rollout.ToolSchema) ([]rollout.TokenID, error) {
	whole, err := s.ask(messages, tools, true)
	if err != nil {
		return nil, err
	}
	var ids []rollout.TokenID
	at := 0
	for i, m := range messages {
		if len(m.Sampled) == 0 {
			continue
		}
		r, err := s.reply(messages[:i+1], tools, whole)
		if err != nil {
			return nil, err
		}
		if !r.same || r.start < at {
			break
		}
		ids = append(append(ids, whole[at:r.start]...), m.Sampled...)
		at = s.after(whole, r.end, m.Sampled[len(m.Sampled)-1])
	}
	return append(ids, whole[at:]...), nil
}

// Bridge is what the server puts after the reply. Where the history is rewritten
// the end of the turn is found by counting the ids that end turns.
func (s *Served) Bridge(g Gap) (Bridge, error) {
	if g.Covered < 1 || g.Covered > len(g.Messages) {
		return Bridge{}, fmt.Errorf("bridge after message %d of %d", g.Covered-1, len(g.Messages))
	}
	whole, err := s.ask(g.Messages, g.Tools, true)
	if err != nil {
		return Bridge{}, err
	}
	r, err := s.reply(g.Messages[:g.Covered], g.Tools, whole)
	if err != nil {
		return Bridge{}, err
	}
	end := r.end
	if !r.same {
		n := 0
		end = slices.IndexFunc(whole, func(id rollout.TokenID) bool {
			if slices.Contains(s.cfg.Stops, id) {
				n++
			}
			return n > r.turns
		})
		if end < 0 {
			return Bridge{}, errors.New("served renderer: none of the stop ids ends the turn in the server's template")
		}
	}
	return Bridge{IDs: whole[s.after(whole, end, g.Last):], Rewrites: !r.same}, nil
}

// servedReply is where a message stands in ids when it is the last.
type servedReply struct {
	start, end int  // its own ids, without the terminator
	turns      int  // how many stop ids come before the terminator
	same       bool // whether the whole conversation has the same ids there
}

// reply finds the last of messages, and compares with the ids of a conversation
// that begins with them.
func (s *Served) reply(messages []rollout.Message, tools []rollout.ToolSchema, whole []rollout.TokenID) (servedReply, error) {
	sent, err := s.ask(messages[:len(messages)-1], tools, true)
	if err != nil {
		return servedReply{}, err
	}
	closed, err := s.ask(messages, tools, false)
	if err != nil {
		return servedReply{}, err
	}
	r := servedReply{start: len(sent), end: len(closed)}
	for i := len(closed) - 1; i >= len(sent); i-- {
		if slices.Contains(s.cfg.Stops, closed[i]) {
			r.end = i
			break
		}
	}
	for _, id := range closed[:r.end] {
		if slices.Contains(s.cfg.Stops, id) {
			r.turns++
		}
	}
	r.same = r.start <= r.end && r.end < len(whole) && slices.Equal(closed[:r.end], whole[:r.end]) &&
		slices.Equal(sent, whole[:r.start]) && slices.Contains(s.cfg.Stops, whole[r.end])
	return r, nil
}

// after is where ids go on after a turn that ended with last: behind the
// terminator when it was sampled, or another id in its place.
func (s *Served) after(whole []rollout.TokenID, end int, last rollout.TokenID) int {
	if last == whole[end] || whole[end] == s.cfg.Stops[0] && slices.Contains(s.cfg.Stops, last) {
		return end + 1
	}
	return end
}

// ask is the server's ids for messages.
func (s *Served) ask(messages []rollout.Message, tools []rollout.ToolSchema, next bool) ([]rollout.TokenID, error) {
	body := map[string]any{"model": s.cfg.Model, "messages": wireMessages(messages), "add_generation_prompt": next, "add_special_tokens": false}
	if len(tools) > 0 {
		lines := make([]json.RawMessage, len(tools))
		for i, t := range tools {
			line, err := toolJSON(t)
			if err != nil {
				return nil, err
			}
			lines[i] = json.RawMessage(line)
		}
		body["tools"] = lines
	}
	if len(s.cfg.Kwargs) > 0 {
		body["chat_template_kwargs"] = s.cfg.Kwargs
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("served renderer: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.cfg.URL, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("served renderer: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if s.cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+s.cfg.Key)
	}
	res, err := s.cfg.Client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("served renderer: %w", err)
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(res.Body, 256<<20))
	if err != nil {
		return nil, fmt.Errorf("served renderer: %s: %w", s.cfg.URL, err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("served renderer: %s: %s: %.300s", s.cfg.URL, res.Status, reply)
	}
	var out struct {
		Tokens []rollout.TokenID `json:"tokens"`
	}
	if err := json.Unmarshal(reply, &out); err != nil || out.Tokens == nil {
		return nil, fmt.Errorf("served renderer: %s: the answer has no tokens: %.300s", s.cfg.URL, reply)
	}
	return out.Tokens, nil
}

// wireMessages are messages as chat endpoints take them: arguments are texts.
func wireMessages(messages []rollout.Message) []map[string]any {
	out := make([]map[string]any, len(messages))
	for i, m := range messages {
		w := map[string]any{"role": m.Role, "content": whole(m.Content)}
		if m.Reasoning != "" {
			w["reasoning_content"] = whole(m.Reasoning)
		}
		if m.ToolCallID != "" {
			w["tool_call_id"] = m.ToolCallID
		}
		if m.Name != "" {
			w["name"] = m.Name
		}
		var calls []map[string]any
		for _, c := range m.ToolCalls {
			arguments := whole(string(c.Arguments))
			if strings.TrimSpace(arguments) == "" {
				arguments = "{}"
			}
			calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": arguments}})
		}
		if len(calls) > 0 {
			w["tool_calls"] = calls
		}
		out[i] = w
	}
	return out
}
