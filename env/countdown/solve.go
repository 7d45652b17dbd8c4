package countdown

import "focus/env/arith"

// Solve is the first solution in a fixed order: with the fewest numbers, then
// by the order of the numbers and of + - * /; every value on the way is a
// positive integer. Nil when there is none.
func Solve(p Problem) *arith.Expr {
	for use := 1; use <= len(p.Numbers); use++ {
		if e := search(leaves(p.Numbers), use, p.Target); e != nil {
			return e
		}
	}
	return nil
}

// part is an expression with its value and how many numbers it holds.
type part struct {
	e     *arith.Expr
	value int64
	count int
}

func leaves(numbers []int64) []part {
	out := make([]part, len(numbers))
	for i, n := range numbers {
		out[i] = part{&arith.Expr{Num: n}, n, 1}
	}
	return out
}

// search joins two parts in every way until one part holds use numbers.
func search(parts []part, use int, target int64) *arith.Expr {
	for _, p := range parts {
		if p.count == use && p.value == target {
			return p.e
		}
	}
	for i := range parts {
		for j := range parts {
			if i == j || parts[i].count+parts[j].count > use {
				continue
			}
			rest := make([]part, 0, len(parts)-1)
			for k, p := range parts {
				if k != i && k != j {
					rest = append(rest, p)
				}
			}
			for _, joined := range join(parts[i], parts[j], i < j) {
				if e := search(append(rest, joined), use, target); e != nil {
					return e
				}
			}
		}
	}
	return nil
}

// join is a op b for each operator that keeps values positive integers; the
// two that commute are tried in one order only.
func join(a, b part, ordered bool) []part {
	var out []part
	add := func(op byte, v int64) {
		out = append(out, part{&arith.Expr{Op: op, Left: a.e, Right: b.e}, v, a.count + b.count})
	}
	if ordered {
		add('+', a.value+b.value)
	}
	if a.value > b.value {
		add('-', a.value-b.value)
	}
	if ordered {
		add('*', a.value*b.value)
	}
	if a.value%b.value == 0 {
		add('/', a.value/b.value)
	}
	return out
}
