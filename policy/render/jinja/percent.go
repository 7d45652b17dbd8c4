package jinja

import (
	"math/big"
	"strconv"
	"strings"
)

// percentSpec is one %… of a format string.
type percentSpec struct {
	flags     string
	width     int
	precision int // -1: none
	verb      rune
}

func (f percentSpec) has(flag byte) bool { return strings.IndexByte(f.flags, flag) >= 0 }

// percenter is Python's str % value.
type percenter struct {
	st     *state
	format *Str
	pos    int
	args   []Value
	next   int
	byName Value // the mapping, or what else may stand for one
	named  bool  // a key was used
	b      builder
}

func (st *state) percent(format *Str, v Value) Value {
	p := &percenter{st: st, format: format}
	switch x := v.(type) {
	case *Tuple:
		p.args = x.items
	case *Str:
		p.args = []Value{v}
	default:
		p.args = []Value{v}
		switch v.(type) {
		case *Dict, *List, *undefined, *rangeVal:
			p.byName = v
		}
	}
	p.run()
	st.grow(len(p.b.buf))
	return format.like(p.b.take())
}

func (p *percenter) run() {
	s := p.format.s
	for p.pos < len(s) {
		i := strings.IndexByte(s[p.pos:], '%')
		if i < 0 {
			i = len(s) - p.pos
		}
		p.b.part(p.format, p.pos, p.pos+i)
		p.pos += i
		if p.pos == len(s) {
			break
		}
		p.pos++
		p.directive()
		p.st.checkSize(&p.b)
	}
	if p.next < len(p.args) && p.byName == nil {
		typeError("not all arguments converted during string formatting")
	}
}

func (p *percenter) char() byte {
	if p.pos >= len(p.format.s) {
		valueError("incomplete format")
	}
	return p.format.s[p.pos]
}

func (p *percenter) arg() Value {
	if p.named {
		v := p.args[0]
		p.named = false
		return v
	}
	if p.next >= len(p.args) {
		typeError("not enough arguments for format string")
	}
	p.next++
	return p.args[p.next-1]
}

func (p *percenter) directive() {
	if p.char() == '(' {
		p.key()
	}
	f := percentSpec{precision: -1}
	for strings.IndexByte("#0- +", p.char()) >= 0 {
		f.flags += string(p.char())
		p.pos++
	}
	f.width = p.number()
	if f.width < 0 {
		f.flags, f.width = f.flags+"-", -f.width
	}
	if p.char() == '.' {
		p.pos++
		f.precision = max(p.number(), 0)
	}
	if strings.IndexByte("hlL", p.char()) >= 0 {
		p.pos++
	}
	p.char()
	var n int
	f.verb, n = decodeRune(p.format.s[p.pos:])
	p.pos += n
	if f.verb == '%' {
		p.b.byte('%')
		return
	}
	p.st.growText(f.width + max(f.precision, 0))
	p.convert(f, p.arg())
}

// key reads (name) and makes its value the next argument.
func (p *percenter) key() {
	d, ok := p.byName.(*Dict)
	if !ok {
		failIfUndefined(p.byName)
		typeError("format requires a mapping")
	}
	depth, start := 1, p.pos+1
	for p.pos++; ; p.pos++ {
		switch {
		case p.pos >= len(p.format.s):
			valueError("incomplete format key")
		case p.format.s[p.pos] == '(':
			depth++
		case p.format.s[p.pos] == ')':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	key := p.format.s[start:p.pos]
	p.pos++
	v, ok := d.Get(key)
	if !ok {
		raise("KeyError", "%s", quote(key))
	}
	p.args, p.named = []Value{v}, true
}

func (p *percenter) number() int {
	if p.char() == '*' {
		p.pos++
		n, ok := smallInt(p.arg())
		if !ok {
			typeError("* wants int")
		}
		return n
	}
	start := p.pos
	for p.char() >= '0' && p.char() <= '9' {
		p.pos++
	}
	if start == p.pos {
		return 0
	}
	n, err := strconv.Atoi(p.format.s[start:p.pos])
	if err != nil {
		valueError("width too big")
	}
	return n
}

func (p *percenter) convert(f percentSpec, v Value) {
	switch f.verb {
	case 's', 'r', 'a':
		p.text(f, p.textOf(f.verb, v))
	case 'c':
		p.text(percentSpec{flags: f.flags, width: f.width, precision: -1}, p.charOf(v))
	case 'd', 'i', 'u':
		p.padNumber(f, p.decimal(f, v))
	case 'x', 'X', 'o':
		n := bigOf(v)
		if n == nil {
			failIfUndefined(v)
			typeError("%%%c format: an integer is required, not %s", f.verb, v.typeName())
		}
		p.padNumber(f, radix(f, n))
	case 'e', 'E', 'f', 'F', 'g', 'G':
		x, ok := toFloat(v)
		if _, isStr := v.(*Str); !ok || isStr {
			failIfUndefined(v)
			typeError("must be real number, not %s", v.typeName())
		}
		precision := f.precision
		if precision < 0 {
			precision = 6
		}
		p.padNumber(f, formatFloat(x, byte(f.verb), precision, f.has('#')))
	default:
		valueError("unsupported format character '%c' (0x%x) at index %d", f.verb, f.verb, p.pos)
	}
}

func (p *percenter) textOf(verb rune, v Value) *Str {
	if p.format.markup {
		return p.markupText(verb, v)
	}
	if verb == 's' {
		return p.st.str(v)
	}
	var b builder
	p.st.repr(&b, v)
	return asciiOnly(b.take(), verb == 'a')
}

// markupText escapes what goes into a Markup format.
func (p *percenter) markupText(verb rune, v Value) *Str {
	if verb == 's' {
		return escape(p.st, v)
	}
	var b builder
	p.st.repr(&b, v)
	return escape(p.st, asciiOnly(b.take(), verb == 'a'))
}

// asciiOnly escapes what is not ASCII, as Python's ascii does to a repr.
func asciiOnly(s *Str, do bool) *Str {
	if !do || isASCII(s.s) {
		return s
	}
	var b builder
	b.rewrite(s, func(dst []byte, run string) []byte {
		for i := 0; i < len(run); {
			r, n := decodeRune(run[i:])
			if r < 0x80 {
				dst = append(dst, run[i])
			} else {
				dst = append(dst, asciiEscape(r)...)
			}
			i += n
		}
		return dst
	})
	return b.take()
}

func (p *percenter) charOf(v Value) *Str {
	if s, ok := v.(*Str); ok && s.count() == 1 {
		return s
	}
	n, ok := smallInt(v)
	if !ok {
		typeError("%%c requires int or char")
	}
	if n < 0 || n > 0x10FFFF {
		raise("OverflowError", "%%c arg not in range(0x110000)")
	}
	return text(string(appendRune(nil, rune(n))))
}

func (p *percenter) text(f percentSpec, s *Str) {
	if f.precision >= 0 && s.count() > f.precision {
		s = s.cut(0, s.offset(f.precision))
	}
	pad := strings.Repeat(" ", max(f.width-s.count(), 0))
	if !f.has('-') {
		p.b.raw(pad)
	}
	p.b.str(s)
	if f.has('-') {
		p.b.raw(pad)
	}
}

func (p *percenter) decimal(f percentSpec, v Value) string {
	n := bigOf(v)
	if n == nil {
		x, ok := v.(Float)
		if !ok {
			failIfUndefined(v)
			typeError("%%%c format: a real number is required, not %s", f.verb, v.typeName())
		}
		checkFinite(float64(x))
		n = bigOf(truncFloat(float64(x)))
	}
	s := bigText(&BigInt{n: n})
	return withPrecision(s, f.precision)
}

func checkFinite(f float64) {
	switch floatRepr(f) {
	case "nan":
		valueError("cannot convert float NaN to integer")
	case "inf", "-inf":
		raise("OverflowError", "cannot convert float infinity to integer")
	}
}

// withPrecision pads an integer with zeros to a number of digits.
func withPrecision(s string, precision int) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	return sign + strings.Repeat("0", max(precision-len(s), 0)) + s
}

func radix(f percentSpec, n *big.Int) string {
	base, prefix := 16, "0x"
	if f.verb == 'o' {
		base, prefix = 8, "0o"
	}
	s := withPrecision(n.Text(base), f.precision)
	if f.has('#') {
		if strings.HasPrefix(s, "-") {
			s = "-" + prefix + s[1:]
		} else {
			s = prefix + s
		}
	}
	if f.verb == 'X' {
		s = strings.ToUpper(s)
	}
	return s
}

// padNumber adds the sign and pads with spaces or zeros.
func (p *percenter) padNumber(f percentSpec, s string) {
	sign := ""
	switch {
	case strings.HasPrefix(s, "-"):
		sign, s = "-", s[1:]
	case f.has('+'):
		sign = "+"
	case f.has(' '):
		sign = " "
	}
	free := max(f.width-len(sign)-len(s), 0)
	switch {
	case f.has('-'):
		p.b.raw(sign + s + strings.Repeat(" ", free))
	case f.has('0'):
		prefix := ""
		if f.has('#') && len(s) > 1 && s[0] == '0' && strings.IndexByte("xXo", s[1]) >= 0 {
			prefix, s = s[:2], s[2:]
		}
		p.b.raw(sign + prefix + strings.Repeat("0", free) + s)
	default:
		p.b.raw(strings.Repeat(" ", free) + sign + s)
	}
}

// formatFloat is Python's formatting of a float by e, f, g or their capitals; verb 0 is g that always shows a fraction.
func formatFloat(x float64, verb byte, precision int, alternate bool) string {
	low := verb | 0x20
	s := floatRepr(x)
	if strings.HasSuffix(s, "inf") || s == "nan" {
		if verb != low && verb != 0 {
			return strings.ToUpper(s)
		}
		return s
	}
	switch low {
	case 'g':
		precision = max(precision, 1)
		s = formatGeneral(x, precision, precision, alternate)
	case 0x20:
		precision = max(precision, 1)
		if s = formatGeneral(x, precision, precision-1, alternate); !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
	default:
		s = strconv.FormatFloat(x, low, precision, 64)
		if alternate && precision == 0 {
			s = addPoint(s)
		}
	}
	if verb != low && verb != 0 {
		s = strings.ToUpper(s)
	}
	return s
}

// formatGeneral uses an exponent from 10**limit on.
func formatGeneral(x float64, precision, limit int, alternate bool) string {
	e := strconv.FormatFloat(x, 'e', precision-1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	var s string
	if exp < -4 || exp >= limit {
		s = e
	} else {
		s = strconv.FormatFloat(x, 'f', max(precision-1-exp, 0), 64)
	}
	if alternate {
		return addPoint(s)
	}
	mantissa, tail := s, ""
	if i := strings.IndexByte(s, 'e'); i >= 0 {
		mantissa, tail = s[:i], s[i:]
	}
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa + tail
}

func addPoint(s string) string {
	if strings.Contains(s, ".") {
		return s
	}
	if i := strings.IndexByte(s, 'e'); i >= 0 {
		return s[:i] + "." + s[i:]
	}
	return s + "."
}

// formatFilter is the format filter: % with the filter's arguments.
func formatFilter(st *state, v Value, a args) Value {
	if len(a.pos) > 0 && len(a.names) > 0 {
		raise("FilterArgumentError", "can't handle positional and keyword arguments at the same time")
	}
	if len(a.names) > 0 {
		return st.percent(st.str(v), st.newDict("format", args{names: a.names, named: a.named}))
	}
	return st.percent(st.str(v), newTuple(a.pos...))
}
