// Command demos writes demonstrations of the bundled task families, a line of
// JSON each, in HF's chat form.
//
//	go run ./examples/tinylm/demos -family calculator -n 1000 -seed 7 > demos.jsonl
//
// A problem of calculator or countdown appears once; a question of notes comes
// again over another corpus. Train and held-out problems never share a key.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"focus/env"
	"focus/env/expert"
	"focus/env/notes"
	"focus/rollout"
)

type options struct {
	family string
	count  int
	seed   int64
	notes  notes.Config
	split  string
	slips  float64
	fold   folding
	part   string
}

func main() {
	var o options
	flag.StringVar(&o.family, "family", "calculator", "calculator, countdown or notes")
	flag.IntVar(&o.count, "n", 100, "how many demonstrations")
	flag.Int64Var(&o.seed, "seed", 1, "seed of the tasks and of the slips")
	flag.IntVar(&o.notes.MinHops, "hops", 0, "hops of notes; 0 is the family's default, as in the next three")
	flag.IntVar(&o.notes.People, "people", 0, "notes in a corpus")
	flag.IntVar(&o.notes.Facts, "facts", 0, "lines of a note that may be asked for")
	flag.IntVar(&o.notes.Filler, "filler", 0, "lines of a note that are not")
	flag.StringVar(&o.split, "split", "train", "train, heldout or all")
	flag.Float64Var(&o.slips, "slips", 0.03, "chance of a mistake, of weight 0, before a right reply")
	flag.StringVar(&o.fold.manager, "fold", "", "play under this context manager: summarize or prefix_summary")
	flag.IntVar(&o.fold.room, "room", 800, "bytes that a conversation grows by before it is folded")
	flag.StringVar(&o.part, "part", "", "of folded rollouts: task, fold, or both when empty")
	flag.Parse()
	o.notes.MaxHops = o.notes.MinHops
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := write(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "demos:", err)
		os.Exit(2)
	}
}

// maxRepeats in a row mean that a family has no more problems.
const maxRepeats = 1000

// write plays tasks in order until there are enough demonstrations.
func write(ctx context.Context, out io.Writer, o options) error {
	split := env.Split(o.split)
	if o.split == "all" {
		split = env.SplitAll
	}
	f, err := expert.New(o.family, expert.Options{Notes: o.notes, Split: split})
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	lines := json.NewEncoder(buffered)
	lines.SetEscapeHTML(false)
	seen := make(map[string]bool, o.count)
	for i, written, repeats := 0, 0, 0; written < o.count; i++ {
		task := f.Task(o.seed, i)
		key, err := f.Key(task)
		if err != nil {
			return err
		}
		if seen[key] && !f.Varies {
			if repeats++; repeats == maxRepeats {
				return errors.Join(buffered.Flush(), fmt.Errorf("%s has no more than about %d problems", o.family, written))
			}
			continue
		}
		demos, err := o.play(ctx, f, task)
		if err != nil {
			return err
		}
		if repeats, seen[key] = 0, true; len(demos) == 0 {
			return errors.Join(buffered.Flush(), fmt.Errorf("task %s is too short to be folded", task.ID))
		}
		for _, demo := range demos[:min(len(demos), o.count-written)] {
			if err := lines.Encode(demo); err != nil {
				return fmt.Errorf("write demonstration %s: %w", demo.ID, err)
			}
			written++
		}
	}
	return buffered.Flush()
}

// play is the demonstrations of one task: one, or those of a folded rollout.
func (o options) play(ctx context.Context, f expert.Family, task rollout.Task) ([]expert.Demo, error) {
	slips := expert.Slips{Rate: o.slips, Seed: o.seed}
	if o.fold.manager == "" {
		demo, err := expert.Play(ctx, f, task, slips)
		return []expert.Demo{demo}, err
	}
	all, err := foldedDemos(ctx, f, task, o.fold, slips)
	if err != nil || o.part == "" {
		return all, err
	}
	var demos []expert.Demo
	for _, d := range all {
		if folds := len(d.Tools) == 0; folds == (o.part == "fold") {
			demos = append(demos, d)
		}
	}
	return demos, nil
}
