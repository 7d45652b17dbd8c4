package expert

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"focus/env/arith"
	"focus/rollout"
)

// calculate writes the remaining expression and asks for its first operation.
// The remaining expression is the last one written with the last result put in
// its place, so each reply needs only the turn before it.
func calculate(talk []rollout.Message) (rollout.Message, error) {
	e, err := remaining(talk)
	if err != nil {
		return rollout.Message{}, err
	}
	if first := e.First(); first != nil {
		return say(e.String(), "calculator", "expression", first.String())
	}
	return say(e.String(), "submit", "answer", e.Num)
}

func remaining(talk []rollout.Message) (*arith.Expr, error) {
	var e *arith.Expr
	for _, m := range talk {
		switch m.Role {
		case rollout.RoleUser:
			if e != nil {
				continue // a nudge
			}
			var err error
			if e, err = arith.Parse(m.Content); err != nil {
				return nil, fmt.Errorf("read task: %w", err)
			}
		case rollout.RoleTool:
			if v, err := strconv.ParseInt(m.Content, 10, 64); err == nil && e != nil {
				e = e.With(e.First(), v)
			}
		}
	}
	if e == nil {
		return nil, fmt.Errorf("no task in %d messages", len(talk))
	}
	return e, nil
}

// calculatorSlips: forget the call, or ask for everything at once.
func calculatorSlips() []slip {
	greedy := func(_ *rand.Rand, right rollout.Message) (rollout.Message, bool) {
		e, err := arith.Parse(right.Content)
		if err != nil || e.Op == 0 || e.Simple() {
			return rollout.Message{}, false
		}
		m, err := say(right.Content, "calculator", "expression", right.Content)
		return m, err == nil
	}
	return []slip{silent, greedy}
}
