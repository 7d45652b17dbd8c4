package vllm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"focus/rollout"
)

// probeModels lists what is served, and takes the model and its window.
func (p *Policy) probeModels(ctx context.Context, s *Sheet) error {
	tap := &tap{rt: p.rt}
	cfg := openai.DefaultConfig(p.key)
	cfg.BaseURL, cfg.HTTPClient = p.routes.api.String(), tap
	list, err := openai.NewClientWithConfig(cfg).ListModels(ctx)
	switch {
	case err != nil && tap.status == 0:
		return fmt.Errorf("no server answers (%w); start it or correct url", rootCause(err))
	case tap.status == http.StatusUnauthorized || tap.status == http.StatusForbidden:
		return fmt.Errorf("answers %d to /v1/models: set api_key_env to the variable that holds the server's key", tap.status)
	case err != nil || len(list.Models) == 0:
		return fmt.Errorf("answers %d to /v1/models and lists no models: not a vLLM server; correct url", tap.status)
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, m.ID)
	}
	switch {
	case p.cfg.Model == "" && len(names) > 1:
		return fmt.Errorf("serves several models, set model to one of: %s", strings.Join(names, ", "))
	case p.cfg.Model == "":
		s.Model = names[0]
	case !slices.Contains(names, p.cfg.Model):
		return fmt.Errorf("does not serve model %q, it serves: %s", p.cfg.Model, strings.Join(names, ", "))
	default:
		s.Model = p.cfg.Model
	}
	w := newWire(s.Model, p.cfg.Priority)
	p.wire.Store(&w)
	return p.takeWindow(tap.body, s)
}

// takeWindow reads max_model_len, which the client library leaves out.
func (p *Policy) takeWindow(body []byte, s *Sheet) error {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Window int    `json:"max_model_len"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return fmt.Errorf("list of models: %w", err)
	}
	for _, m := range list.Data {
		if m.ID == s.Model {
			s.Window = m.Window
		}
	}
	switch own := p.cfg.Window; {
	case s.Window < 1 && own == 0:
		return fmt.Errorf("does not say the window of %q (max_model_len): not a vLLM server, or set window", s.Model)
	case s.Window > 0 && own > s.Window:
		return fmt.Errorf("window is %d and the server has %d for %q; set window to at most that", own, s.Window, s.Model)
	case own > 0:
		s.Window = own
	}
	return nil
}

// probeNames asks for what only some servers tell: their version, and the name
// of their weights.
func (p *Policy) probeNames(ctx context.Context, s *Sheet) error {
	var v struct {
		Version string `json:"version"`
		Weights string `json:"weight_version"`
	}
	for _, u := range []*url.URL{p.routes.version, p.routes.weights} {
		if body, err := p.get(ctx, u); err == nil {
			// An answer of another form tells nothing, as does no answer.
			_ = json.Unmarshal(body, &v)
		}
	}
	s.Server, s.Weights = v.Version, v.Weights
	if p.cfg.Version != "" {
		return nil
	}
	if s.Weights != "" {
		p.SetVersion(rollout.PolicyVersion(s.Weights))
		return nil
	}
	p.version.Store(&named{version: rollout.PolicyVersion(s.Model)})
	return nil
}

// get is the body of a 200.
func (p *Policy) get(ctx context.Context, u *url.URL) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = p.header(&order{id: p.nonce + "-probe"})
	t := &tap{rt: p.rt}
	resp, err := t.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	return t.body, nil
}

// tokenizerText has what tokenizers disagree about: letters, numbers, space,
// case, accents and another script.
const tokenizerText = "Hello, wörld!  It's 2026-11-30;\n\tx += 1234567 世界 CamelCase don't"

// probeTokenizer compares the server's tokenizer with ours, where the server
// has the route: another model's folder would make every prompt noise.
func (p *Policy) probeTokenizer(ctx context.Context, s *Sheet) error {
	body := newBuffer()
	defer body.release()
	body.b = appendJSON(append(body.b, `{"model":`...), s.Model)
	body.b = appendJSON(append(body.b, `,"add_special_tokens":false,"prompt":`...), tokenizerText)
	body.b = append(body.b, '}')
	status, _, out, err := p.post(ctx, p.routes.tokenize, body, p.header(&order{id: p.nonce + "-probe"}))
	if err != nil {
		return nil // servers without the route may do anything
	}
	defer out.release()
	var got struct {
		Tokens []rollout.TokenID `json:"tokens"`
	}
	if status != http.StatusOK || json.Unmarshal(out.b, &got) != nil || got.Tokens == nil {
		return nil
	}
	if want := p.Encode(tokenizerText); !slices.Equal(got.Tokens, want) {
		return fmt.Errorf("its tokenizer gives other ids (%d for a test text) than tokenizer %s (%d); give the folder of the served model",
			len(got.Tokens), p.cfg.Tokenizer, len(want))
	}
	s.TokenizerChecked = true
	return nil
}

// tap is a client for go-openai that keeps what came back.
type tap struct {
	rt     http.RoundTripper
	status int
	body   []byte
}

// Do sends a request and reads its whole answer.
func (t *tap) Do(req *http.Request) (*http.Response, error) {
	resp, err := t.rt.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	t.status = resp.StatusCode
	t.body, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(t.body))
	return resp, nil
}

// rootCause is the innermost of a chain, such as "connection refused".
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
