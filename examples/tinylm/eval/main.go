// Command eval plays held-out problems of the bundled families with a tinylm checkpoint and prints a line of JSON per
// family: the figures of examples/tinylm/README.md.
//
//	go run ./examples/tinylm/eval -n 400
//	go run ./examples/tinylm/eval -n 500 -job examples/folds/summarize.yaml
//
// With a job file, it plays the first n of that job's problems once each, with that job's agent.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"focus/agent"
	"focus/cmd"
	"focus/env"
	"focus/env/calculator"
	"focus/env/countdown"
	"focus/env/notes"
	"focus/internal/job"
	"focus/policy"
	"focus/policy/tinylm"
	"focus/rollout"
)

type options struct {
	model       string
	job         string
	set         settings
	families    string
	n           int
	seed        int64
	temperature float64
	inFlight    int
	steps       int
	verbose     int
}

// settings are overrides of a job file.
type settings []string

func (s *settings) String() string     { return strings.Join(*s, " ") }
func (s *settings) Set(v string) error { *s = append(*s, v); return nil }

func main() {
	var o options
	flag.StringVar(&o.model, "model", "", "checkpoint folder; empty is the bundled one")
	flag.StringVar(&o.job, "job", "", "job `file` to play the problems of, in place of families")
	flag.Var(&o.set, "set", "key=value in place of the job file's; may be given more than once")
	flag.StringVar(&o.families, "families", "calculator,countdown,notes,notes/2", "comma separated; calculator/7 has up to 7 operations, notes/2 two hops")
	flag.IntVar(&o.n, "n", 400, "problems of each family")
	flag.Int64Var(&o.seed, "seed", 77, "of the problems and of sampling")
	flag.Float64Var(&o.temperature, "temperature", 1, "0 is greedy")
	flag.IntVar(&o.inFlight, "in-flight", 64, "rollouts at a time")
	flag.IntVar(&o.steps, "steps", 12, "most turns of a rollout")
	flag.IntVar(&o.verbose, "show", 0, "print this many failed rollouts")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	out := json.NewEncoder(os.Stdout)
	if o.job != "" {
		r, err := playJob(ctx, o)
		if err != nil {
			return err
		}
		return out.Encode(r)
	}
	pol, err := tinylm.NewPolicy(tinylm.PolicyConfig{Model: o.model})
	if err != nil {
		return err
	}
	defer pol.Close()
	for _, name := range strings.Split(o.families, ",") {
		r, err := play(ctx, pol, name, o)
		if err != nil {
			return fmt.Errorf("family %s: %w", name, err)
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// heldOut is a family by name, with a number behind a slash: most operations of calculator, hops of notes.
func heldOut(name string) (env.Family, error) {
	family, number, given := strings.Cut(name, "/")
	size := 0
	if given {
		if _, err := fmt.Sscan(number, &size); err != nil {
			return nil, fmt.Errorf("number of %s: %w", name, err)
		}
	}
	switch family {
	case calculator.Name:
		return calculator.New(calculator.Config{MaxOps: size, Split: env.SplitHeldOut})
	case countdown.Name:
		return countdown.New(countdown.Config{Split: env.SplitHeldOut})
	case notes.Name:
		return notes.New(notes.Config{MinHops: size, MaxHops: size, Split: env.SplitHeldOut})
	}
	return nil, fmt.Errorf("no family %s", family)
}

// report is what came of one family.
type report struct {
	Family      string         `json:"family"`
	N           int            `json:"n"`
	Temperature float64        `json:"temperature"`
	Solved      float64        `json:"solved"`
	StdErr      float64        `json:"stderr"`
	Turns       float64        `json:"turns"`
	Sampled     float64        `json:"sampled"`
	Context     float64        `json:"context"`
	PerSecond   float64        `json:"tokens_per_second"`
	Stops       map[string]int `json:"stops"`
	// Folds is the mean of the rollouts that were folded, Folded how many those
	// are, FoldedSolved the share of them that is solved.
	Folds        float64 `json:"folds,omitempty"`
	Folded       int     `json:"folded,omitempty"`
	FoldedSolved float64 `json:"folded_solved,omitempty"`
}

// playJob plays problems of a job file with its agent.
func playJob(ctx context.Context, o options) (r report, err error) {
	set := append(o.set, fmt.Sprintf("tasks.count=%d", o.n), fmt.Sprintf("sampling.temperature=%g", o.temperature), fmt.Sprintf("seed=%d", o.seed))
	if o.model != "" {
		set = append(set, "policy.model="+o.model)
	}
	plan, err := job.Load(cmd.Builtin(), o.job, set)
	if err != nil {
		return r, err
	}
	live, err := plan.Open(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, live.Close()) }()
	return playAll(ctx, live.Agent, live.Tasks, report{Family: plan.Config.Name, N: len(live.Tasks), Temperature: o.temperature}, o)
}

func play(ctx context.Context, pol *tinylm.Policy, name string, o options) (report, error) {
	world, err := heldOut(name)
	if err != nil {
		return report{}, err
	}
	law := rollout.DefaultSampling()
	law.Temperature = o.temperature
	a, err := agent.New(agent.Config{Policy: pol, Env: world, Sampling: law, MaxSteps: o.steps, MaxTokens: 128, Seed: o.seed})
	if err != nil {
		return report{}, err
	}
	tasks := make([]rollout.Task, o.n)
	for i := range tasks {
		tasks[i] = world.Task(o.seed, i)
	}
	return playAll(ctx, a, tasks, report{Family: name, N: o.n, Temperature: o.temperature}, o)
}

// playAll plays each task once and reports.
func playAll(ctx context.Context, a *agent.Agent, tasks []rollout.Task, r report, o options) (report, error) {
	ends, began := make([]rollout.State, len(tasks)), time.Now()
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(o.inFlight)
	for i, task := range tasks {
		group.Go(func() error {
			s, err := a.Start(gctx, task, "")
			if err == nil {
				ends[i], err = a.Run(gctx, s)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return report{}, err
	}
	return summarise(r, ends, time.Since(began)), show(a.Policy().(policy.Decoder), ends, o.verbose)
}

func summarise(r report, ends []rollout.State, took time.Duration) report {
	n := float64(len(ends))
	r.Stops = map[string]int{}
	var solved, turns, sampled, context, folds, folded, foldedSolved float64
	for _, s := range ends {
		one := 0.0
		if reward, ok := s.Reward(); ok && reward > 0.5 {
			one = 1
		}
		solved += one
		if s.Compactions > 0 {
			folds += float64(s.Compactions)
			folded++
			foldedSolved += one
		}
		r.Stops[string(s.Reason())]++
		turns += float64(s.TurnsTaken())
		sampled += float64(s.Generated())
		if last := s.Live(); last != nil {
			context += float64(last.Context.Len())
		}
	}
	r.Solved, r.Turns, r.Sampled, r.Context = solved/n, turns/n, sampled/n, context/n
	if folded > 0 {
		r.Folds, r.Folded, r.FoldedSolved = folds/folded, int(folded), foldedSolved/folded
	}
	r.StdErr = math.Sqrt(r.Solved * (1 - r.Solved) / n)
	r.PerSecond = sampled / took.Seconds()
	return r
}

// show prints failed rollouts as the model saw and wrote them.
func show(pol policy.Decoder, ends []rollout.State, most int) error {
	for _, s := range ends {
		if most == 0 {
			return nil
		}
		if reward, ok := s.Reward(); ok && reward > 0.5 || s.Live() == nil {
			continue
		}
		most--
		text, _ := pol.Decode(s.Live().Context.Slice())
		fmt.Fprintf(os.Stderr, "--- %s: %s\n%s\n", s.Task.ID, s.Reason(), text)
	}
	return nil
}
