package cmd_test

import (
	"context"
	"fmt"
	"io"

	"focus/cmd"
	"focus/env"
	"focus/env/calculator"
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
