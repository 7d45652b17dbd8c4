package jinja

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// jsonWriter is Python's json.dumps.
type jsonWriter struct {
	st       *state
	b        *builder
	ascii    bool
	sortKeys bool
	indented bool
	indent   *Str
	itemSep  *Str
	keySep   *Str
	newline  []byte // a newline and the current indentation, when indented
}

// toJSON is the tojson filter as HF redefines it: json.dumps with ensure_ascii off.
func toJSON(st *state, v Value, a []Value) Value {
	w := &jsonWriter{st: st, b: st.scratch(), ascii: argBool(a, 0, false), sortKeys: argBool(a, 3, false)}
	w.itemSep, w.keySep = text(", "), text(": ")
	if in := arg(a, 1, None); in != None {
		w.indented, w.itemSep = true, text(",")
		s, ok := in.(*Str)
		if !ok {
			n, ok := index(in)
			if !ok {
				typeError("can't multiply sequence by non-int of type %s", quote(in.typeName()))
			}
			st.growText(max(n, 0))
			s = text(strings.Repeat(" ", max(n, 0)))
		}
		w.indent = s
	}
	if sep := arg(a, 2, None); sep != None {
		parts := st.items(sep)
		if len(parts) != 2 {
			valueError("separators must be two strings")
		}
		var ok1, ok2 bool
		w.itemSep, ok1 = parts[0].(*Str)
		w.keySep, ok2 = parts[1].(*Str)
		if !ok1 || !ok2 {
			typeError("separators must be two strings")
		}
	}
	w.value(v)
	return st.built(w.b)
}

func (w *jsonWriter) value(v Value) {
	w.st.step()
	switch x := v.(type) {
	case *Str:
		w.str(x)
	case noneType:
		w.b.raw("null")
	case Bool:
		w.b.raw(jsonBool(x))
	case Int:
		w.b.raw(strconv.FormatInt(int64(x), 10))
	case *BigInt:
		w.b.raw(bigText(x))
	case Float:
		w.b.raw(jsonFloat(x))
	case *List:
		w.list(x.items)
	case *Tuple:
		w.list(x.items)
	case *Dict:
		w.dict(x)
	default:
		typeError("Object of type %s is not JSON serializable", v.typeName())
	}
}

func jsonBool(b Bool) string {
	if b {
		return "true"
	}
	return "false"
}

func jsonFloat(f Float) string {
	switch s := floatRepr(float64(f)); s {
	case "nan":
		return "NaN"
	case "inf":
		return "Infinity"
	case "-inf":
		return "-Infinity"
	default:
		return s
	}
}

func (w *jsonWriter) str(s *Str) {
	w.st.rewriting(len(s.s), 6)
	w.b.byte('"')
	if plainJSON(s.s, w.ascii) {
		w.b.str(s)
	} else {
		w.b.rewrite(s, func(dst []byte, run string) []byte { return appendJSON(dst, run, w.ascii) })
	}
	w.b.byte('"')
}

// plainJSON tells text that JSON writes as it is.
func plainJSON(s string, ascii bool) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || ascii && c >= 0x7F {
			return false
		}
	}
	return true
}

func appendJSON(dst []byte, s string, ascii bool) []byte {
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7F && c != '"' && c != '\\' || c >= 0x7F && !ascii {
			i++
			continue
		}
		dst = append(dst, s[done:i]...)
		r, n := decodeRune(s[i:])
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case r >= 0x10000:
			r -= 0x10000
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		i += n
		done = i
	}
	return append(dst, s[done:]...)
}

func (w *jsonWriter) list(items []Value) {
	if len(items) == 0 {
		w.b.raw("[]")
		return
	}
	w.open("[")
	for i, x := range items {
		w.between(i)
		w.value(x)
	}
	w.close("]")
}

func (w *jsonWriter) dict(d *Dict) {
	if len(d.keys) == 0 {
		w.b.raw("{}")
		return
	}
	w.open("{")
	for i, at := range w.keyOrder(d) {
		w.between(i)
		w.key(d.keys[at])
		w.b.str(w.keySep)
		w.value(d.vals[at])
	}
	w.close("}")
}

func (w *jsonWriter) keyOrder(d *Dict) []int {
	order := make([]int, len(d.keys))
	for i := range order {
		order[i] = i
	}
	if w.sortKeys {
		slices.SortStableFunc(order, func(i, j int) int { return w.st.sortOrder(d.keys[i], d.keys[j]) })
	}
	return order
}

func (w *jsonWriter) key(k Value) {
	switch x := k.(type) {
	case *Str:
		w.str(x)
	case noneType:
		w.b.raw(`"null"`)
	case Bool:
		w.b.raw(`"` + jsonBool(x) + `"`)
	case Int, *BigInt:
		w.b.raw(`"` + w.st.str(k).s + `"`)
	case Float:
		w.b.raw(`"` + jsonFloat(x) + `"`)
	default:
		typeError("keys must be str, int, float, bool or None, not %s", k.typeName())
	}
}

func (w *jsonWriter) open(mark string) {
	w.st.dive(1)
	w.b.raw(mark)
	if !w.indented {
		return
	}
	if w.newline == nil {
		w.newline = []byte{'\n'}
	}
	w.newline = append(w.newline, w.indent.s...)
	w.b.raw(string(w.newline))
}

func (w *jsonWriter) between(i int) {
	if i == 0 {
		return
	}
	w.b.str(w.itemSep)
	if w.indented {
		w.b.raw(string(w.newline))
	}
	w.st.checkSize(w.b)
}

func (w *jsonWriter) close(mark string) {
	if w.indented {
		w.newline = w.newline[:len(w.newline)-len(w.indent.s)]
		w.b.raw(string(w.newline))
	}
	w.b.raw(mark)
	w.st.rise(1)
}
