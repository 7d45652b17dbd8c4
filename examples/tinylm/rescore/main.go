// Command rescore scores the sampled ids of a run again with a tinylm
// checkpoint and compares the logprobs with those that the run recorded: of a
// run against a server of the same weights, how far the two engines agree.
//
//	go run ./examples/tinylm/rescore RUN [-model DIR] [-tolerance 2e-4]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"

	"focus/dataset"
	"focus/policy/tinylm"
	"focus/rollout"
)

func main() {
	model := flag.String("model", "", "checkpoint `folder`; default the bundled one")
	tolerance := flag.Float64("tolerance", 2e-4, "largest difference allowed")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "rescore: want one run folder")
		os.Exit(2)
	}
	if err := rescore(context.Background(), flag.Arg(0), *model, *tolerance); err != nil {
		fmt.Fprintln(os.Stderr, "rescore:", err)
		os.Exit(1)
	}
}

func rescore(ctx context.Context, dir, model string, tolerance float64) (err error) {
	run, err := dataset.Read(dir)
	if err != nil {
		return err
	}
	p, err := tinylm.NewPolicy(tinylm.PolicyConfig{Model: model})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	rows, ids, sum, worst, at := 0, 0, 0.0, 0.0, 0.0
	for s, err := range run.Samples() {
		if err != nil {
			return err
		}
		scores, err := p.Score(ctx, rollout.Tokens{}, s.TokenIDs)
		if err != nil {
			return fmt.Errorf("score row %s: %w", s.SampleID, err)
		}
		for i, sampled := range s.SampledMask {
			if sampled == 0 {
				continue
			}
			d := math.Abs(float64(scores[i]) - float64(s.Logprobs[i]))
			ids, sum = ids+1, sum+d
			if d > worst {
				worst, at = d, float64(scores[i])
			}
		}
		rows++
	}
	if ids == 0 {
		return fmt.Errorf("run %s has no sampled ids", dir)
	}
	fmt.Printf("%d sampled ids of %d rows: logprobs differ by at most %.2g (at %.4g), %.2g on average\n", ids, rows, worst, at, sum/float64(ids))
	if worst > tolerance {
		return fmt.Errorf("more than the %g allowed", tolerance)
	}
	return nil
}
