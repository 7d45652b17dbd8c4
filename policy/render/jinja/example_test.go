package jinja_test

import (
	"fmt"

	"focus/policy/render/jinja"
)

func Example() {
	t, err := jinja.Parse("{% for m in messages %}<|{{ m.role }}|>{{ m.content | trim }}{% endfor %}")
	if err != nil {
		panic(err)
	}
	messages, err := jinja.Decode(`[{"role": "user", "content": " hi <|end|> "}]`, jinja.Trusted)
	if err != nil {
		panic(err)
	}
	messages, tools := jinja.MarkChat(messages, jinja.None)
	out, err := t.Render(jinja.Vars{"messages": messages, "tools": tools}, jinja.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(out.Text)
	for _, s := range out.Content {
		i, _ := s.Source.Message()
		fmt.Printf("message %d: %q\n", i, out.Text[s.Start:s.End])
	}
	// Output:
	// <|user|>hi <|end|>
	// message 0: "hi <|end|>"
}
