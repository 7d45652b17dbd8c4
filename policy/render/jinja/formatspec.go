package jinja

import (
	"math/big"
	"strconv"
	"strings"
)

// formatSpec is Python's format specification mini-language.
type formatSpec struct {
	fill      string
	align     byte // 0: the type's own
	sign      byte
	zero      bool // z: a float that rounds to zero has no sign
	alternate bool
	width     int
	group     byte
	precision int // -1: none
	verb      byte
}

func (st *state) parseSpec(s string) formatSpec {
	f := formatSpec{fill: " ", precision: -1}
	_, n := decodeRune(s)
	switch {
	case n < len(s) && strings.IndexByte("<>=^", s[n]) >= 0:
		f.fill, f.align, s = s[:n], s[n], s[n+1:]
	case strings.IndexByte("<>=^", s[0]) >= 0:
		f.align, s = s[0], s[1:]
	}
	take := func(set string) byte {
		if s != "" && strings.IndexByte(set, s[0]) >= 0 {
			c := s[0]
			s = s[1:]
			return c
		}
		return 0
	}
	number := func() int {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 0 {
			return -1
		}
		v, err := strconv.Atoi(s[:n])
		if err != nil {
			valueError("Too many decimal digits in format string")
		}
		s = s[n:]
		return v
	}
	f.sign = take("+- ")
	f.zero = take("z") != 0
	f.alternate = take("#") != 0
	if take("0") != 0 && f.align == 0 {
		f.fill, f.align = "0", '='
	}
	f.width = max(number(), 0)
	f.group = take(",_")
	if take(".") != 0 {
		if f.precision = number(); f.precision < 0 {
			valueError("Format specifier missing precision")
		}
	}
	if s != "" {
		f.verb, s = s[0], s[1:]
	}
	if s != "" {
		valueError("Invalid format specifier")
	}
	st.growText(f.width + max(f.precision, 0))
	return f
}

// formatValue is Python's format(v, spec).
func (st *state) formatValue(v Value, spec string) *Str {
	if spec == "" {
		return st.str(v).plain()
	}
	switch x := v.(type) {
	case *Str:
		return st.formatStr(x.plain(), st.parseSpec(spec))
	case Int, *BigInt, Bool:
		return text(formatInt(bigOf(v), st.parseSpec(spec)))
	case Float:
		return text(formatFloatSpec(float64(x), st.parseSpec(spec)))
	}
	typeError("unsupported format string passed to %s.__format__", v.typeName())
	return nil
}

func (st *state) formatStr(s *Str, f formatSpec) *Str {
	if f.verb != 0 && f.verb != 's' {
		valueError("Unknown format code '%c' for object of type 'str'", f.verb)
	}
	if f.zero {
		valueError("Negative zero coercion (z) not allowed in string format specifier")
	}
	if f.sign != 0 || f.alternate || f.align == '=' && f.fill != "0" || f.group != 0 {
		valueError("specification not allowed in string format specifier")
	}
	if f.precision >= 0 && s.count() > f.precision {
		s = s.cut(0, s.offset(f.precision))
	}
	left, right := f.padding(s.count(), '<')
	return st.padded(s, text(f.fill), left, right)
}

// padding splits the free width by the alignment.
func (f formatSpec) padding(n int, def byte) (left, right int) {
	free := max(f.width-n, 0)
	align := f.align
	if align == 0 || align == '=' && def == '<' {
		align = def
	}
	switch align {
	case '<':
		return 0, free
	case '^':
		return free / 2, free - free/2
	}
	return free, 0
}

// finish puts sign, grouping and padding around the digits of a number.
func (f formatSpec) finish(negative bool, prefix, digits, tail string) string {
	sign := ""
	switch {
	case negative:
		sign = "-"
	case f.sign == '+' || f.sign == ' ':
		sign = string(f.sign)
	}
	if f.group != 0 {
		size := 3
		if f.group == '_' && strings.IndexByte("bxXo", f.verb) >= 0 && f.verb != 0 {
			size = 4
		}
		fill := 0
		if f.align == '=' && f.fill == "0" {
			fill = f.width - len(sign) - len(prefix) - len(tail)
		}
		digits = grouped(digits, f.group, size, fill)
	}
	body := digits + tail
	n := len(sign) + len(prefix) + len(body)
	if f.align == '=' {
		return sign + prefix + strings.Repeat(f.fill, max(f.width-n, 0)) + body
	}
	left, right := f.padding(n, '>')
	return strings.Repeat(f.fill, left) + sign + prefix + body + strings.Repeat(f.fill, right)
}

// grouped inserts separators, first adding zeros until the result is fill wide.
func grouped(digits string, sep byte, size, fill int) string {
	for {
		var b []byte
		for i := range len(digits) {
			if i > 0 && (len(digits)-i)%size == 0 {
				b = append(b, sep)
			}
			b = append(b, digits[i])
		}
		if len(b) >= fill {
			return string(b)
		}
		digits = strings.Repeat("0", max((fill-len(b))*size/(size+1), 1)) + digits
	}
}

func formatInt(n *big.Int, f formatSpec) string {
	if f.zero && strings.IndexByte("eEfFgG%", max(f.verb, 1)) < 0 {
		valueError("Negative zero coercion (z) not allowed in format specifier with integer")
	}
	base, prefix := 10, ""
	switch f.verb {
	case 0, 'd', 'n':
	case 'b':
		base, prefix = 2, "0b"
	case 'o':
		base, prefix = 8, "0o"
	case 'x', 'X':
		base, prefix = 16, "0"+string(f.verb)
	case 'c':
		if !n.IsInt64() || n.Sign() < 0 || n.Int64() > 0x10FFFF {
			raise("OverflowError", "%%c arg not in range(0x110000)")
		}
		return f.finish(false, "", string(appendRune(nil, rune(n.Int64()))), "")
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		x, _ := floatOf(bigValue(n))
		return formatFloatSpec(x, f)
	default:
		valueError("Unknown format code '%c' for object of type 'int'", f.verb)
	}
	if f.precision >= 0 {
		valueError("Precision not allowed in integer format specifier")
	}
	if !f.alternate {
		prefix = ""
	}
	digits := new(big.Int).Abs(n).Text(base)
	if f.verb == 'X' {
		digits = strings.ToUpper(digits)
	}
	return f.finish(n.Sign() < 0, prefix, digits, "")
}

func formatFloatSpec(x float64, f formatSpec) string {
	tail := ""
	var s string
	switch f.verb {
	case 0:
		s = floatRepr(x)
		if f.precision >= 0 {
			s = formatFloat(x, 0, f.precision, f.alternate)
		}
	case '%':
		x, tail = x*100, "%"
		s = formatFloat(x, 'f', precisionOr(f.precision, 6), f.alternate)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		s = formatFloat(x, f.verb, precisionOr(f.precision, 6), f.alternate)
	case 'n':
		s = formatFloat(x, 'g', precisionOr(f.precision, 6), f.alternate)
	default:
		valueError("Unknown format code '%c' for object of type 'float'", f.verb)
	}
	s, negative := strings.CutPrefix(s, "-")
	if f.zero && strings.Trim(s, "0.eE+-%") == "" {
		negative = false
	}
	if i := strings.IndexAny(s, ".eE"); i >= 0 && !strings.HasPrefix(s, "inf") {
		s, tail = s[:i], s[i:]+tail
	}
	return f.finish(negative, "", s, tail)
}

func precisionOr(p, def int) int {
	if p < 0 {
		return def
	}
	return p
}
