package expert

import (
	"fmt"
	"strconv"
	"strings"

	"focus/env/countdown"
	"focus/rollout"
)

// countDown replies with the first solution found by trying all.
func countDown(talk []rollout.Message) (rollout.Message, error) {
	for _, m := range talk {
		if m.Role != rollout.RoleUser {
			continue
		}
		p, err := readProblem(m.Content)
		if err != nil {
			return rollout.Message{}, err
		}
		e := countdown.Solve(p)
		if e == nil {
			return rollout.Message{}, fmt.Errorf("no solution for %q", m.Content)
		}
		return rollout.Assistant(e.String()), nil
	}
	return rollout.Message{}, fmt.Errorf("no task in %d messages", len(talk))
}

// readProblem reads a prompt back.
func readProblem(s string) (countdown.Problem, error) {
	numbers, target, _ := strings.Cut(s, "\n")
	var p countdown.Problem
	for word := range strings.FieldsSeq(numbers) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return p, fmt.Errorf("read numbers: %w", err)
		}
		p.Numbers = append(p.Numbers, n)
	}
	n, err := strconv.ParseInt(target, 10, 64)
	if err != nil {
		return p, fmt.Errorf("read target: %w", err)
	}
	p.Target = n
	return p, nil
}
