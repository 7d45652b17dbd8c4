package arith

import (
	"iter"
	"math/big"
	"strconv"
	"strings"
)

// Value is the exact value; false when it divides by zero.
func (e *Expr) Value() (*big.Rat, bool) {
	if e.Op == 0 {
		return new(big.Rat).SetInt64(e.Num), true
	}
	a, ok := e.Left.Value()
	if !ok {
		return nil, false
	}
	b, ok := e.Right.Value()
	if !ok {
		return nil, false
	}
	switch e.Op {
	case '+':
		return a.Add(a, b), true
	case '-':
		return a.Sub(a, b), true
	case '*':
		return a.Mul(a, b), true
	}
	if b.Sign() == 0 {
		return nil, false
	}
	return a.Quo(a, b), true
}

// Int is the value when it is an integer that fits an int64.
func (e *Expr) Int() (int64, bool) {
	v, ok := e.Value()
	if !ok || !v.IsInt() || !v.Num().IsInt64() {
		return 0, false
	}
	return v.Num().Int64(), true
}

// Numbers walks the numbers from left to right.
func (e *Expr) Numbers() iter.Seq[int64] {
	return func(yield func(int64) bool) { e.walk(yield) }
}

func (e *Expr) walk(yield func(int64) bool) bool {
	if e.Op == 0 {
		return yield(e.Num)
	}
	return e.Left.walk(yield) && e.Right.walk(yield)
}

// Simple reports whether e is one operation on two numbers.
func (e *Expr) Simple() bool { return e.Op != 0 && e.Left.Op == 0 && e.Right.Op == 0 }

// First is the leftmost part of e that is one operation on two numbers: what a
// person works out first. Nil when e is a number.
func (e *Expr) First() *Expr {
	switch {
	case e.Op == 0:
		return nil
	case e.Simple():
		return e
	}
	if f := e.Left.First(); f != nil {
		return f
	}
	return e.Right.First()
}

// With is e with the part that is identical to old replaced by a number.
func (e *Expr) With(old *Expr, value int64) *Expr {
	switch {
	case e == old:
		return &Expr{Num: value}
	case e.Op == 0:
		return e
	}
	return &Expr{Op: e.Op, Left: e.Left.With(old, value), Right: e.Right.With(old, value)}
}

// String writes e without blanks, with the parentheses that are needed.
func (e *Expr) String() string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e *Expr) write(b *strings.Builder) {
	if e.Op == 0 {
		b.WriteString(strconv.FormatInt(e.Num, 10))
		return
	}
	e.Left.writePart(b, e.Left.rank() < e.rank())
	b.WriteByte(e.Op)
	e.Right.writePart(b, e.Right.rank() <= e.rank() || e.Right.Op == 0 && e.Right.Num < 0)
}

func (e *Expr) writePart(b *strings.Builder, bracketed bool) {
	if bracketed {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	e.write(b)
}

// rank orders how tightly e's outermost operator binds.
func (e *Expr) rank() int {
	switch e.Op {
	case 0:
		return 3
	case '*', '/':
		return 2
	}
	return 1
}
