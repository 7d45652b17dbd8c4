package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"focus/bench"
	"focus/bench/fake"
	"focus/internal/job"
	"focus/policy"
	"focus/policy/render"
	"focus/policy/tinylm"
	"focus/rollout"
)

// fakeServer is the hidden command that `focus bench` starts as its server.
const fakeServer = "fake-server"

func benchCommand() *cobra.Command {
	var asJSON bool
	var rounds, turns, concurrency int
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure the engine against a raw HTTP client, and in process",
		Long: `Bench starts a fake vLLM server in a process of its own and lets the engine and the
fastest plain Go HTTP client take turns against it in slices of one run, at 128 and
8,192 prompt ids: the client sends the very bodies that the engine sent and checks
nothing. Then it plays a whole job (calculator, tools, Arrow files) in process with
a policy that answers at once. Ratios are comparable between machines, rates are not.`,
		Args: exactly(0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			for flag, v := range map[string]int{"rounds": rounds, "turns": turns, "concurrency": concurrency} {
				if v < 1 {
					return refused(fmt.Errorf("--%s is %d, must be at least 1", flag, v))
				}
			}
			report := benchReport{Report: bench.Report{Machine: bench.ThisMachine()}}
			for _, n := range []int{128, 8192} {
				cmp, err := bench.Wire(c.Context(), bench.WireConfig{
					PromptIDs: n, Concurrency: concurrency, Server: startFake,
					Plan: bench.Plan{Turns: max(1, turns*512/(512+n/4)), Rounds: rounds},
				})
				if err != nil {
					return &exit{ExitBroke, err}
				}
				report.Comparisons = append(report.Comparisons, cmp)
			}
			for range max(1, rounds/3) {
				p, err := inProcess(c.Context(), concurrency)
				if err != nil {
					return &exit{ExitBroke, err}
				}
				report.InProcess = append(report.InProcess, p)
			}
			if err := report.print(c, asJSON); err != nil {
				return &exit{ExitBroke, err}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.Flags().IntVar(&rounds, "rounds", 9, "slices of each contender")
	c.Flags().IntVar(&turns, "turns", 4000, "turns of a slice at short prompts")
	c.Flags().IntVar(&concurrency, "concurrency", 64, "turns in flight")
	c.AddCommand(benchTreesCommand())
	return c
}

// benchReport is the comparisons and the runs in process.
type benchReport struct {
	bench.Report
	InProcess []inProcessRun `json:"in_process"`
}

// inProcessRun is one whole job with a policy that answers at once.
type inProcessRun struct {
	Turns          int64   `json:"turns"`
	Rollouts       int     `json:"rollouts"`
	Seconds        float64 `json:"seconds"`
	TurnsPerSecond float64 `json:"turns_per_second"`
}

func (r benchReport) print(c *cobra.Command, asJSON bool) error {
	if asJSON {
		return printJSON(c.OutOrStdout(), r)
	}
	if err := r.WriteText(c.OutOrStdout()); err != nil {
		return err
	}
	for _, p := range r.InProcess {
		if _, err := fmt.Fprintf(c.OutOrStdout(), "in process, whole job: %.0f turns/s (%d turns of %d rollouts in %.2f s, files written)\n", p.TurnsPerSecond, p.Turns, p.Rollouts, p.Seconds); err != nil {
			return err
		}
	}
	return nil
}

// startFake runs this binary again as a fake server.
func startFake(ctx context.Context, args ...string) (*bench.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	if _, err := exec.LookPath(self); err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return bench.StartProcess(ctx, self, append([]string{fakeServer}, args...)...)
}

func fakeServerCommand() *cobra.Command {
	return &cobra.Command{
		Use:                fakeServer,
		Short:              "A fake vLLM server for tests and benchmarks",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			if code := fake.Main(ctx, args, c.OutOrStdout(), c.ErrOrStderr()); code != 0 {
				return &exit{code, nil}
			}
			return nil
		},
	}
}

// instant renders and decodes as tinylm does, and has one reply, at once.
type instant struct {
	*render.Chat
	reply rollout.Completion
}

func newInstant() (*instant, error) {
	chat, err := render.LoadFS(tinylm.Bundled(), render.Options{})
	if err != nil {
		return nil, err
	}
	ids := chat.Encode("<tool_call>\n{\"name\": \"calculator\", \"arguments\": {\"expression\": \"1+1\"}}\n</tool_call><|im_end|>")
	return &instant{chat, rollout.Completion{
		Tokens: ids, Logprobs: make([]float32, len(ids)), LogprobMode: rollout.LogprobsRaw,
		Finish: rollout.FinishStop, Matched: ids[len(ids)-1], Exact: true, CachedTokens: -1, Server: "instant",
		Versions: []rollout.VersionSpan{{Version: "instant", End: len(ids)}},
	}}, nil
}

func (p *instant) Generate(context.Context, policy.Prompt, rollout.SamplingParams) (rollout.Completion, error) {
	return p.reply, nil
}

func (p *instant) Version() rollout.PolicyVersion { return "instant" }

// benchJob plays four turns a rollout.
const benchJob = `
name: bench
tasks: {count: 2000}
env: {kind: calculator}
policy: {kind: instant}
search: {kind: group, size: 8}
agent: {max_steps: 4}
`

// inProcess plays benchJob into a folder that is removed again.
func inProcess(ctx context.Context, concurrency int) (out inProcessRun, err error) {
	dir, err := os.MkdirTemp("", "focus-bench-")
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := Builtin()
	RegisterPolicy(r, "instant", "a policy that answers at once", func(none) (policy.Policy, error) { return newInstant() })
	plan, err := job.Parse(r, "bench", []byte(benchJob), []string{fmt.Sprintf("run.concurrency=%d", max(1, concurrency))})
	if err != nil {
		return out, err
	}
	live, err := plan.Open(ctx)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, live.Close()) }()
	sum, err := live.Run(ctx, job.Options{Out: filepath.Join(dir, "run")})
	if err != nil {
		return out, err
	}
	return inProcessRun{sum.Turns, sum.Finished, sum.Elapsed, rate(sum.Turns, sum.Elapsed)}, nil
}
