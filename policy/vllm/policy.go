package vllm

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"focus/policy"
	"focus/policy/render"
	"focus/rollout"
)

// Policy samples from one server. It is safe for concurrent use.
type Policy struct {
	*render.Chat
	cfg    Config
	name   string // the URL as the user wrote it
	key    string
	rt     http.RoundTripper
	routes routes
	slots  chan struct{}
	nonce  string
	calls  atomic.Int64 // generates, for request ids
	sent   atomic.Int64 // attempts at completions, for the echo sample
	stats  counters

	// What the probe finds.
	wire    atomic.Pointer[wire]
	sheet   atomic.Pointer[Sheet]
	version atomic.Pointer[named]

	aborts aborts
}

// named is a version and the cache salt that goes with it.
type named struct {
	version rollout.PolicyVersion
	salt    string
}

// routes are the addresses that are used.
type routes struct {
	completions, tokenize   *url.URL
	api, version, weights   *url.URL
	abortServed, abortByDev *url.URL
}

// Open loads the tokenizer's folder and makes the policy. Nothing is sent to
// the server: call [Policy.Probe] next.
func Open(cfg Config) (*Policy, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	chat, err := render.Load(cfg.Tokenizer, cfg.Render)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	return New(cfg, chat)
}

// New is [Open] over a Chat that is there already; cfg.Tokenizer only names it.
func New(cfg Config, chat *render.Chat) (*Policy, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	base, err := cfg.base()
	if err != nil {
		return nil, err
	}
	p := &Policy{
		Chat: chat, cfg: cfg, name: strings.TrimSuffix(base.String(), "/"),
		rt: newTransport(cfg.Connections), slots: make(chan struct{}, cfg.Connections),
		nonce: strings.ToLower(rand.Text()[:8]),
	}
	if cfg.APIKeyEnv != "" {
		if p.key = os.Getenv(cfg.APIKeyEnv); p.key == "" {
			return nil, fmt.Errorf("api_key_env: %s is not set in the environment", cfg.APIKeyEnv)
		}
	}
	to := func(path string) *url.URL {
		u := *base
		u.Path += "/" + path
		return &u
	}
	p.routes = routes{
		completions: to("v1/completions"), tokenize: to("tokenize"),
		api: to("v1"), version: to("version"), weights: to("weight_info"),
		abortServed: to("inference/v1/abort_requests"), abortByDev: to("abort_requests"),
	}
	w := newWire(cfg.Model, cfg.Priority)
	p.wire.Store(&w)
	p.sheet.Store(&Sheet{Model: cfg.Model, Window: cfg.Window})
	p.version.Store(&named{version: rollout.PolicyVersion(cfg.Model)})
	if cfg.Version != "" {
		p.SetVersion(rollout.PolicyVersion(cfg.Version))
	}
	return p, nil
}

// Close waits for aborts under way and drops idle connections. Requests in
// flight are the caller's to cancel.
func (p *Policy) Close() error {
	p.aborts.close()
	if t, ok := p.rt.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
	return nil
}

// Version names the weights that the next request will most likely meet.
func (p *Policy) Version() rollout.PolicyVersion { return p.version.Load().version }

// SetVersion names the weights from now on: call it after the server has new
// ones. Later requests carry it as cache salt, when the configuration says so.
func (p *Policy) SetVersion(v rollout.PolicyVersion) {
	n := &named{version: v}
	if p.cfg.CacheSalt && v != "" {
		n.salt = saltOf(v)
	}
	p.version.Store(n)
}

// Window is how many ids prompt and reply may have together; 0 before the
// probe, when the configuration does not say.
func (p *Policy) Window() int { return p.sheet.Load().Window }

// ExactTokens declares that ids go in and out as they are.
func (p *Policy) ExactTokens() {}

// Describe says what a run records.
func (p *Policy) Describe() policy.Description {
	s := p.sheet.Load()
	return policy.Description{
		Kind: "vllm", Model: s.Model, TokenizerHash: p.TokenizerHash(), TemplateHash: p.TemplateHash(),
		LogprobMode: string(p.cfg.LogprobMode), Window: s.Window, Capabilities: s.capabilities(),
	}
}

// Generate samples one reply. A reply the server aborts half-way is continued.
func (p *Policy) Generate(ctx context.Context, prompt policy.Prompt, sp rollout.SamplingParams) (rollout.Completion, error) {
	started := time.Now()
	if err := p.admissible(sp); err != nil {
		return rollout.Completion{}, &policy.Error{Kind: policy.KindRefused, Server: p.name, Err: err}
	}
	if err := p.enter(ctx); err != nil {
		return rollout.Completion{}, err
	}
	defer p.leave()
	g := p.generation(ctx, prompt.Tokens, sp)
	c, err := g.run(ctx)
	c.Latency = time.Since(started)
	return c, err
}

// admissible refuses a law that the server would change without a word.
func (p *Policy) admissible(sp rollout.SamplingParams) error {
	if err := policy.CheckSampling(sp); err != nil {
		return err
	}
	if sp.Temperature > 0 && sp.Temperature < 0.01 {
		return fmt.Errorf("temperature %v: vLLM samples at 0.01 instead; use 0 (greedy) or at least 0.01", sp.Temperature)
	}
	if sp.Temperature > 2 {
		return fmt.Errorf("temperature %v: vLLM takes at most 2", sp.Temperature)
	}
	return nil
}

// enter waits for a free connection.
func (p *Policy) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Policy) leave() { <-p.slots }

// generation is one Generate, over as many parts as it takes.
type generation struct {
	policy  *Policy
	law     rollout.SamplingParams
	origin  policy.Origin
	prompt  rollout.Tokens // with the ids of the parts so far
	left    int            // ids still allowed
	call    int64
	attempt int
	out     rollout.Completion
}

func (p *Policy) generation(ctx context.Context, prompt rollout.Tokens, sp rollout.SamplingParams) *generation {
	return &generation{policy: p, law: sp, origin: policy.OriginOf(ctx), prompt: prompt, left: sp.MaxTokens, call: p.calls.Add(1)}
}

func (g *generation) run(ctx context.Context) (rollout.Completion, error) {
	g.out = rollout.Completion{LogprobMode: g.policy.cfg.LogprobMode, Matched: -1, Exact: true, CachedTokens: -1, Server: g.policy.name}
	for {
		o, err := g.order()
		if err != nil {
			return rollout.Completion{}, err
		}
		part, err := g.insist(ctx, o, check)
		if err != nil {
			return rollout.Completion{}, err
		}
		if done := g.add(o, part); done {
			return g.out, nil
		}
		g.policy.stats.continued.Add(1)
	}
}

// order is the request for the rest of the reply.
func (g *generation) order() (*order, error) {
	o := &order{prompt: g.prompt, law: g.law, max: g.left, session: g.origin.Session}
	if window := g.policy.Window(); window > 0 {
		o.max = min(o.max, window-g.prompt.Len())
		if o.max < 1 {
			return nil, &policy.Error{Kind: policy.KindRefused, Server: g.policy.name, Err: policy.ErrContextFull,
				Detail: fmt.Sprintf("%d ids in a window of %d", g.prompt.Len(), window)}
		}
	}
	if n := len(g.out.Tokens); n > 0 {
		// The same seed again would replay the noise of the first part.
		o.law.Seed = rollout.DeriveSeed("vllm part", strconv.FormatInt(g.law.Seed, 10), strconv.Itoa(n))
	}
	return o, nil
}

// add joins a part to the reply and reports whether it is whole.
func (g *generation) add(o *order, part piece) bool {
	c, at := &g.out, len(g.out.Tokens)
	if at == 0 {
		c.Tokens, c.Logprobs, c.CachedTokens = part.ids, part.logprobs, part.cached
	} else {
		c.Tokens, c.Logprobs = append(c.Tokens, part.ids...), append(c.Logprobs, part.logprobs...)
	}
	end := len(c.Tokens)
	if n := len(c.Versions); n > 0 && c.Versions[n-1].Version == o.version {
		c.Versions[n-1].End = end
	} else {
		c.Versions = append(c.Versions, rollout.VersionSpan{Version: o.version, Start: at, End: end})
	}
	c.Finish, c.Matched = part.finish, part.matched
	if part.finish != rollout.FinishAbort {
		return true
	}
	g.left -= len(part.ids)
	if len(part.ids) == o.max {
		// Aborted with nothing left to sample: the cap would have ended it.
		c.Finish = rollout.FinishLength
		return true
	}
	g.prompt = g.prompt.Append(part.ids...)
	return false
}
