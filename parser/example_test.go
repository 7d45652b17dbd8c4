package parser_test

import (
	"fmt"

	"focus/parser"
	"focus/rollout"
)

func ExampleHermes() {
	p := parser.Hermes()
	got := p.Parse(parser.Reply{
		Tokens:  []rollout.TokenID{11, 12, 13},
		Text:    `Adding. <tool_call>{"name": "add", "arguments": {"a": 1.50, "b": 2}}</tool_call><|im_end|>`,
		Ends:    []int{8, 80, 90},
		Finish:  rollout.FinishStop,
		Matched: 13,
	})
	switch a := got.Action.(type) {
	case rollout.Calls:
		fmt.Println(a.Content, a.Calls[0].ID, a.Calls[0].Name, string(a.Calls[0].Arguments))
	case rollout.Text:
		fmt.Println(a.Content)
	case rollout.Invalid:
		fmt.Println(a.Feedback)
	}
	// Output: Adding. call_0 add {"a": 1.50, "b": 2}
}
