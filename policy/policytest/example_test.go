package policytest_test

import (
	"context"
	"fmt"

	"focus/policy/policytest"
	"focus/rollout"
)

func ExampleNewScripted() {
	pol := policytest.NewScripted(policytest.Say("The answer is 5."))
	p, err := pol.Prepare([]rollout.Message{rollout.User("2+3?")}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	sp := rollout.DefaultSampling()
	sp.MaxTokens, sp.StopIDs = 64, pol.StopIDs()
	c, err := pol.Generate(context.Background(), p, sp)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := pol.Decode(c.Tokens)
	fmt.Println(text, c.Finish)
	// Output: The answer is 5.<|im_end|> stop
}
