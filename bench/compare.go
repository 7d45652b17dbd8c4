package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Contender does turns as fast as it can.
type Contender interface {
	Name() string
	// Turns returns when n turns are done, or with the first error.
	Turns(ctx context.Context, n int) error
}

// Plan says how long contenders are compared.
type Plan struct {
	// Title heads the comparison.
	Title string
	// Turns in one slice of one contender; required. A slice should last long
	// enough, a tenth of a second or more, to hide what starting it costs.
	Turns int
	// Rounds in which each contender has one slice; 0 means 9.
	Rounds int
	// Warmup is the turns each contender does before the first round; 0 means
	// as many as in a slice.
	Warmup int
}

// Validate reports every problem at once.
func (p Plan) Validate() error {
	var errs []error
	if p.Turns < 1 {
		errs = append(errs, fmt.Errorf("bench plan: turns is %d; it must be at least 1", p.Turns))
	}
	if p.Rounds < 0 || p.Warmup < 0 {
		errs = append(errs, fmt.Errorf("bench plan: rounds is %d and warmup is %d; they must not be negative", p.Rounds, p.Warmup))
	}
	return errors.Join(errs...)
}

// Comparison is what one run measured.
type Comparison struct {
	Title  string `json:"title"`
	Turns  int    `json:"turns_per_slice"`
	Rounds int    `json:"rounds"`
	// Series has one entry per contender, the base first.
	Series []Series `json:"series"`
	// Ratios has one entry per contender but the base.
	Ratios []Ratio `json:"ratios"`
}

// Series is one contender's slices.
type Series struct {
	Name string `json:"name"`
	// Rate in turns per second.
	Rate Spread `json:"turns_per_second"`
	// CPU of this process per turn, in microseconds; a server in the same
	// process is part of it. All 0 where the system does not say.
	CPU Spread `json:"cpu_us_per_turn"`
	// Allocated bytes per turn, likewise.
	Allocated Spread `json:"allocated_bytes_per_turn"`
}

// Ratio compares a contender and the base, round by round.
type Ratio struct {
	Of   string `json:"of"`
	Over string `json:"over"`
	// Rate above 1 means that Of is the faster one.
	Rate Spread `json:"rate"`
	// CPU above 1 means that Of costs more of it; this figure still means
	// something on a machine that is busy with other things. All 0 where the
	// system does not say.
	CPU Spread `json:"cpu"`
}

// slice is one measurement.
type slice struct{ rate, cpu, allocated float64 }

// Compare runs the plan. The base is what the others are divided by.
func Compare(ctx context.Context, p Plan, base Contender, others ...Contender) (Comparison, error) {
	if err := p.Validate(); err != nil {
		return Comparison{}, err
	}
	if p.Rounds == 0 {
		p.Rounds = 9
	}
	if p.Warmup == 0 {
		p.Warmup = p.Turns
	}
	all := append([]Contender{base}, others...)
	for _, c := range all {
		if err := c.Turns(ctx, p.Warmup); err != nil {
			return Comparison{}, fmt.Errorf("warm up %s: %w", c.Name(), err)
		}
	}
	slices := make([][]slice, len(all))
	for round := range p.Rounds {
		for i := range all {
			k := (round + i) % len(all)
			s, err := measure(ctx, all[k], p.Turns)
			if err != nil {
				return Comparison{}, fmt.Errorf("round %d of %s: %w", round, all[k].Name(), err)
			}
			slices[k] = append(slices[k], s)
		}
	}
	return summarize(p, all, slices), nil
}

// measure times one slice.
func measure(ctx context.Context, c Contender, n int) (slice, error) {
	runtime.GC()
	alloc, cpu, begin := allocatedBytes(), cpuTime(), time.Now()
	if err := c.Turns(ctx, n); err != nil {
		return slice{}, err
	}
	took := time.Since(begin)
	if took <= 0 {
		return slice{}, fmt.Errorf("%d turns took no time that the clock can see", n)
	}
	turns := float64(n)
	return slice{
		rate:      turns / took.Seconds(),
		cpu:       float64((cpuTime() - cpu).Microseconds()) / turns,
		allocated: float64(allocatedBytes()-alloc) / turns,
	}, nil
}

func summarize(p Plan, all []Contender, slices [][]slice) Comparison {
	c := Comparison{Title: p.Title, Turns: p.Turns, Rounds: p.Rounds}
	over := func(k int, f func(round int) float64) Spread {
		values := make([]float64, len(slices[k]))
		for round := range values {
			values[round] = f(round)
		}
		return spreadOf(values)
	}
	for k, contender := range all {
		c.Series = append(c.Series, Series{
			Name:      contender.Name(),
			Rate:      over(k, func(r int) float64 { return slices[k][r].rate }),
			CPU:       over(k, func(r int) float64 { return slices[k][r].cpu }),
			Allocated: over(k, func(r int) float64 { return slices[k][r].allocated }),
		})
		if k > 0 {
			c.Ratios = append(c.Ratios, Ratio{
				Of: contender.Name(), Over: all[0].Name(),
				Rate: over(k, func(r int) float64 { return slices[k][r].rate / slices[0][r].rate }),
				CPU: over(k, func(r int) float64 {
					if slices[0][r].cpu == 0 {
						return 0
					}
					return slices[k][r].cpu / slices[0][r].cpu
				}),
			})
		}
	}
	return c
}
