package countdown

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"focus/env/arith"
)

// ErrWrong is an answer that can be read and does not solve the problem.
var ErrWrong = errors.New("wrong answer")

// Check judges a reply: its last line that is not empty must be an expression
// that uses each given number at most once and has exactly the target's value.
// A trailing "= target" is allowed.
func Check(p Problem, reply string) error {
	answer, claim, claimed := strings.Cut(lastLine(reply), "=")
	e, err := arith.Parse(strings.TrimSpace(answer))
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	target := new(big.Rat).SetInt64(p.Target)
	if claimed {
		c, err := arith.Parse(strings.TrimSpace(claim))
		if err != nil {
			return fmt.Errorf("read right side: %w", err)
		}
		if v, ok := c.Value(); c.Op != 0 || !ok || v.Cmp(target) != 0 {
			return fmt.Errorf("%w: the right side is not the target", ErrWrong)
		}
	}
	left := slices.Clone(p.Numbers)
	for n := range e.Numbers() {
		i := slices.Index(left, n)
		if i < 0 {
			return fmt.Errorf("%w: %d is not given, or is used too often", ErrWrong, n)
		}
		left = slices.Delete(left, i, i+1)
	}
	v, ok := e.Value()
	if !ok {
		return fmt.Errorf("%w: division by zero", ErrWrong)
	}
	if v.Cmp(target) != 0 {
		return fmt.Errorf("%w: the value is %s", ErrWrong, v.RatString())
	}
	return nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
}
