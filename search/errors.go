package search

import "errors"

// joined is one error for several sentences; nil for none.
func joined(sentences []string) error {
	errs := make([]error, len(sentences))
	for i, s := range sentences {
		errs[i] = errors.New(s)
	}
	return errors.Join(errs...)
}
