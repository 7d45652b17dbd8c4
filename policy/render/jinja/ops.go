package jinja

import (
	"math"
	"math/big"
	"strings"
)

func (st *state) binaryOp(op string, l, r Value) Value {
	switch op {
	case "+":
		return st.add(l, r)
	case "*":
		if v := st.repeat(l, r); v != nil {
			return v
		}
		if v := st.repeat(r, l); v != nil {
			return v
		}
	case "%":
		if s, ok := l.(*Str); ok {
			return st.percent(s, r)
		}
	}
	if isSetLike(l) || isSetLike(r) {
		raise("NotImplementedError", "sets are not supported")
	}
	failIfUndefined(l, r)
	if v := st.arithmetic(op, l, r); v != nil {
		return v
	}
	if op == "**" {
		op = "** or pow()"
	}
	typeError("unsupported operand type(s) for %s: %s and %s", op, quote(l.typeName()), quote(r.typeName()))
	return nil
}

// isSetLike holds for dict views that subtract to a set, which nothing else in a template can make.
func isSetLike(v Value) bool {
	d, ok := v.(*dictView)
	return ok && d.kind != "values"
}

func failIfUndefined(vs ...Value) {
	for _, v := range vs {
		if u, ok := v.(*undefined); ok {
			failUndefined(u)
		}
	}
}

func (st *state) add(l, r Value) Value {
	switch a := l.(type) {
	case *Str:
		if b, ok := r.(*Str); ok {
			return st.join2(a, b)
		}
		failIfUndefined(r)
		typeError("can only concatenate str (not \"%s\") to str", r.typeName())
	case *List:
		if b, ok := r.(*List); ok {
			return &List{items: st.join(a.items, b.items)}
		}
		failIfUndefined(r)
		typeError("can only concatenate list (not \"%s\") to list", r.typeName())
	case *Tuple:
		if b, ok := r.(*Tuple); ok {
			return &Tuple{items: st.join(a.items, b.items)}
		}
		failIfUndefined(r)
		typeError("can only concatenate tuple (not \"%s\") to tuple", r.typeName())
	case Int:
		if b, ok := r.(Int); ok {
			if s := a + b; (s > a) == (b > 0) {
				return intValue(int(s))
			}
		}
	}
	failIfUndefined(l, r)
	if v := st.arithmetic("+", l, r); v != nil {
		return v
	}
	typeError("unsupported operand type(s) for +: %s and %s", quote(l.typeName()), quote(r.typeName()))
	return nil
}

// join2 concatenates two strings; Markup on either side escapes the other.
func (st *state) join2(a, b *Str) Value {
	markup := a.markup || b.markup
	if markup {
		a, b = escape(st, a), escape(st, b)
	}
	switch {
	case a.s == "":
		if markup {
			return b.safe()
		}
		return b
	case b.s == "":
		if markup {
			return a.safe()
		}
		return a
	}
	st.growText(len(a.s) + len(b.s))
	r := &Str{s: a.s + b.s, n: -1, markup: markup}
	if a.n >= 0 && b.n >= 0 {
		r.n = a.n + b.n
	}
	if len(a.marks)+len(b.marks) > 0 {
		bl := builder{marks: make([]mark, 0, len(a.marks)+len(b.marks))}
		bl.markLike(a, 0, len(a.s), 0)
		bl.markLike(b, 0, len(b.s), len(a.s))
		r.marks = bl.marks
	}
	return r
}

func (st *state) join(a, b []Value) []Value {
	st.growList(len(a) + len(b))
	out := make([]Value, 0, len(a)+len(b))
	return append(append(out, a...), b...)
}

// repeat is sequence * int, nil for anything else.
func (st *state) repeat(seq, times Value) Value {
	var size int
	isText := false
	switch s := seq.(type) {
	case *Str:
		size, isText = len(s.s), true
	case *List:
		size = len(s.items) * valueSize
	case *Tuple:
		size = len(s.items) * valueSize
	default:
		return nil
	}
	switch times.(type) {
	case Int, Bool:
	case *BigInt:
		raise("OverflowError", "cannot fit 'int' into an index-sized integer")
	default:
		failIfUndefined(times)
		typeError("can't multiply sequence by non-int of type %s", quote(times.typeName()))
	}
	n, _ := index(times)
	n = max(n, 0)
	if size > 0 && n > st.limits.Bytes/size {
		st.exceeded("Bytes", st.limits.Bytes)
	}
	if isText {
		st.growText(size * n)
	} else {
		st.grow(size * n)
	}
	switch s := seq.(type) {
	case *Str:
		if len(s.marks) == 0 {
			return s.like(text(strings.Repeat(s.s, n)))
		}
		var b builder
		for range n {
			b.str(s)
		}
		return s.like(b.take())
	case *List:
		return &List{items: repeatItems(s.items, n)}
	case *Tuple:
		return &Tuple{items: repeatItems(s.items, n)}
	}
	return nil
}

func repeatItems(items []Value, n int) []Value {
	if len(items) == 0 {
		return nil
	}
	out := make([]Value, 0, len(items)*n)
	for range n {
		out = append(out, items...)
	}
	return out
}

func (st *state) unaryOp(op string, v Value) Value {
	switch x := v.(type) {
	case Int:
		if op == "+" {
			return x
		}
		if x != math.MinInt64 {
			return intValue(int(-x))
		}
		return bigValue(new(big.Int).Neg(big.NewInt(int64(x))))
	case Bool:
		n, _ := index(x)
		if op == "-" {
			n = -n
		}
		return intValue(n)
	case Float:
		if op == "-" {
			return -x
		}
		return x
	case *BigInt:
		if op == "-" {
			return bigValue(new(big.Int).Neg(x.n))
		}
		return x
	case *undefined:
		failUndefined(x)
	}
	typeError("bad operand type for unary %s: %s", op, quote(v.typeName()))
	return nil
}
