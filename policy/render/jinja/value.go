package jinja

import (
	"math/big"
	"strconv"
)

// Value is a Python value as a template sees it. The set of types is closed: None, Bool, Int, Float, *BigInt, *Str, *List,
// *Tuple, *Dict, and what only templates make (iterators, macros, namespaces, undefined). Values handed to Render are
// never written to, so one Value may serve any number of concurrent renders.
type Value interface {
	typeName() string // what Python's type(x).__name__ says
}

type noneType struct{}

// None is Python's None.
var None Value = noneType{}

type (
	// Bool is Python's bool.
	Bool bool
	// Int is a Python int that fits 64 bits; wider ones are *BigInt.
	Int int64
	// Float is Python's float.
	Float float64
	// BigInt is a Python int outside the range of Int.
	BigInt struct{ n *big.Int }
	// List is a Python list. It does not change after it was made.
	List struct{ items []Value }
	// Tuple is a Python tuple. Names, where set, are a named tuple's attributes.
	Tuple struct {
		items []Value
		names []string
	}
)

func (noneType) typeName() string { return "NoneType" }
func (Bool) typeName() string     { return "bool" }
func (Int) typeName() string      { return "int" }
func (Float) typeName() string    { return "float" }
func (*BigInt) typeName() string  { return "int" }
func (*List) typeName() string    { return "list" }
func (*Tuple) typeName() string   { return "tuple" }

// NewList returns a list of the values given.
func NewList(items ...Value) *List { return &List{items: items} }

// Len returns the number of items.
func (l *List) Len() int { return len(l.items) }

// At returns item i; it panics outside 0..Len()-1.
func (l *List) At(i int) Value { return l.items[i] }

func newTuple(items ...Value) *Tuple { return &Tuple{items: items} }

// smallInts spares an allocation for the ints templates count with.
var smallInts = func() (t [1024]Value) {
	for i := range t {
		t[i] = Int(i)
	}
	return t
}()

func intValue(n int) Value {
	if n >= 0 && n < len(smallInts) {
		return smallInts[n]
	}
	return Int(n)
}

// bigValue returns n as Int where it fits.
func bigValue(n *big.Int) Value {
	if n.IsInt64() {
		return Int(n.Int64())
	}
	return &BigInt{n: n}
}

// maxIntDigits is CPython's limit on the conversion between int and decimal text.
const maxIntDigits = 4300

// Number returns the value Python's json gives the number text: an int unless it has a fraction or an exponent.
func Number(text string) (Value, error) {
	isFloat := false
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '.' || c == 'e' || c == 'E' {
			isFloat = true
		}
	}
	if isFloat {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil && !isRange(err) {
			return nil, err
		}
		return Float(f), nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Int(n), nil
	}
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || len(text) > maxIntDigits+1 {
		return nil, strconv.ErrSyntax
	}
	return bigValue(n), nil
}

// isRange tells an overflow, where ParseFloat still returns the infinity Python returns.
func isRange(err error) bool {
	ne, ok := err.(*strconv.NumError)
	return ok && ne.Err == strconv.ErrRange
}

// rangeVal is Python's range.
type rangeVal struct{ start, stop, step, n int }

func (*rangeVal) typeName() string { return "range" }

func (r *rangeVal) at(i int) Value { return intValue(r.start + i*r.step) }

// undefined is Jinja's Undefined: falsy, empty, and an error in nearly every other use.
type undefined struct {
	hint string // says all when set
	obj  Value  // what was looked into; nil for a plain name
	name Value  // what was looked for
	kind string // the error it raises; "" means UndefinedError
}

func (*undefined) typeName() string { return "Undefined" }

func (u *undefined) message() string {
	if u.hint != "" {
		return u.hint
	}
	if u.obj == nil {
		return reprText(u.name) + " is undefined"
	}
	if s, ok := u.name.(*Str); ok {
		return quote(objectName(u.obj)) + " has no attribute " + quote(s.s)
	}
	return objectName(u.obj) + " has no element " + reprText(u.name)
}

// objectName is Jinja's object_type_repr.
func objectName(v Value) string {
	switch v.(type) {
	case noneType:
		return "None"
	case *namespace:
		return "jinja2.utils.Namespace object"
	case *macro:
		return "jinja2.runtime.Macro object"
	case *loopVar:
		return "jinja2.runtime.LoopContext object"
	}
	return v.typeName() + " object"
}

// namespace is what {% set ns.x = … %} writes to: the one thing a template may change, and it never leaves a render.
type namespace struct{ attrs *Dict }

func (*namespace) typeName() string { return "Namespace" }

// builtin is a function of the environment.
type builtin struct {
	name string
	call func(st *state, a args) Value
}

func (*builtin) typeName() string { return "function" }

// method is a bound method.
type method struct {
	self Value
	name string
	call func(st *state, a args) Value
}

func (*method) typeName() string { return "builtin_function_or_method" }
