package cmd_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"focus/cmd"
	contexts "focus/context"
	"focus/env"
	"focus/env/calculator"
	"focus/rollout"
	"focus/search/credit"
)

// A binary with a world of its own is a focus like any other.
func Example() {
	r := cmd.Builtin()
	cmd.RegisterEnv(r, "mine", "my world", func(c calculator.Config) (env.Env, error) { return calculator.New(c) })
	code := cmd.Run(context.Background(), r, []string{"schema"}, io.Discard, io.Discard)
	fmt.Println("exit code", code)
	// Output: exit code 0
}

// A credit estimator of one's own is a function of the scored rollouts of a
// task. A job names it as `credit: {kind: half}`, with the options of any other.
func ExampleRegisterMethod() {
	r := cmd.Builtin()
	half := func(leaves []credit.Leaf, _ []credit.Node) [][]float64 {
		out := make([][]float64, len(leaves))
		for i, l := range leaves {
			out[i] = l.Same(l.Outcome / 2)
		}
		return out
	}
	cmd.RegisterMethod(r, "half", "half the reward", credit.Func{Name: "half", Advantages: half})

	one, zero := 1.0, 0.0
	e := credit.Estimator{Method: credit.Func{Name: "half", Advantages: half}, Options: credit.DefaultOptions()}
	c, err := e.Estimate(credit.Forest{Nodes: []credit.Node{
		{Parent: credit.NoParent}, {Parent: 0, Turns: 2, Reward: &one}, {Parent: 0, Turns: 1, Reward: &zero},
	}})
	fmt.Println(err)
	fmt.Println(c.Turns([]int{1}))
	// Output:
	// <nil>
	// [0.5 0.5] [1 1]
}

// Long fires when a prompt is longer than so many ids.
type Long struct {
	IDs int `yaml:"ids"`
}

// Fires compares the prompt's length.
func (l Long) Fires(prompt rollout.Tokens, _ any) bool { return prompt.Len() > l.IDs }

// Tail restarts from the seed and the last messages, less results whose call is
// not among them.
type Tail struct {
	contexts.Base
	Keep int
}

// Compact is all that a manager without a model call needs.
func (m Tail) Compact(_ context.Context, c contexts.Compaction) (contexts.Result, error) {
	recent := contexts.OrderToolResults(c.Messages[max(c.SeedLen(), len(c.Messages)-m.Keep):])
	return contexts.Result{Messages: slices.Concat(c.Seed, recent), State: c.State}, nil
}

// A context manager and a trigger of one's own are named in a job file once they
// are registered.
func ExampleRegisterContext() {
	r := cmd.Builtin()
	cmd.RegisterTrigger(r, "long", "the prompt is longer than ids", func(l Long) (contexts.Trigger, error) { return l, nil })
	type keys struct {
		Keep int `yaml:"keep"`
		IDs  int `yaml:"ids"`
	}
	cmd.RegisterContext(r, "tail", "the seed and the last messages", func(k keys) (contexts.Manager, error) {
		return Tail{contexts.Base{Trigger: Long{k.IDs}}, k.Keep}, nil
	})
	dir, err := os.MkdirTemp("", "focus-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for i, manager := range []string{"{kind: tail, keep: 4, ids: 200}", "{kind: keep_recent, keep: 4, trigger: {kind: long, ids: 200}}"} {
		job := "env: {kind: calculator}\npolicy: tinylm\ntasks: {count: 2}\nsearch: {kind: group, size: 2}\nagent: {max_tokens: 96}\ncontext: " + manager + "\n"
		file := filepath.Join(dir, "job.yaml")
		if err := os.WriteFile(file, []byte(job), 0o600); err != nil {
			panic(err)
		}
		out := filepath.Join(dir, fmt.Sprint("run", i))
		fmt.Println("exit code", cmd.Run(context.Background(), r, []string{"run", file, "--quiet", "--out", out}, io.Discard, os.Stdout))
	}
	// Output:
	// exit code 0
	// exit code 0
}
