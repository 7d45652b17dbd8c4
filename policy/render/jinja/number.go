package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// floatRepr is Python's repr of a float: the shortest digits, an exponent only below 1e-4 and from 1e16 on.
func floatRepr(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// bigOf returns an int of any width, nil for what is none.
func bigOf(v Value) *big.Int {
	switch x := v.(type) {
	case Int:
		return big.NewInt(int64(x))
	case Bool:
		if x {
			return big.NewInt(1)
		}
		return new(big.Int)
	case *BigInt:
		return x.n
	}
	return nil
}

// floatOf converts a number; an int too large for a float raises.
func floatOf(v Value) (float64, bool) {
	switch x := v.(type) {
	case Float:
		return float64(x), true
	case Int:
		return float64(x), true
	case Bool:
		if x {
			return 1, true
		}
		return 0, true
	case *BigInt:
		f, _ := new(big.Float).SetInt(x.n).Float64()
		if math.IsInf(f, 0) {
			raise("OverflowError", "int too large to convert to float")
		}
		return f, true
	}
	return 0, false
}

// arithmetic computes l op r for numbers; nil means the operands are not numbers.
func (st *state) arithmetic(op string, l, r Value) Value {
	_, lf := l.(Float)
	_, rf := r.(Float)
	if lf || rf {
		a, ok1 := floatOf(l)
		b, ok2 := floatOf(r)
		if !ok1 || !ok2 {
			return nil
		}
		return floatArithmetic(op, a, b)
	}
	if a, ok := smallInt(l); ok {
		if b, ok := smallInt(r); ok {
			if v := intArithmetic(op, a, b); v != nil {
				return v
			}
		}
	}
	a, b := bigOf(l), bigOf(r)
	if a == nil || b == nil {
		return nil
	}
	return st.bigArithmetic(op, a, b)
}

func smallInt(v Value) (int, bool) {
	switch x := v.(type) {
	case Int:
		return int(x), true
	case Bool:
		if x {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// intArithmetic handles operands whose result cannot overflow.
func intArithmetic(op string, a, b int) Value {
	const half = 1 << 31
	small := a > -half && a < half && b > -half && b < half
	switch {
	case op == "+" && small:
		return intValue(a + b)
	case op == "-" && small:
		return intValue(a - b)
	case op == "*" && small:
		return intValue(a * b)
	case (op == "//" || op == "%") && small && b != 0:
		q, m := a/b, a%b
		if m != 0 && (m < 0) != (b < 0) {
			q, m = q-1, m+b
		}
		if op == "//" {
			return intValue(q)
		}
		return intValue(m)
	case op == "/" && small && b != 0:
		return Float(float64(a) / float64(b))
	}
	return nil
}

// maxBits bounds what ** may build.
const maxBits = 1 << 20

func (st *state) bigArithmetic(op string, a, b *big.Int) Value {
	st.grow((a.BitLen() + b.BitLen()) / 8)
	r := new(big.Int)
	switch op {
	case "+":
		return bigValue(r.Add(a, b))
	case "-":
		return bigValue(r.Sub(a, b))
	case "*":
		st.work(a.BitLen() * b.BitLen() >> 12)
		return bigValue(r.Mul(a, b))
	case "/":
		if b.Sign() == 0 {
			raise("ZeroDivisionError", "division by zero")
		}
		f, _ := new(big.Rat).SetFrac(a, b).Float64()
		if math.IsInf(f, 0) {
			raise("OverflowError", "integer division result too large for a float")
		}
		return Float(f)
	case "//", "%":
		if b.Sign() == 0 {
			raise("ZeroDivisionError", "integer division or modulo by zero")
		}
		st.work(a.BitLen() * b.BitLen() >> 12)
		m := new(big.Int)
		r.QuoRem(a, b, m)
		if m.Sign() != 0 && m.Sign() != b.Sign() {
			r.Sub(r, big.NewInt(1))
			m.Add(m, b)
		}
		if op == "%" {
			return bigValue(m)
		}
		return bigValue(r)
	case "**":
		return st.bigPower(a, b)
	}
	return nil
}

func (st *state) bigPower(a, b *big.Int) Value {
	if b.Sign() < 0 {
		x, _ := floatOf(bigValue(a))
		y, _ := floatOf(bigValue(b))
		return floatArithmetic("**", x, y)
	}
	if a.BitLen() > 1 && (!b.IsInt64() || b.Int64() > int64(maxBits/a.BitLen())) {
		st.exceeded("Bytes", st.limits.Bytes)
	}
	if a.BitLen() <= 1 {
		// 0, 1 and -1 stay small however large the exponent is.
		b = new(big.Int).Add(new(big.Int).And(b, big.NewInt(1)), big.NewInt(int64(2*min(b.Sign(), 1))))
	}
	st.work(a.BitLen() * int(min(max(b.Int64(), 1), maxBits)) >> 6)
	return bigValue(new(big.Int).Exp(a, b, nil))
}

func floatArithmetic(op string, a, b float64) Value {
	switch op {
	case "+":
		return Float(a + b)
	case "-":
		return Float(a - b)
	case "*":
		return Float(a * b)
	case "/":
		if b == 0 {
			raise("ZeroDivisionError", "float division by zero")
		}
		return Float(a / b)
	case "//", "%":
		if b == 0 {
			raise("ZeroDivisionError", "float floor division by zero")
		}
		q, m := floatDivMod(a, b)
		if op == "%" {
			return Float(m)
		}
		return Float(q)
	case "**":
		return floatPower(a, b)
	}
	return nil
}

// floatDivMod is Python's: the remainder has the divisor's sign.
func floatDivMod(a, b float64) (q, m float64) {
	m = math.Mod(a, b)
	q = (a - m) / b
	if m != 0 {
		if (b < 0) != (m < 0) {
			m += b
			q--
		}
	} else {
		m = math.Copysign(0, b)
	}
	if q == 0 {
		return math.Copysign(0, a/b), m
	}
	f := math.Floor(q)
	if q-f > 0.5 {
		f++
	}
	return f, m
}

func floatPower(a, b float64) Value {
	if a == 0 && b < 0 {
		raise("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	}
	if a < 0 && b != math.Floor(b) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		raise("NotImplementedError", "complex numbers are not supported")
	}
	f := math.Pow(a, b)
	if n := math.Abs(b); n == math.Trunc(n) && n <= 1024 {
		f = integerPower(a, int(b), f)
	}
	if math.IsInf(f, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		raise("OverflowError", "(34, 'Numerical result out of range')")
	}
	return Float(f)
}

// integerPower rounds correctly, as C's pow nearly always does and Go's does not. approx is kept outside the normal range.
func integerPower(a float64, n int, approx float64) float64 {
	if abs := math.Abs(approx); math.IsNaN(approx) || math.IsInf(approx, 0) || abs < 1e-300 || a == 0 {
		return approx
	}
	const precision = 256
	r, sq := big.NewFloat(1).SetPrec(precision), big.NewFloat(a).SetPrec(precision)
	for k := max(n, -n); k > 0; k >>= 1 {
		if k&1 == 1 {
			r.Mul(r, sq)
		}
		sq.Mul(sq, sq)
	}
	if n < 0 {
		r.Quo(big.NewFloat(1).SetPrec(precision), r)
	}
	f, _ := r.Float64()
	return f
}

func numberAttr(v Value, id string) Value {
	switch id {
	case "real", "numerator":
		if _, ok := v.(Float); ok && id == "numerator" {
			return nil
		}
		return positive(v)
	case "imag":
		if _, ok := v.(Float); ok {
			return Float(0)
		}
		return Int(0)
	case "denominator":
		if _, ok := v.(Float); ok {
			return nil
		}
		return Int(1)
	case "is_integer":
		if f, ok := v.(Float); ok {
			return &method{self: v, name: id, call: func(_ *state, a args) Value {
				bind(id, a, nil, nil, 0)
				return Bool(float64(f) == math.Trunc(float64(f)) && !math.IsInf(float64(f), 0))
			}}
		}
	case "bit_length":
		if n := bigOf(v); n != nil {
			return &method{self: v, name: id, call: func(_ *state, a args) Value {
				bind(id, a, nil, nil, 0)
				return intValue(n.BitLen())
			}}
		}
	case "conjugate":
		return &method{self: v, name: id, call: func(_ *state, a args) Value {
			bind(id, a, nil, nil, 0)
			return positive(v)
		}}
	}
	return nil
}

// positive is +v: a bool becomes an int.
func positive(v Value) Value {
	if b, ok := v.(Bool); ok {
		n, _ := index(b)
		return intValue(n)
	}
	return v
}
