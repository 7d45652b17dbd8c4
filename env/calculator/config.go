package calculator

import (
	"errors"
	"fmt"

	"focus/env"
)

// Config sets the difficulty.
type Config struct {
	// MinOps and MaxOps bound the operations of an expression, drawn evenly.
	// Default (0) 2 and 5: what a model of a million weights solves about half
	// of the time. At most 12.
	MinOps int `yaml:"min_ops"`
	MaxOps int `yaml:"max_ops"`
	// MaxNumber is the largest number in an expression; the least is 1.
	// Default (0) 9.
	MaxNumber int `yaml:"max_number"`
	// MaxValue bounds every value on the way to the answer. Default (0) 999.
	MaxValue int `yaml:"max_value"`
	// Split keeps to the problems of one side; empty is both.
	Split env.Split `yaml:"split"`
	// Limits bound the tools.
	Limits env.Limits `yaml:"limits"`
}

func (c Config) withDefaults() Config {
	for _, f := range []struct {
		field *int
		value int
	}{{&c.MinOps, 2}, {&c.MaxOps, max(5, c.MinOps)}, {&c.MaxNumber, 9}, {&c.MaxValue, 999}} {
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
	add(c.MinOps < 1, "min_ops: %d is less than 1", c.MinOps)
	add(c.MaxOps > 12, "max_ops: %d is more than 12", c.MaxOps)
	add(c.MinOps > c.MaxOps, "min_ops: %d is more than max_ops %d", c.MinOps, c.MaxOps)
	add(c.MaxNumber < 2 || c.MaxNumber > 1000, "max_number: %d is outside 2 to 1000", c.MaxNumber)
	add(c.MaxValue < 4*c.MaxNumber || c.MaxValue > 1e8, "max_value: %d is outside 4*max_number to 100000000", c.MaxValue)
	return errors.Join(append(errs, c.Split.Validate(), c.Limits.Validate())...)
}
