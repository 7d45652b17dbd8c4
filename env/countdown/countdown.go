package countdown

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"focus/env"
	"focus/env/arith"
	"focus/rollout"
)

// Name is the family's name in task ids and configurations.
const Name = "countdown"

const system = "Reach the target with the numbers, each at most once. Reply with one expression."

// Family makes tasks and plays them. It implements env.Family.
type Family struct {
	*env.ToolEnv[Problem]
	cfg Config
}

// Problem is a task's Meta, and the whole state of its world.
type Problem struct {
	// Numbers are in rising order.
	Numbers []int64 `json:"numbers"`
	Target  int64   `json:"target"`
}

// Prompt is what the user says: the numbers on a line, then the target.
func (p Problem) Prompt() string { return p.key("\n") }

func (p Problem) key(sep string) string {
	words := make([]string, len(p.Numbers))
	for i, n := range p.Numbers {
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, " ") + sep + strconv.FormatInt(p.Target, 10)
}

// Truth is a task's ground truth: one solution of many.
type Truth struct {
	Solution string `json:"solution"`
}

// New checks the configuration and builds the family.
func New(cfg Config) (*Family, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	f := &Family{cfg: cfg.withDefaults()}
	var err error
	f.ToolEnv, err = env.NewToolEnv(env.ToolConfig[Problem]{
		Name: Name, Open: open, AnswerEnds: true,
		Answer: func(p Problem, reply string) float64 {
			if Check(p, reply) == nil {
				return 1
			}
			return 0
		},
		Score: func(Problem) float64 { return 0 },
	})
	return f, err
}

// Task draws the problem of an index.
func (f *Family) Task(seed int64, index int) rollout.Task {
	at := f.cfg.Split.Seed(Name, seed, index, func(at int64) string {
		p, _ := f.draw(at)
		return p.key(" = ")
	})
	p, solution := f.draw(at)
	return env.NewTask(Name, seed, index, at, p, Truth{solution.String()})
}

// Key names the problem of a task: two tasks with the same key are the same
// problem.
func Key(task rollout.Task) (string, error) {
	p, err := env.MetaOf[Problem](task)
	return p.key(" = "), err
}

// draw combines all numbers at random until every value is a positive integer
// and the target is small enough and is not itself given.
func (f *Family) draw(seed int64) (Problem, *arith.Expr) {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	count := f.cfg.MinNumbers + r.IntN(f.cfg.MaxNumbers-f.cfg.MinNumbers+1)
	for {
		numbers := make([]int64, count)
		for i := range numbers {
			numbers[i] = int64(1 + r.IntN(f.cfg.MaxNumber))
		}
		e := combine(r, numbers)
		target, ok := e.Int()
		if ok && positive(e) && target <= int64(f.cfg.MaxTarget) && !slices.Contains(numbers, target) {
			slices.Sort(numbers)
			return Problem{numbers, target}, e
		}
	}
}

func combine(r *rand.Rand, numbers []int64) *arith.Expr {
	if len(numbers) == 1 {
		return &arith.Expr{Num: numbers[0]}
	}
	cut := 1 + r.IntN(len(numbers)-1)
	return &arith.Expr{Op: "+-*/"[r.IntN(4)], Left: combine(r, numbers[:cut]), Right: combine(r, numbers[cut:])}
}

// positive reports whether every part of e is a positive integer.
func positive(e *arith.Expr) bool {
	v, ok := e.Int()
	return ok && v > 0 && (e.Op == 0 || positive(e.Left) && positive(e.Right))
}

func open(_ context.Context, task rollout.Task) (Problem, []rollout.Message, error) {
	p, err := env.MetaOf[Problem](task)
	if err != nil {
		return p, nil, err
	}
	if len(p.Numbers) == 0 {
		return p, nil, fmt.Errorf("meta: no numbers")
	}
	return p, []rollout.Message{rollout.System(system), rollout.User(p.Prompt())}, nil
}
