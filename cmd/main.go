package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes; see the package comment.
const (
	ExitDone      = 0
	ExitBroke     = 1
	ExitRefused   = 2
	ExitGaveUp    = 3
	ExitProblems  = 4
	ExitInterrupt = 130
)

// exit is an error that knows its exit code.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string { return e.err.Error() }
func (e *exit) Unwrap() error { return e.err }

// refused marks what is wrong before anything started.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return &exit{ExitRefused, err}
}

// Main runs the command line of this process and exits.
func Main(r *Registry) {
	os.Exit(Run(context.Background(), r, os.Args[1:], os.Stdout, os.Stderr))
}

// Run runs one command line and returns its exit code.
func Run(ctx context.Context, r *Registry, args []string, stdout, stderr io.Writer) int {
	root := command(r)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitDone
	}
	if e, ok := errors.AsType[*exit](err); ok {
		if e.err != nil {
			for line := range strings.SplitSeq(e.err.Error(), "\n") {
				fmt.Fprintln(stderr, "focus:", line)
			}
		}
		return e.code
	}
	// Everything that a command does not mark is a mistake in the arguments,
	// found by the flag parser.
	fmt.Fprintln(stderr, "focus:", err)
	return ExitRefused
}

func command(r *Registry) *cobra.Command {
	root := &cobra.Command{
		Use:   "focus",
		Short: "A rollout engine for reinforcement learning of LLM agents",
		Long: `focus plays tasks with a language model by token ids and writes what happened to
Arrow files that any external trainer can read.

Exit codes: 0 done; 1 the job broke; 2 refused before anything started (arguments,
job file, tasks, server, output folder); 3 gave up, the infrastructure kept failing;
4 a check found problems; 130 stopped by a signal. After 3 and 130 what was finished
is written and verifies.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(runCommand(r), verifyCommand(), inspectCommand(), serveCommand(), benchCommand(), schemaCommand(r), exactnessCommand(), renderCommand(), versionCommand(), fakeServerCommand())
	return root
}
