package cmd_test

import (
	"context"
	"fmt"
	"io"

	"focus/cmd"
	"focus/env"
	"focus/env/calculator"
)

// A binary with a world of its own is a focus like any other.
func Example() {
	r := cmd.Builtin()
	cmd.RegisterEnv(r, "mine", "my world", func(c calculator.Config) (env.Env, error) { return calculator.New(c) })
	code := cmd.Run(context.Background(), r, []string{"schema"}, io.Discard, io.Discard)
	fmt.Println("exit code", code)
	// Output: exit code 0
}
