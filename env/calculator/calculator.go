package calculator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"

	"focus/env"
	"focus/env/arith"
	"focus/rollout"
)

// Name is the family's name in task ids and configurations.
const Name = "calculator"

const system = "Work out the expression with calculator, one operation at a time. Then submit."

// Family makes tasks and plays them. It implements env.Family.
type Family struct {
	*env.ToolEnv[state]
	cfg Config
}

// state follows from the task; nothing that a policy does changes it.
type state struct{ answer int64 }

// Problem is a task's Meta.
type Problem struct {
	Expression string `json:"expression"`
}

// Truth is a task's ground truth.
type Truth struct {
	Answer int64 `json:"answer"`
}

// New checks the configuration and builds the family.
func New(cfg Config) (*Family, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	f := &Family{cfg: cfg.withDefaults()}
	var err error
	f.ToolEnv, err = env.NewToolEnv(env.ToolConfig[state]{
		Name:   Name,
		Tools:  []env.Tool[state]{calculatorTool(), submitTool()},
		Open:   open,
		Answer: answerInWords,
		Nudge:  "Call calculator or submit.",
		Score:  func(state) float64 { return 0 },
		Limits: f.cfg.Limits,
	})
	return f, err
}

// Task draws the expression of an index.
func (f *Family) Task(seed int64, index int) rollout.Task {
	at := f.cfg.Split.Seed(Name, seed, index, func(at int64) string { return f.draw(at).String() })
	e := f.draw(at)
	answer, _ := e.Int()
	return env.NewTask(Name, seed, index, at, Problem{e.String()}, Truth{answer})
}

// Key names the problem of a task: two tasks with the same key are the same
// problem.
func Key(task rollout.Task) (string, error) {
	p, err := env.MetaOf[Problem](task)
	return p.Expression, err
}

// draw repeats until the steps stay in range.
func (f *Family) draw(seed int64) *arith.Expr {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	ops := f.cfg.MinOps + r.IntN(f.cfg.MaxOps-f.cfg.MinOps+1)
	for {
		if e := f.tree(r, ops); f.inRange(e) {
			return e
		}
	}
}

func (f *Family) tree(r *rand.Rand, ops int) *arith.Expr {
	if ops == 0 {
		return &arith.Expr{Num: int64(1 + r.IntN(f.cfg.MaxNumber))}
	}
	left := r.IntN(ops)
	return &arith.Expr{Op: "+-*"[r.IntN(3)], Left: f.tree(r, left), Right: f.tree(r, ops-1-left)}
}

func (f *Family) inRange(e *arith.Expr) bool {
	for e.Op != 0 {
		first := e.First()
		v, ok := first.Int()
		if !ok || v < 0 || v > int64(f.cfg.MaxValue) {
			return false
		}
		e = e.With(first, v)
	}
	return true
}

func open(_ context.Context, task rollout.Task) (state, []rollout.Message, error) {
	p, err := env.MetaOf[Problem](task)
	if err != nil {
		return state{}, nil, err
	}
	t, err := env.TruthOf[Truth](task)
	if err != nil {
		return state{}, nil, err
	}
	e, err := arith.Parse(p.Expression)
	if err != nil {
		return state{}, nil, fmt.Errorf("meta: expression %q: %w", p.Expression, err)
	}
	if v, ok := e.Int(); !ok || v != t.Answer {
		return state{}, nil, fmt.Errorf("truth: the answer of %s is not %d", p.Expression, t.Answer)
	}
	return state{t.Answer}, []rollout.Message{rollout.System(system), rollout.User(p.Expression)}, nil
}

var integer = regexp.MustCompile(`-?[0-9]+`)

// answerInWords takes the last integer of a final reply.
func answerInWords(s state, reply string) float64 {
	all := integer.FindAllString(reply, -1)
	if len(all) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(all[len(all)-1], 10, 64)
	return score(err == nil && n == s.answer)
}

func score(right bool) float64 {
	if right {
		return 1
	}
	return 0
}
