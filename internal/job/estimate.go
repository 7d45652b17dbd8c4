package job

import (
	"context"
	"math"

	"focus/rollout"
)

// estimate asks the value model what the live checkpoints of the path are
// worth. A score that cannot be had is missing, whatever went wrong.
func (l *line) estimate(ctx context.Context) {
	model := l.engine.live.Values
	if model == nil || l.x.Probe {
		return
	}
	var states []rollout.State
	var at []int
	for i, c := range l.path {
		if c.Branchable {
			states, at = append(states, c.State), append(at, i)
		}
	}
	if len(states) == 0 {
		return
	}
	values, why := scores(ctx, model, states)
	for i, v := range values {
		l.path[at[i]].Estimate = v
	}
	if ctx.Err() == nil {
		l.engine.count.estimates(values, why)
	}
}

// Causes of missing values that a model does not count itself.
const (
	causePanic     = "panic"
	causeLength    = "wrong_length"
	causeNotFinite = "not_finite"
)

// scores is one value per state, nil where there is none that can be used, and
// the causes of those that the model thought it had.
func scores(ctx context.Context, m ValueModel, states []rollout.State) (out []*float64, why map[string]int) {
	out, why = make([]*float64, len(states)), map[string]int{}
	defer func() {
		if recover() != nil {
			clear(out)
			why = map[string]int{causePanic: len(states)}
		}
	}()
	got := m.Values(ctx, states)
	if len(got) != len(states) {
		why[causeLength] = len(states)
		return out, why
	}
	for i, v := range got {
		switch {
		case v == nil:
		case math.IsNaN(*v) || math.IsInf(*v, 0):
			why[causeNotFinite]++
		default:
			out[i] = v
		}
	}
	return out, why
}
