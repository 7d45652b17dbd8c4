// Command fakeserver is package fake as a process of its own.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"focus/bench/fake"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := fake.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
