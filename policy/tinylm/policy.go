package tinylm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"focus/policy"
	"focus/policy/render"
	"focus/rollout"
)

// PolicyConfig describes a policy over a checkpoint folder. The zero value is the bundled checkpoint with every default.
type PolicyConfig struct {
	// Model is a checkpoint folder in Hugging Face form; "" is the bundled one.
	Model string `yaml:"model"`
	// Logprobs says of which law logprobs are reported: "processed" (the default: of the law that was sampled from) or
	// "raw". At temperature 1 without filters they are the same.
	Logprobs rollout.LogprobMode `yaml:"logprobs"`
	// Render says how text becomes ids.
	Render render.Options `yaml:",inline"`
	// Engine sizes the engine.
	Engine Options `yaml:"engine"`
}

// Validate reports every problem at once.
func (c PolicyConfig) Validate() error {
	var mode error
	if c.Logprobs != "" && c.Logprobs != rollout.LogprobsRaw && c.Logprobs != rollout.LogprobsProcessed {
		mode = fmt.Errorf("logprobs: %q is not known, must be raw or processed", c.Logprobs)
	}
	return errors.Join(mode, c.Render.Validate())
}

// Policy is a policy over an engine of its own. It has every ability that package policy names. Close it when done.
type Policy struct {
	*render.Chat
	engine  *Engine
	name    string
	version rollout.PolicyVersion
	mode    rollout.LogprobMode
}

// NewPolicy loads a checkpoint and starts its engine.
func NewPolicy(c PolicyConfig) (*Policy, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("tinylm: %w", err)
	}
	dir, name := Bundled(), "bundled"
	if c.Model != "" {
		dir, name = os.DirFS(c.Model), c.Model
	}
	p, err := newPolicy(dir, c)
	if err != nil {
		return nil, fmt.Errorf("tinylm checkpoint %s: %w", name, err)
	}
	p.name = name
	return p, nil
}

func newPolicy(dir fs.FS, c PolicyConfig) (*Policy, error) {
	chat, err := render.LoadFS(dir, c.Render)
	if err != nil {
		return nil, err
	}
	m, err := LoadFS(dir)
	if err != nil {
		return nil, err
	}
	weights, err := fs.ReadFile(dir, "model.safetensors")
	if err != nil {
		return nil, fmt.Errorf("hash weights: %w", err)
	}
	sum := sha256.Sum256(weights)
	p := &Policy{Chat: chat, mode: c.Logprobs, version: rollout.PolicyVersion("tinylm-" + hex.EncodeToString(sum[:6]))}
	if p.mode == "" {
		p.mode = rollout.LogprobsProcessed
	}
	p.engine, err = NewEngine(m, c.Engine)
	return p, err
}

// Close ends the engine.
func (p *Policy) Close() error { return p.engine.Close() }

// Engine returns the engine, for callers that deal in ids alone.
func (p *Policy) Engine() *Engine { return p.engine }

// Version names the weights by their hash.
func (p *Policy) Version() rollout.PolicyVersion { return p.version }

// ExactTokens marks that ids are taken and given as they are.
func (p *Policy) ExactTokens() {}

// Reproducible marks that the same request gives the same ids whatever else is in flight.
func (p *Policy) Reproducible() {}

// Window is how many ids prompt and reply may have together.
func (p *Policy) Window() int { return p.engine.model.Window }

// Describe says what a run records.
func (p *Policy) Describe() policy.Description {
	return policy.Description{
		Kind: "tinylm", Model: p.name, TokenizerHash: p.TokenizerHash(), TemplateHash: p.TemplateHash(),
		LogprobMode: string(p.mode), Window: p.Window(),
		Capabilities: map[string]any{"ids": true, "logprobs": true, "score": true, "stop_ids": true, "version": string(p.version)},
	}
}

// Generate samples one reply.
func (p *Policy) Generate(ctx context.Context, prompt policy.Prompt, sp rollout.SamplingParams) (rollout.Completion, error) {
	began := time.Now()
	mode := Processed
	if p.mode == rollout.LogprobsRaw {
		mode = Raw
	}
	if sp.MaxTokens < 1 || !(sp.TopP > 0) || sp.TopK < 0 { // a forgotten field, not a request for the engine's default
		return rollout.Completion{}, p.refuse(fmt.Errorf("%w: max tokens %d, top_p %g, top_k %d", ErrRequest, sp.MaxTokens, sp.TopP, sp.TopK))
	}
	res, err := p.engine.Do(ctx, Request{
		IDs: prompt.Tokens.Slice(), MaxTokens: sp.MaxTokens, Stop: sp.StopIDs, Mode: mode,
		Law: Sampling{Temperature: sp.Temperature, TopK: sp.TopK, TopP: sp.TopP, MinP: sp.MinP, Seed: uint64(sp.Seed)},
	})
	if err != nil {
		return rollout.Completion{}, p.refuse(err)
	}
	return rollout.Completion{
		Tokens: res.IDs, Logprobs: res.Logprobs, LogprobMode: p.mode, Finish: rollout.Finish(res.Finish), Matched: res.Matched,
		Versions: []rollout.VersionSpan{{Version: p.version, Start: 0, End: len(res.IDs)}},
		Exact:    true, CachedTokens: res.Cached, Server: "tinylm", Latency: time.Since(began),
	}, nil
}

// Score returns one raw logprob per id of ids, given all before it; NaN where nothing is.
func (p *Policy) Score(ctx context.Context, prefix rollout.Tokens, ids []rollout.TokenID) ([]float32, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	scores, err := p.engine.Score(ctx, append(prefix.Slice(), ids...))
	if err != nil {
		return nil, p.refuse(err)
	}
	return scores[prefix.Len():], nil
}

// refuse sorts an engine's error: the context's own stays as it is.
func (p *Policy) refuse(err error) error {
	var window *WindowError
	switch {
	case errors.As(err, &window):
		return &policy.Error{Kind: policy.KindRefused, Server: "tinylm", Err: fmt.Errorf("%w: %w", policy.ErrContextFull, err)}
	case errors.Is(err, ErrRequest):
		return &policy.Error{Kind: policy.KindRefused, Server: "tinylm", Err: err}
	case errors.Is(err, ErrClosed):
		return &policy.Error{Kind: policy.KindUnreachable, Server: "tinylm", Err: err}
	}
	return err
}
