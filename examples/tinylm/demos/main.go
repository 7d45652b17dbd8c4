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
)

type options struct {
	family string
	count  int
	seed   int64
	hops   int
	split  string
	slips  float64
}

func main() {
	var o options
	flag.StringVar(&o.family, "family", "calculator", "calculator, countdown or notes")
	flag.IntVar(&o.count, "n", 100, "how many demonstrations")
	flag.Int64Var(&o.seed, "seed", 1, "seed of the tasks and of the slips")
	flag.IntVar(&o.hops, "hops", 0, "hops of notes; 0 is the family's default")
	flag.StringVar(&o.split, "split", "train", "train, heldout or all")
	flag.Float64Var(&o.slips, "slips", 0.03, "chance of a mistake, of weight 0, before a right reply")
	flag.Parse()
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
	f, err := expert.New(o.family, expert.Options{Hops: o.hops, Split: split})
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
		repeats, seen[key] = 0, true
		demo, err := expert.Play(ctx, f, task, expert.Slips{Rate: o.slips, Seed: o.seed})
		if err != nil {
			return err
		}
		if err := lines.Encode(demo); err != nil {
			return fmt.Errorf("write demonstration %s: %w", demo.ID, err)
		}
		written++
	}
	return buffered.Flush()
}
