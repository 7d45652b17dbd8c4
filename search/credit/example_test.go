package credit_test

import (
	"fmt"

	"focus/search/credit"
)

// A root with two lines, one of which was forked after its first turn.
func ExampleEstimator_Estimate() {
	one, zero := 1.0, 0.0
	e := credit.Estimator{Method: credit.TD{Form: credit.TDLOO}, Options: credit.DefaultOptions()}
	c, err := e.Estimate(credit.Forest{Prompt: "p", Nodes: []credit.Node{
		{Parent: credit.NoParent},
		{Parent: 0, Turns: 1},
		{Parent: 1, Turns: 2, Reward: &one},
		{Parent: 1, Turns: 1, Reward: &zero},
		{Parent: 0, Turns: 3, Reward: &zero},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("V(ε):", *c.Nodes[0].Value)
	for _, line := range [][]int{{1, 2}, {1, 3}, {4}} {
		fmt.Println(c.Turns(line))
	}
	// Output:
	// V(ε): 0.25
	// [0.5 1 1] [1.5 0.75 0.75]
	// [0.5 -1] [1.5 0.75]
	// [-0.5 -0.5 -0.5] [1.5 1.5 1.5]
}

func ExampleGRPO_Advantages() {
	one, zero := 1.0, 0.0
	g := credit.GRPO{DDof: 0, Singleton: credit.SingletonZero}
	for _, a := range g.Advantages([]*float64{&one, nil, &zero}) {
		if a == nil {
			fmt.Println("nobody scored it")
			continue
		}
		fmt.Println(*a)
	}
	// Output:
	// 1
	// nobody scored it
	// -1
}

// What a value model should say of the checkpoints of a tree: a right line of
// three turns, and a wrong one that left it after the first.
func ExampleStepTargets() {
	one, zero := 1.0, 0.0
	targets, err := credit.StepTargets(credit.Forest{Prompt: "p", Nodes: []credit.Node{
		{Parent: credit.NoParent},
		{Parent: 0, Turns: 1},
		{Parent: 1, Turns: 1},
		{Parent: 2, Turns: 1, Reward: &one},
		{Parent: 1, Turns: 1, Reward: &zero},
	}}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for node, v := range targets {
		fmt.Printf("node %d: %.3f\n", node, *v)
	}
	// Output:
	// node 0: 0.000
	// node 1: 0.333
	// node 2: 0.667
	// node 3: 1.000
	// node 4: 0.111
}
