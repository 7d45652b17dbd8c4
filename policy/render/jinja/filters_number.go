package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

func numberFilters(add addFilter) {
	add("int", []string{"default", "base"}, 0, intFilter)
	add("float", []string{"default"}, 0, func(_ *state, v Value, a []Value) Value {
		failIfUndefined(v)
		if f, ok := toFloat(v); ok {
			return Float(f)
		}
		return arg(a, 0, Float(0))
	})
	add("abs", nil, 0, absFilter)
	add("round", []string{"precision", "method"}, 0, roundFilter)
	add("filesizeformat", []string{"binary"}, 0, func(_ *state, v Value, a []Value) Value {
		failIfUndefined(v)
		f, ok := toFloat(v)
		if !ok {
			typeError("filesizeformat needs a number, not %s", v.typeName())
		}
		return text(fileSize(f, argBool(a, 0, false)))
	})
	add("sum", []string{"attribute", "start"}, 0, sumFilter)
}

func intFilter(_ *state, v Value, a []Value) Value {
	failIfUndefined(v)
	base := argInt("int", a, 1, 10)
	def := arg(a, 0, Int(0))
	switch x := v.(type) {
	case *Str:
		if n := toInt(x, base); n != nil {
			return n
		}
	case Int, *BigInt:
		return v
	case Bool:
		return positive(x)
	}
	f, ok := toFloat(v)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return def
	}
	return truncFloat(f)
}

func truncFloat(f float64) Value {
	n, _ := big.NewFloat(f).Int(nil)
	return bigValue(n)
}

// asciiNumber strips white space and makes every decimal digit an ASCII one, as Python's int and float do first.
func asciiNumber(s string) string {
	s = strings.TrimFunc(s, isSpace)
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r >= 0x80 && isDecimal(r) {
			for n := rune(0); n < 10; n++ {
				if !isDecimal(r-n-1) || n == 9 {
					return '0' + n
				}
			}
		}
		return r
	}, s)
}

// toInt is int(s, base), nil where Python raises ValueError.
func toInt(v *Str, base int) Value {
	s := asciiNumber(v.s)
	if base != 0 && (base < 2 || base > 36) {
		return nil
	}
	sign, digits := "", s
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		sign, digits = s[:1], s[1:]
	}
	low := strings.ToLower(digits)
	for prefix, b := range map[string]int{"0b": 2, "0o": 8, "0x": 16} {
		if (base == b || base == 0) && strings.HasPrefix(low, prefix) {
			digits, base = strings.TrimPrefix(digits[2:], "_"), b
			break
		}
	}
	if base == 0 {
		base = 10
		if len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0_") != "" {
			return nil
		}
	}
	if strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		return nil
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if digits == "" || strings.ContainsAny(digits, "+-") || len(digits) > maxIntDigits {
		return nil
	}
	if n, err := strconv.ParseInt(sign+digits, base, 64); err == nil {
		return intValue(int(n))
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return nil
	}
	if sign == "-" {
		n.Neg(n)
	}
	return bigValue(n)
}

// toFloat is float(v), false where Python raises TypeError or ValueError.
func toFloat(v Value) (float64, bool) {
	s, ok := v.(*Str)
	if !ok {
		return floatOf(v)
	}
	t := asciiNumber(s.s)
	if strings.HasPrefix(t, "_") || strings.HasSuffix(t, "_") || strings.ContainsAny(t, "xXpP") {
		return 0, false
	}
	if strings.Contains(t, "_") {
		for i := 1; i < len(t)-1; i++ {
			if t[i] == '_' && (!isASCIIDigits(t[i-1:i]) || !isASCIIDigits(t[i+1:i+2])) {
				return 0, false
			}
		}
		t = strings.ReplaceAll(t, "_", "")
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil && !isRange(err) {
		return 0, false
	}
	return f, true
}

func absFilter(_ *state, v Value, _ []Value) Value {
	switch x := v.(type) {
	case Float:
		return Float(math.Abs(float64(x)))
	case Int, Bool, *BigInt:
		return bigValue(new(big.Int).Abs(bigOf(v)))
	}
	typeError("bad operand type for abs(): %s", quote(v.typeName()))
	return nil
}

func roundFilter(_ *state, v Value, a []Value) Value {
	how := argStr("round", a, 1, text("common")).s
	if how != "common" && how != "ceil" && how != "floor" {
		raise("FilterArgumentError", "method must be common, ceil or floor")
	}
	precision := argInt("round", a, 0, 0)
	if how == "common" {
		return roundValue(v, precision)
	}
	f, ok := floatOf(v)
	if !ok {
		failIfUndefined(v)
		typeError("must be real number, not %s", v.typeName())
	}
	scale := math.Pow(10, float64(precision))
	if f *= scale; math.IsInf(f, 0) || math.IsNaN(f) {
		raise("OverflowError", "cannot convert float to integer")
	}
	if how == "ceil" {
		f = math.Ceil(f)
	} else {
		f = math.Floor(f)
	}
	return Float((f + 0) / scale) // Python goes through an int, which has no negative zero
}

// roundValue is Python's round: half to even, on the exact decimal value.
func roundValue(v Value, precision int) Value {
	switch x := v.(type) {
	case Float:
		f := float64(x)
		if math.IsInf(f, 0) || math.IsNaN(f) || precision > 323 {
			return x
		}
		if precision < 0 {
			return Float(roundTens(f, -precision))
		}
		r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', precision, 64), 64)
		return Float(r)
	case Int, Bool, *BigInt:
		n := bigOf(v)
		if precision >= 0 {
			return bigValue(n)
		}
		if -precision > n.BitLen() {
			return Int(0)
		}
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-precision)), nil)
		return bigValue(roundTo(n, unit))
	}
	typeError("type %s doesn't define __round__ method", v.typeName())
	return nil
}

// roundTens rounds to tens, hundreds, …
func roundTens(f float64, digits int) float64 {
	if digits > 308 {
		return math.Copysign(0, f)
	}
	s := strconv.FormatFloat(f, 'e', 40, 64)
	e, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	if keep := e - digits; keep >= 0 {
		r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'e', keep, 64), 64)
		return r
	}
	unit := math.Pow(10, float64(digits))
	return math.RoundToEven(f/unit) * unit
}

func roundTo(n, unit *big.Int) *big.Int {
	q, m := new(big.Int).DivMod(n, unit, new(big.Int))
	twice := new(big.Int).Lsh(m, 1)
	if c := twice.Cmp(unit); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return q.Mul(q, unit)
}

func sumFilter(st *state, v Value, a []Value) Value {
	total := arg(a, 1, Int(0))
	if _, ok := total.(*Str); ok {
		typeError("sum() can't sum strings [use ''.join(seq) instead]")
	}
	path := attrPath(arg(a, 0, None))
	it := st.mustIter(v)
	for {
		x, ok := it.next()
		if !ok {
			return total
		}
		st.step()
		total = st.add(total, st.follow(x, path, nil))
	}
}
