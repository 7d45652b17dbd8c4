package render

import (
	"errors"
	"fmt"
	"slices"

	"focus/rollout"
)

// vllm asks /tokenize with messages.
type vllm struct{ ServedConfig }

// NewServed asks a vLLM server for a short conversation, whose ids name the
// template.
func NewServed(cfg ServedConfig) (*Served, error) {
	cfg, err := cfg.ready()
	errs := []error{err}
	if cfg.Model == "" {
		errs = append(errs, errors.New("model: missing"))
	}
	if len(cfg.Stops) == 0 {
		errs = append(errs, errors.New("stops: missing; give the ids that end an assistant turn"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("served renderer: %w", err)
	}
	server := vllm{cfg}
	out, err := server.ask(probe, nil, true)
	if err != nil {
		return nil, err
	}
	return &Served{server: server, stops: cfg.Stops, hash: hashOf(fmt.Append(nil, out.ids))}, nil
}

func (v vllm) ask(messages []rollout.Message, tools []rollout.ToolSchema, next bool) (rendered, error) {
	body, err := v.wireChat(messages, tools, next)
	if err != nil {
		return rendered{}, err
	}
	body["add_special_tokens"] = false
	return v.tokenize(body)
}

// tokenize asks the route that both kinds of server have.
func (cfg ServedConfig) tokenize(body map[string]any) (rendered, error) {
	var out struct {
		Tokens []rollout.TokenID `json:"tokens"`
	}
	if err := cfg.call("/tokenize", body, &out); err != nil {
		return rendered{}, err
	}
	if out.Tokens == nil {
		return rendered{}, &ServedError{URL: cfg.URL + "/tokenize", Message: "the answer has no tokens", Advice: advice(404)}
	}
	return rendered{ids: out.Tokens}, nil
}

// reply renders the conversation up to the reply, and compares. Where the
// history is rewritten the end of the turn is found by counting the ids that end
// turns.
func (v vllm) reply(messages []rollout.Message, n int, tools []rollout.ToolSchema, whole rendered) (servedReply, error) {
	sent, err := v.ask(messages[:n-1], tools, true)
	if err != nil {
		return servedReply{}, err
	}
	closed, err := v.ask(messages[:n], tools, false)
	if err != nil {
		return servedReply{}, err
	}
	r := servedReply{start: len(sent.ids), end: len(closed.ids)}
	for i := len(closed.ids) - 1; i >= r.start; i-- {
		if slices.Contains(v.Stops, closed.ids[i]) {
			r.end = i
			break
		}
	}
	r.same = r.start <= r.end && r.end < len(whole.ids) && slices.Equal(closed.ids[:r.end], whole.ids[:r.end]) &&
		slices.Equal(sent.ids, whole.ids[:r.start]) && slices.Contains(v.Stops, whole.ids[r.end])
	if r.same {
		return r, nil
	}
	turns := 0
	for _, id := range closed.ids[:r.end] {
		if slices.Contains(v.Stops, id) {
			turns++
		}
	}
	r.end = slices.IndexFunc(whole.ids, func(id rollout.TokenID) bool {
		if slices.Contains(v.Stops, id) {
			turns--
		}
		return turns < 0
	})
	return r, nil
}
