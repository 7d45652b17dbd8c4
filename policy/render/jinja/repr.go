package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// write appends str(v).
func (st *state) write(b *builder, v Value) {
	switch x := v.(type) {
	case *Str:
		b.str(x)
	case *undefined:
	default:
		st.repr(b, v)
	}
	st.checkSize(b)
}

// str is Python's str(v); it keeps Markup, as Jinja's soft_str does.
func (st *state) str(v Value) *Str {
	switch x := v.(type) {
	case *Str:
		return x
	case *undefined:
		return emptyStr
	}
	var b builder
	st.repr(&b, v)
	st.grow(len(b.buf))
	return b.take()
}

// repr appends repr(v).
func (st *state) repr(b *builder, v Value) {
	st.step()
	switch x := v.(type) {
	case *Str:
		st.rewriting(len(x.s), 10)
		reprStr(b, x)
	case noneType:
		b.raw("None")
	case Bool:
		if x {
			b.raw("True")
			return
		}
		b.raw("False")
	case Int:
		b.raw(strconv.FormatInt(int64(x), 10))
	case *BigInt:
		b.raw(bigText(x))
	case Float:
		b.raw(floatRepr(float64(x)))
	case *List:
		st.reprItems(b, "[", x.items, "]")
	case *Tuple:
		end := ")"
		if len(x.items) == 1 {
			end = ",)"
		}
		st.reprItems(b, "(", x.items, end)
	case *Dict:
		st.reprDict(b, x)
	case *dictView:
		b.raw(x.typeName() + "(")
		items := make([]Value, len(x.d.keys))
		for i := range items {
			items[i] = x.at(i)
		}
		st.reprItems(b, "[", items, "])")
	case *rangeVal:
		fmt.Fprintf(rawWriter{b}, "range(%d, %d", x.start, x.stop)
		if x.step != 1 {
			b.raw(", " + strconv.Itoa(x.step))
		}
		b.raw(")")
	case *undefined:
		b.raw("Undefined")
	case *namespace:
		b.raw("<Namespace ")
		st.reprDict(b, x.attrs)
		b.raw(">")
	case *selfRef:
		b.raw("<TemplateReference None>")
	case *macro:
		if x.def.name == "" {
			b.raw("<Macro anonymous>")
			return
		}
		b.raw("<Macro " + quote(x.def.name) + ">")
	case *loopVar:
		fmt.Fprintf(rawWriter{b}, "<LoopContext %d/%d>", x.index0+1, x.len())
	default:
		// Python prints an address, which no two renders share; a constant keeps prompts reproducible.
		b.raw("<" + v.typeName() + " object>")
	}
}

func (st *state) reprItems(b *builder, open string, items []Value, end string) {
	st.dive(1)
	b.raw(open)
	for i, x := range items {
		if i > 0 {
			b.raw(", ")
		}
		st.repr(b, x)
		st.checkSize(b)
	}
	b.raw(end)
	st.rise(1)
}

func (st *state) reprDict(b *builder, d *Dict) {
	st.dive(1)
	b.raw("{")
	for i, k := range d.keys {
		if i > 0 {
			b.raw(", ")
		}
		st.repr(b, k)
		b.raw(": ")
		st.repr(b, d.vals[i])
		st.checkSize(b)
	}
	b.raw("}")
	st.rise(1)
}

// checkSize stops a text that grows too long while it is built: lists may share their items, so a small value can have a
// large text.
func (st *state) checkSize(b *builder) {
	if len(b.buf) > st.limits.Output {
		st.exceeded("Output", st.limits.Output)
	}
}

func bigText(n *BigInt) string {
	if n.n.BitLen() > 4*maxIntDigits {
		valueError("Exceeds the limit (%d digits) for integer string conversion", maxIntDigits)
	}
	s := n.n.String()
	if len(strings.TrimPrefix(s, "-")) > maxIntDigits {
		valueError("Exceeds the limit (%d digits) for integer string conversion", maxIntDigits)
	}
	return s
}

// rawWriter lets fmt write trusted text.
type rawWriter struct{ b *builder }

func (w rawWriter) Write(p []byte) (int, error) {
	w.b.raw(string(p))
	return len(p), nil
}

func reprStr(b *builder, s *Str) {
	q := byte('\'')
	if strings.Contains(s.s, "'") && !strings.Contains(s.s, `"`) {
		q = '"'
	}
	if s.markup {
		b.raw("Markup(")
	}
	b.byte(q)
	b.rewrite(s, func(dst []byte, run string) []byte { return appendRepr(dst, run, q) })
	b.byte(q)
	if s.markup {
		b.raw(")")
	}
}

func appendRepr(dst []byte, s string, q byte) []byte {
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7F && c != q && c != '\\' {
			i++
			continue
		}
		r, n := decodeRune(s[i:])
		if r >= 0x80 && unicode.IsPrint(r) {
			i += n
			continue
		}
		dst = append(dst, s[done:i]...)
		switch r {
		case rune(q), '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, asciiEscape(r)...)
		}
		i += n
		done = i
	}
	return append(dst, s[done:]...)
}

// quote is repr of a str.
func quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	return string(append(appendRepr([]byte{q}, s, q), q))
}

// reprText is repr for messages; it does not spell out containers, which may be huge.
func reprText(v Value) string {
	switch x := v.(type) {
	case *Str:
		return quote(x.s)
	case Int:
		return strconv.FormatInt(int64(x), 10)
	case Float:
		return floatRepr(float64(x))
	case Bool:
		if x {
			return "True"
		}
		return "False"
	case noneType:
		return "None"
	case *undefined:
		return "Undefined"
	}
	return "a " + v.typeName()
}
