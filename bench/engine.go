package bench

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"focus/agent"
	"focus/env"
	"focus/parser"
	"focus/policy/policytest"
	"focus/policy/vllm"
	"focus/rollout"
)

// EngineConfig is an engine and the turns it takes.
type EngineConfig struct {
	// URL of a vLLM-shaped server; required.
	URL string
	// Model it serves; required.
	Model string
	// PromptIDs is the length of every prompt; at least 64.
	PromptIDs int
	// Concurrency is how many turns are in flight; 0 means 64.
	Concurrency int
	// MaxTokens of a reply; 0 means 32.
	MaxTokens int
}

// Engine takes whole turns as a job does: each forks a rollout that is under
// way and steps it once through agent, policy and world. The prompt is the
// fork's ids and a bridge, as in the middle of a long rollout. Its Turns are
// not for several goroutines at once.
type Engine struct {
	cfg    EngineConfig
	policy *vllm.Policy
	agent  *agent.Agent
	from   rollout.State
	next   atomic.Int64
}

// NewEngine makes the engine and plays nothing yet. Close it when done.
func NewEngine(ctx context.Context, c EngineConfig) (*Engine, error) {
	if c.Concurrency == 0 {
		c.Concurrency = 64
	}
	if c.MaxTokens == 0 {
		c.MaxTokens = 32
	}
	vc := vllm.Defaults()
	vc.URL, vc.Model, vc.Tokenizer, vc.Connections = c.URL, c.Model, "bytes", c.Concurrency
	pol, err := vllm.New(vc, policytest.NewChat())
	if err != nil {
		return nil, fmt.Errorf("bench engine: %w", err)
	}
	if err := pol.Probe(ctx); err != nil {
		return nil, fmt.Errorf("bench engine: %w", err)
	}
	a, err := agent.New(agent.Config{Policy: pol, Env: endless{}, Parser: parser.Text(), MaxSteps: 1 << 30, MaxTokens: c.MaxTokens})
	if err != nil {
		return nil, fmt.Errorf("bench engine: %w", err)
	}
	e := &Engine{cfg: c, policy: pol, agent: a}
	e.from, err = e.underWay(ctx)
	return e, err
}

// underWay is a rollout whose next prompt has the wanted length.
func (e *Engine) underWay(ctx context.Context) (rollout.State, error) {
	s, err := e.agent.Start(ctx, rollout.Task{ID: "bench"}, "root")
	if err != nil {
		return s, err
	}
	bridge, err := e.bridge(s)
	if err != nil {
		return s, err
	}
	n := e.cfg.PromptIDs - bridge
	if n < 1 {
		return s, fmt.Errorf("bench engine: prompt of %d ids is too short, the bridge alone has %d", e.cfg.PromptIDs, bridge)
	}
	return replied(s, n), nil
}

// bridge is how many ids lie between a turn and the next one's reply.
func (e *Engine) bridge(s rollout.State) (int, error) {
	s = replied(s, 8)
	p, err := e.agent.Context().Prepare(s, e.agent, nil)
	return p.Tokens.Len() - s.Last().Context.Len(), err
}

// replied is s after a turn whose context has n ids and an observation.
func replied(s rollout.State, n int) rollout.State {
	ids := policytest.Encode(strings.Repeat("x", n-1))
	t := rollout.NewTurn(rollout.NewTokens(ids...), rollout.Completion{
		Tokens: []rollout.TokenID{policytest.IMEnd}, Logprobs: []float32{0}, Finish: rollout.FinishStop, Matched: policytest.IMEnd, Exact: true,
	})
	t.Covers = s.Messages.Len() + 1
	t.Transition = &rollout.Transition{Action: rollout.Text{}}
	return s.WithMessages(rollout.Assistant("x"), rollout.User("go on")).WithTurn(t)
}

// Name is "engine".
func (e *Engine) Name() string { return "engine" }

// Turns steps forks of the rollout under way.
func (e *Engine) Turns(ctx context.Context, n int) error {
	var left atomic.Int64
	left.Store(int64(n))
	g, ctx := errgroup.WithContext(ctx)
	for range e.cfg.Concurrency {
		g.Go(func() error {
			for left.Add(-1) >= 0 {
				s, err := e.from.Fork(strconv.FormatInt(e.next.Add(1), 10))
				if err != nil {
					return err
				}
				if s, err = e.agent.Step(ctx, s); err != nil {
					return err
				}
				if s.Len() != e.from.Len()+1 {
					return fmt.Errorf("a step added %d turns", s.Len()-e.from.Len())
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// Close drops the engine's connections.
func (e *Engine) Close() error { return e.policy.Close() }

// endless is a world that answers everything and never ends.
type endless struct{}

func (endless) Reset(context.Context, rollout.Task) (env.Start, error) {
	return env.Start{Messages: []rollout.Message{rollout.User("begin")}}, nil
}

func (endless) Step(_ context.Context, w env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	return w, &rollout.Transition{Action: a, Observations: []rollout.Message{rollout.User("go on")}}, nil
}

func (endless) Finish(_ context.Context, w env.World, a rollout.Action) (env.World, *rollout.Transition, error) {
	return w, &rollout.Transition{Action: a, Done: true}, nil
}
