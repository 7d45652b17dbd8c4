package notes

import (
	"errors"
	"fmt"

	"focus/env"
)

// Config sets the difficulty. Size names a set of defaults; any field that is
// not 0 overrides its part.
type Config struct {
	// Size is "short" (the default) or "long". Long overflows a window of
	// 2,048 tokens before the answer is found.
	Size string `yaml:"size"`
	// MinHops and MaxHops bound the notes to be read, drawn evenly: 1 is
	// Milo.food, 2 is Milo.boss.food. Default 1 and 1; long 3 and 4.
	MinHops int `yaml:"min_hops"`
	MaxHops int `yaml:"max_hops"`
	// People is how many notes there are. Default 8; long 24. At most 60.
	People int `yaml:"people"`
	// Facts is how many lines of a note may be asked for: half of them name
	// another person. Default 4; long 8. At least 2, at most 12.
	Facts int `yaml:"facts"`
	// Filler is how many lines of a note are never asked for. Default 0; long
	// 100.
	Filler int `yaml:"filler"`
	// Split keeps to the problems of one side; empty is both.
	Split env.Split `yaml:"split"`
	// Limits bound the tools.
	Limits env.Limits `yaml:"limits"`
}

// Long is the configuration whose rollouts overflow a window of 2,048 tokens.
func Long() Config { return Config{Size: "long"}.withDefaults() }

func (c Config) withDefaults() Config {
	d := Config{MinHops: 1, MaxHops: 1, People: 8, Facts: 4}
	if c.Size == "long" {
		d = Config{MinHops: 3, MaxHops: 4, People: 24, Facts: 8, Filler: 100}
	}
	d.MaxHops = max(d.MaxHops, c.MinHops)
	if c.MaxHops > 0 {
		d.MinHops = min(d.MinHops, c.MaxHops)
	}
	for _, f := range []struct {
		field *int
		value int
	}{{&c.MinHops, d.MinHops}, {&c.MaxHops, d.MaxHops}, {&c.People, d.People}, {&c.Facts, d.Facts}, {&c.Filler, d.Filler}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	return c
}

// Validate reports every problem at once.
func (c Config) Validate() error {
	size := c.Size
	c = c.withDefaults()
	var errs []error
	add := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	add(size != "" && size != "short" && size != "long", "size: %q is neither short nor long", size)
	add(c.MinHops < 1, "min_hops: %d is less than 1", c.MinHops)
	add(c.MinHops > c.MaxHops, "min_hops: %d is more than max_hops %d", c.MinHops, c.MaxHops)
	add(c.People < 2 || c.People > len(names), "people: %d is outside 2 to %d", c.People, len(names))
	add(c.MaxHops > c.People, "max_hops: %d is more than people %d", c.MaxHops, c.People)
	add(c.Facts < 2 || c.Facts > 12, "facts: %d is outside 2 to 12", c.Facts)
	add(c.Filler < 0 || c.Filler > 10000, "filler: %d is outside 0 to 10000", c.Filler)
	return errors.Join(append(errs, c.Split.Validate(), c.Limits.Validate())...)
}
