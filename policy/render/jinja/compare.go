package jinja

import (
	"cmp"
	"math"
	"math/big"
	"strings"
)

func (st *state) compareOp(op string, l, r Value) bool {
	switch op {
	case "==":
		return st.equal(l, r)
	case "!=":
		return !st.equal(l, r)
	case "in":
		return st.contains(r, l)
	case "not in":
		return !st.contains(r, l)
	}
	return st.ordered(op, l, r)
}

// equal is Python's ==.
func (st *state) equal(a, b Value) bool {
	switch x := a.(type) {
	case *Str:
		y, ok := b.(*Str)
		if !ok || len(x.s) != len(y.s) {
			return false
		}
		st.work(len(x.s) / scanned)
		return x.s == y.s
	case noneType:
		return b == None
	case Int:
		if y, ok := b.(Int); ok {
			return x == y
		}
	case *undefined:
		_, ok := b.(*undefined)
		return ok
	case *List:
		y, ok := b.(*List)
		return ok && st.equalItems(x.items, y.items)
	case *Tuple:
		y, ok := b.(*Tuple)
		return ok && st.equalItems(x.items, y.items)
	case *Dict:
		y, ok := b.(*Dict)
		return ok && st.equalDicts(x, y)
	case *rangeVal:
		y, ok := b.(*rangeVal)
		return ok && x.n == y.n && (x.n == 0 || x.start == y.start && (x.n == 1 || x.step == y.step))
	case *dictView:
		y, ok := b.(*dictView)
		return ok && st.equalViews(x, y)
	}
	if c, ok := compareNumbers(a, b); ok {
		return c == 0
	}
	return a == b
}

func (st *state) equalItems(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	st.dive(1)
	st.work(len(a))
	eq := true
	for i := range a {
		if eq = a[i] == b[i] || st.equal(a[i], b[i]); !eq {
			break
		}
	}
	st.rise(1)
	return eq
}

func (st *state) equalDicts(a, b *Dict) bool {
	if a == b {
		return true
	}
	if len(a.keys) != len(b.keys) {
		return false
	}
	st.dive(1)
	st.work(len(a.keys))
	eq := true
	for i, k := range a.keys {
		j := b.find(k)
		if eq = j >= 0 && st.equal(a.vals[i], b.vals[j]); !eq {
			break
		}
	}
	st.rise(1)
	return eq
}

// equalViews compares keys and items as sets; a values view equals only itself.
func (st *state) equalViews(a, b *dictView) bool {
	if a.kind == "values" || b.kind == "values" {
		return a == b
	}
	if len(a.d.keys) != len(b.d.keys) {
		return false
	}
	for i := range a.d.keys {
		if !st.contains(b, a.at(i)) {
			return false
		}
	}
	return true
}

// compareNumbers compares two numbers exactly; NaN is unequal to everything (result 2).
func compareNumbers(a, b Value) (int, bool) {
	if x, ok := smallInt(a); ok {
		if y, ok := smallInt(b); ok {
			return cmp.Compare(x, y), true
		}
	}
	x, xf := a.(Float)
	y, yf := b.(Float)
	switch {
	case xf && yf:
		return compareFloats(float64(x), float64(y)), true
	case xf:
		if n := bigOf(b); n != nil {
			return compareFloatInt(float64(x), n), true
		}
	case yf:
		if n := bigOf(a); n != nil {
			if c := compareFloatInt(float64(y), n); c != 2 {
				return -c, true
			}
			return 2, true
		}
	default:
		m, n := bigOf(a), bigOf(b)
		if m != nil && n != nil {
			return m.Cmp(n), true
		}
	}
	return 0, false
}

func compareFloats(x, y float64) int {
	if math.IsNaN(x) || math.IsNaN(y) {
		return 2
	}
	return cmp.Compare(x, y)
}

func compareFloatInt(f float64, n *big.Int) int {
	switch {
	case math.IsNaN(f):
		return 2
	case math.IsInf(f, 1):
		return 1
	case math.IsInf(f, -1):
		return -1
	}
	return big.NewFloat(f).Cmp(new(big.Float).SetInt(n))
}

// ordered is <, <=, > and >=.
func (st *state) ordered(op string, a, b Value) bool {
	c := 0
	switch x := a.(type) {
	case *Str:
		if y, ok := b.(*Str); ok {
			st.work(min(len(x.s), len(y.s)) / scanned)
			return holds(op, strings.Compare(x.s, y.s))
		}
	case *List:
		if y, ok := b.(*List); ok {
			return st.orderedItems(op, x.items, y.items)
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			return st.orderedItems(op, x.items, y.items)
		}
	}
	c, ok := compareNumbers(a, b)
	if !ok {
		failIfUndefined(a, b)
		typeError("%s not supported between instances of %s and %s", quote(op), quote(a.typeName()), quote(b.typeName()))
	}
	return holds(op, c)
}

func holds(op string, c int) bool {
	if c == 2 {
		return false
	}
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// orderedItems compares by the first items that differ, as Python does.
func (st *state) orderedItems(op string, a, b []Value) bool {
	st.dive(1)
	for i := range min(len(a), len(b)) {
		st.step()
		if a[i] != b[i] && !st.equal(a[i], b[i]) {
			r := st.ordered(op, a[i], b[i])
			st.rise(1)
			return r
		}
	}
	st.rise(1)
	return holds(op, cmp.Compare(len(a), len(b)))
}

// contains is Python's in.
func (st *state) contains(seq, v Value) bool {
	switch s := seq.(type) {
	case *Str:
		sub, ok := v.(*Str)
		if !ok {
			typeError("'in <string>' requires string as left operand, not %s", v.typeName())
		}
		st.work(len(s.s) / scanned)
		return strings.Contains(s.s, sub.s)
	case *Dict:
		st.needHashable(v)
		return s.find(v) >= 0
	case *dictView:
		if s.kind == "keys" {
			st.needHashable(v)
			return s.d.find(v) >= 0
		}
	}
	it, ok := st.iter(seq)
	if !ok {
		typeError("argument of type %s is not iterable", quote(seq.typeName()))
	}
	for {
		x, ok := it.next()
		if !ok {
			return false
		}
		st.step()
		if x == v || st.equal(x, v) {
			return true
		}
	}
}

func (st *state) needHashable(v Value) {
	if _, ok := hashKey(v, 0); !ok {
		typeError("unhashable type: %s", quote(v.typeName()))
	}
}
