package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"focus/internal/job"
)

func runCommand(r *Registry) *cobra.Command {
	var set []string
	var out string
	var asJSON, quiet bool
	c := &cobra.Command{
		Use:   "run JOB.yaml",
		Short: "Run a batch rollout job and write its Arrow files",
		Long: `Run plays every task of a job file, credits and writes each group as it finishes,
verifies the files and prints a summary. The first interrupt drains: no new task
starts, groups under way finish. A second one cuts them short; their groups are
not written.`,
		Example: "  focus run examples/quickstart.yaml\n  focus run examples/quickstart.yaml --out runs/a --set run.concurrency=64",
		Args:    exactly(1, "one job file, for example: focus run examples/quickstart.yaml"),
		RunE: func(c *cobra.Command, args []string) error {
			return runJob(c, r, args[0], set, out, asJSON, quiet)
		},
	}
	c.Flags().StringArrayVar(&set, "set", nil, "override a key of the job file: `a.b=value`, repeatable")
	c.Flags().StringVarP(&out, "out", "o", "", "the run's `folder`, instead of output.dir")
	c.Flags().BoolVar(&asJSON, "json", false, "print the summary as JSON")
	c.Flags().BoolVar(&quiet, "quiet", false, "no progress")
	return c
}

// errStopped: a signal came before anything was played.
var errStopped = errors.New("stopped before anything started")

// open makes the job's parts; a stop gives up on a server that does not answer.
func open(ctx context.Context, plan *job.Plan, stop <-chan struct{}) (*job.Live, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-stop:
			cancel(errStopped)
		case <-done:
		}
	}()
	live, err := plan.Open(ctx)
	if err != nil && context.Cause(ctx) == errStopped {
		return nil, errStopped
	}
	return live, err
}

// exactly wants n arguments and says what they are.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return refused(fmt.Errorf("got %d arguments, want %s", len(args), what))
		}
		return nil
	}
}

func runJob(c *cobra.Command, r *Registry, file string, set []string, out string, asJSON, quiet bool) error {
	plan, err := job.Load(r, file, set)
	if err != nil {
		return refused(err)
	}
	if err := job.CheckOut(plan.Out(out)); err != nil {
		return refused(err)
	}
	stop, ctx, release := signals(c.Context(), c.ErrOrStderr())
	defer release()
	live, err := open(ctx, plan, stop)
	if errors.Is(err, errStopped) {
		return &exit{ExitInterrupt, err}
	}
	if err != nil {
		return refused(err)
	}
	show := newProgress(c.ErrOrStderr(), quiet)
	for _, w := range live.Warnings() {
		fmt.Fprintln(c.ErrOrStderr(), "warning:", w)
	}
	sum, err := live.Run(ctx, job.Options{Out: out, Stop: stop, Report: show.report})
	show.end()
	err = errors.Join(err, live.Close())
	if sum.Dir != "" {
		if perr := printSummary(c.OutOrStdout(), sum, asJSON); perr != nil {
			return &exit{ExitBroke, errors.Join(err, perr)}
		}
	}
	return outcome(sum, err, ctx)
}

// outcome is the exit code of a run.
func outcome(sum job.Summary, err error, ctx context.Context) error {
	switch _, gaveUp := errors.AsType[*job.GaveUpError](err); {
	case gaveUp:
		return &exit{ExitGaveUp, err}
	case errors.Is(err, job.ErrHoldsRun), isOutputError(err):
		return refused(err)
	case err != nil:
		return &exit{ExitBroke, err}
	case sum.Stopped || ctx.Err() != nil:
		// The signal said what to do; the summary says what was done.
		return &exit{ExitInterrupt, nil}
	}
	return nil
}

func isOutputError(err error) bool {
	_, ok := errors.AsType[*job.OutputError](err)
	return ok
}

// signals drains on the first interrupt and cancels on the second. release
// gives the signals back and waits for the goroutine.
func signals(ctx context.Context, w io.Writer) (<-chan struct{}, context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	in := make(chan os.Signal, 2)
	signal.Notify(in, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-in:
		case <-ctx.Done():
			return
		}
		fmt.Fprintln(w, "\nstopping: groups under way finish, no new task starts; interrupt again to cut them short")
		close(stop)
		select {
		case <-in:
			fmt.Fprintln(w, "cutting rollouts short")
			cancel()
		case <-ctx.Done():
		}
	}()
	return stop, ctx, func() {
		signal.Stop(in)
		cancel()
		<-gone
	}
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
