package env

import (
	"fmt"
	"strconv"

	"focus/rollout"
)

// Split divides the problems of a family by their key, so that what a model
// was trained on and what it is judged on never meet, whatever the seeds.
type Split string

const (
	// SplitAll takes every problem.
	SplitAll Split = ""
	// SplitTrain takes nine problems in ten.
	SplitTrain Split = "train"
	// SplitHeldOut takes the rest.
	SplitHeldOut Split = "heldout"
)

// Validate refuses a name that is no split.
func (s Split) Validate() error {
	switch s {
	case SplitAll, SplitTrain, SplitHeldOut:
		return nil
	}
	return fmt.Errorf("split: %q is none of train, heldout, or empty for both", string(s))
}

// Has reports whether the problem with this key belongs to the split.
func (s Split) Has(key string) bool {
	heldOut := rollout.DeriveSeed("split", key)%10 == 0
	return s == SplitAll || heldOut == (s == SplitHeldOut)
}

// Seed is the first seed, of those derived from a family's name, seed and
// index, whose problem belongs to the split; key names the problem of a seed.
func (s Split) Seed(family string, seed int64, index int, key func(int64) string) int64 {
	for try := 0; ; try++ {
		at := rollout.DeriveSeed(family, strconv.FormatInt(seed, 10), strconv.Itoa(index), strconv.Itoa(try))
		if s.Has(key(at)) {
			return at
		}
	}
}
