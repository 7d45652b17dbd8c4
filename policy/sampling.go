package policy

import (
	"errors"
	"fmt"

	"focus/rollout"
)

// CheckSampling refuses a law that cannot be sampled from; the error names
// every field that is wrong.
func CheckSampling(sp rollout.SamplingParams) error {
	var errs []error
	wrong := func(bad bool, format string, v any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, v))
		}
	}
	// Written so that NaN is wrong too.
	wrong(sp.MaxTokens < 1, "max tokens %v, must be at least 1", sp.MaxTokens)
	wrong(!(sp.Temperature >= 0), "temperature %v, must not be negative", sp.Temperature)
	wrong(!(sp.TopP > 0 && sp.TopP <= 1), "top-p %v, must be in (0, 1]", sp.TopP)
	wrong(sp.TopK < 0, "top-k %v, must not be negative", sp.TopK)
	wrong(!(sp.MinP >= 0 && sp.MinP <= 1), "min-p %v, must be in [0, 1]", sp.MinP)
	for _, id := range sp.StopIDs {
		wrong(id < 0, "stop id %v, must not be negative", id)
	}
	return errors.Join(errs...)
}
