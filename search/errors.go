package search

import (
	"errors"
	"fmt"
)

// limited refuses numbers whose product, the rollouts of one tree, is beyond
// what could be held and credited as one; what names them.
func limited(what string, factors ...int) error {
	product := 1.0
	for _, f := range factors {
		product *= float64(max(1, f))
	}
	if product > maxGroup {
		return fmt.Errorf("%s make %.0f, must be at most %d", what, product, maxGroup)
	}
	return nil
}

// joined is one error for several sentences; nil for none.
func joined(sentences []string) error {
	errs := make([]error, len(sentences))
	for i, s := range sentences {
		errs[i] = errors.New(s)
	}
	return errors.Join(errs...)
}
