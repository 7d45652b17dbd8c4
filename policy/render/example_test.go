package render_test

import (
	"fmt"

	"focus/policy/policytest"
	"focus/policy/render"
	"focus/rollout"
)

// A sampled turn is extended by what came after it; its own ids stay.
func Example() {
	chat, err := render.LoadFS(policytest.Folder(), render.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	messages := []rollout.Message{rollout.User("2+3?")}
	first, err := chat.Prepare(messages, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	sampled := policytest.Encode("5") // cut by length: no terminator
	turn := rollout.NewTurn(first.Tokens, rollout.Completion{Tokens: sampled})
	turn.Covers = first.Covers + 1

	messages = append(messages, rollout.Assistant("5"), rollout.User("And 3+4?"))
	next, err := chat.Continue(turn, messages, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	bridge, _ := chat.Decode(next.Tokens.From(turn.Context.Len()))
	fmt.Printf("%v %q\n", next.Tokens.HasPrefix(turn.Context), bridge)
	// Output: true "<|im_end|>\n<|im_start|>user\nAnd 3+4?<|im_end|>\n<|im_start|>assistant\n"
}
