package arith

import (
	"fmt"
	"strconv"
)

const (
	// MaxLen is the longest expression, in bytes.
	MaxLen = 256
	// MaxDepth is the deepest nesting of parentheses and signs.
	MaxDepth = 32
	// MaxDigits is the longest number, so that it and any product of two fit
	// an int64.
	MaxDigits = 9
)

// Expr is a number or an operation on two expressions. It is immutable.
type Expr struct {
	// Op is one of + - * /, or 0 for a number.
	Op          byte
	Left, Right *Expr
	// Num is the number when Op is 0.
	Num int64
}

// SyntaxError says where an expression cannot be read.
type SyntaxError struct {
	// At is a byte offset.
	At  int
	Why string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at %d", e.Why, e.At) }

// Parse reads an expression. Operators of one rank group to the left.
func Parse(s string) (*Expr, error) {
	if len(s) > MaxLen {
		return nil, &SyntaxError{MaxLen, "too long"}
	}
	p := &parser{s: s}
	e, err := p.sum(0)
	if err != nil {
		return nil, err
	}
	if p.skip(); p.at < len(s) {
		return nil, p.fail("unexpected character")
	}
	return e, nil
}

type parser struct {
	s  string
	at int
}

func (p *parser) fail(why string) error { return &SyntaxError{p.at, why} }

func (p *parser) skip() {
	for p.at < len(p.s) && (p.s[p.at] == ' ' || p.s[p.at] == '\t') {
		p.at++
	}
}

// take consumes one of the bytes in any; 0 when the next is none of them.
func (p *parser) take(any string) byte {
	p.skip()
	if p.at >= len(p.s) {
		return 0
	}
	for i := range len(any) {
		if p.s[p.at] == any[i] {
			p.at++
			return any[i]
		}
	}
	return 0
}

func (p *parser) sum(depth int) (*Expr, error)     { return p.chain("+-", p.product, depth) }
func (p *parser) product(depth int) (*Expr, error) { return p.chain("*/", p.factor, depth) }

func (p *parser) chain(ops string, part func(int) (*Expr, error), depth int) (*Expr, error) {
	left, err := part(depth)
	for err == nil {
		op := p.take(ops)
		if op == 0 {
			return left, nil
		}
		var right *Expr
		right, err = part(depth)
		left = &Expr{Op: op, Left: left, Right: right}
	}
	return nil, err
}

func (p *parser) factor(depth int) (*Expr, error) {
	if depth > MaxDepth {
		return nil, p.fail("too deep")
	}
	switch p.take("(-") {
	case '(':
		e, err := p.sum(depth + 1)
		if err != nil {
			return nil, err
		}
		if p.take(")") == 0 {
			return nil, p.fail("missing )")
		}
		return e, nil
	case '-':
		e, err := p.factor(depth + 1)
		if err != nil {
			return nil, err
		}
		return negate(e), nil
	}
	return p.number()
}

func negate(e *Expr) *Expr {
	if e.Op == 0 {
		return &Expr{Num: -e.Num}
	}
	return &Expr{Op: '-', Left: &Expr{}, Right: e}
}

func (p *parser) number() (*Expr, error) {
	p.skip()
	from := p.at
	for p.at < len(p.s) && p.s[p.at] >= '0' && p.s[p.at] <= '9' {
		p.at++
	}
	if p.at == from {
		return nil, p.fail("number expected")
	}
	if p.at-from > MaxDigits {
		return nil, &SyntaxError{from, "number too long"}
	}
	n, err := strconv.ParseInt(p.s[from:p.at], 10, 64)
	if err != nil {
		return nil, &SyntaxError{from, "not a number"}
	}
	return &Expr{Num: n}, nil
}
