package bench

import (
	"context"
	"errors"
	"fmt"

	"focus/bench/fake"
	"focus/policy/policytest"
)

// WireConfig is a comparison of the engine with the raw client.
type WireConfig struct {
	// PromptIDs is the length of every prompt.
	PromptIDs int
	// Reply is how many ids the server samples; 0 means 32.
	Reply int
	// Concurrency of both; 0 means 64.
	Concurrency int
	// Plan of the comparison; the title is made here.
	Plan Plan
	// Server starts a fake server in a process of its own, with the flags of
	// fake.Main.
	Server func(ctx context.Context, args ...string) (*Process, error)
}

// Wire compares the engine with the raw client against one server. The bodies
// that the raw client sends are bodies that the engine sent.
func Wire(ctx context.Context, c WireConfig) (cmp Comparison, err error) {
	if c.Reply == 0 {
		c.Reply = 32
	}
	bodies, err := record(ctx, c)
	if err != nil {
		return Comparison{}, err
	}
	srv, err := c.Server(ctx, "-model", "fake", "-reply", fmt.Sprintf("steady:%d", c.Reply),
		"-eos", fmt.Sprint(policytest.IMEnd))
	if err != nil {
		return Comparison{}, err
	}
	defer func() { err = errors.Join(err, srv.Stop()) }()
	raw, err := NewRaw(RawConfig{URL: srv.URL, Bodies: bodies, Concurrency: c.Concurrency})
	if err != nil {
		return Comparison{}, err
	}
	defer raw.Close()
	engine, err := NewEngine(ctx, EngineConfig{URL: srv.URL, Model: "fake", PromptIDs: c.PromptIDs, Concurrency: c.Concurrency, MaxTokens: c.Reply})
	if err != nil {
		return Comparison{}, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	c.Plan.Title = fmt.Sprintf("%d prompt ids, %d sampled ids", c.PromptIDs, c.Reply)
	return Compare(ctx, c.Plan, raw, engine)
}

// record plays turns against a server that keeps what it was sent.
func record(ctx context.Context, c WireConfig) (bodies [][]byte, err error) {
	const n = 256
	srv, err := fake.Start(fake.Config{Model: "fake", Record: 2 * n, EOS: policytest.IMEnd, Script: fake.Steady(c.Reply)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.Close()) }()
	engine, err := NewEngine(ctx, EngineConfig{URL: srv.URL, Model: "fake", PromptIDs: c.PromptIDs, Concurrency: 8, MaxTokens: c.Reply})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	if err := engine.Turns(ctx, n); err != nil {
		return nil, fmt.Errorf("record bodies: %w", err)
	}
	var sent []fake.Request
	for _, r := range srv.Recorded() {
		if len(r.Prompt) == c.PromptIDs {
			sent = append(sent, r)
		}
	}
	if len(sent) < n/2 {
		return nil, fmt.Errorf("record bodies: only %d of %d requests have %d prompt ids", len(sent), n, c.PromptIDs)
	}
	return Replay(sent), nil
}
