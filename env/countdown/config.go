package countdown

import (
	"errors"
	"fmt"

	"focus/env"
)

// Config sets the difficulty.
type Config struct {
	// MinNumbers and MaxNumbers bound how many numbers are given, drawn
	// evenly. Default (0) 3 and 4. At least 2, at most 6.
	MinNumbers int `yaml:"min_numbers"`
	MaxNumbers int `yaml:"max_numbers"`
	// MaxNumber is the largest given number; the least is 1. Default (0) 12.
	MaxNumber int `yaml:"max_number"`
	// MaxTarget is the largest target. Default (0) 99.
	MaxTarget int `yaml:"max_target"`
	// Split keeps to the problems of one side; empty is both.
	Split env.Split `yaml:"split"`
}

func (c Config) withDefaults() Config {
	for _, f := range []struct {
		field *int
		value int
	}{{&c.MinNumbers, 3}, {&c.MaxNumbers, max(4, c.MinNumbers)}, {&c.MaxNumber, 12}, {&c.MaxTarget, 99}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	return c
}

// Validate reports every problem at once.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	add := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	add(c.MinNumbers < 2, "min_numbers: %d is less than 2", c.MinNumbers)
	add(c.MaxNumbers > 6, "max_numbers: %d is more than 6", c.MaxNumbers)
	add(c.MinNumbers > c.MaxNumbers, "min_numbers: %d is more than max_numbers %d", c.MinNumbers, c.MaxNumbers)
	add(c.MaxNumber < 6 || c.MaxNumber > 1000, "max_number: %d is outside 6 to 1000", c.MaxNumber)
	add(c.MaxTarget < c.MaxNumber || c.MaxTarget > 1e6, "max_target: %d is outside max_number to 1000000", c.MaxTarget)
	return errors.Join(append(errs, c.Split.Validate())...)
}
