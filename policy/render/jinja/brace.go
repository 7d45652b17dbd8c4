package jinja

import "strings"

// formatMethods are str.format and str.format_map as the sandbox replaces them: fields are looked up by Jinja's rules.
func formatMethods() map[string]*methodDef {
	return map[string]*methodDef{
		"format": {name: "format", call: func(st *state, self Value, a args) Value {
			f := &bracer{st: st, pos: a.pos, named: func(id string) (Value, bool) {
				i := indexName(a.names, id)
				if i < 0 {
					return nil, false
				}
				return a.named[i], true
			}}
			return f.format(self.(*Str))
		}},
		"format_map": {name: "format_map", call: func(st *state, self Value, a args) Value {
			m := bind("format_map", a, []string{"mapping"}, nil, 1)[0]
			f := &bracer{st: st, named: func(id string) (Value, bool) {
				v := st.item(m, text(id))
				return v, v != nil
			}}
			return f.format(self.(*Str))
		}},
		"encode": {name: "encode", call: func(*state, Value, args) Value {
			raise("NotImplementedError", "bytes are not supported")
			return nil
		}},
	}
}

// bracer is Python's string.Formatter.
type bracer struct {
	st    *state
	pos   []Value
	named func(id string) (Value, bool)
	auto  int // next automatic field number; -1 once fields are numbered by hand
}

func (f *bracer) format(s *Str) Value {
	r := f.expand(s, s.markup, 2)
	f.st.grow(len(r.s))
	return s.like(r)
}

// expand replaces the fields of s; depth bounds fields within format specs.
func (f *bracer) expand(s *Str, markup bool, depth int) *Str {
	if depth < 0 {
		valueError("Max string recursion exceeded")
	}
	var b builder
	for i := 0; i < len(s.s); {
		c := s.s[i]
		switch {
		case c != '{' && c != '}':
			j := strings.IndexAny(s.s[i:], "{}")
			if j < 0 {
				j = len(s.s) - i
			}
			b.part(s, i, i+j)
			i += j
		case i+1 < len(s.s) && s.s[i+1] == c:
			b.part(s, i, i+1)
			i += 2
		case c == '}':
			valueError("Single '}' encountered in format string")
		default:
			end := fieldEnd(s.s, i)
			b.str(f.field(s.cut(i+1, end), markup, depth))
			i = end + 1
		}
		f.st.checkSize(&b)
	}
	return b.take()
}

// fieldEnd returns the position of the brace that closes the one at i.
func fieldEnd(s string, i int) int {
	depth := 0
	for k := i; k < len(s); k++ {
		switch s[k] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return k
			}
		}
	}
	if i+1 == len(s) {
		valueError("Single '{' encountered in format string")
	}
	valueError("expected '}' before end of string")
	return 0
}

// field formats what stands between two braces: name, !conversion, :spec.
func (f *bracer) field(s *Str, markup bool, depth int) *Str {
	id, conversion, spec := s.s, "", emptyStr
	if i := nameEnd(id); i < len(id) {
		rest := i
		if id[i] == '!' {
			rest = i + 1
			if j := strings.IndexByte(id[rest:], ':'); j >= 0 {
				conversion, rest = id[rest:rest+j], rest+j
			} else {
				conversion, rest = id[rest:], len(id)
			}
		}
		if rest < len(id) {
			spec = s.cut(rest+1, len(id))
		}
		if conversion == "" && id[i] == '!' {
			valueError("end of string while looking for conversion specifier")
		}
		id = id[:i]
	}
	v := f.lookup(id)
	switch conversion {
	case "":
	case "s":
		v = f.st.str(v).plain()
	case "r", "a":
		var b builder
		f.st.repr(&b, v)
		v = asciiOnly(b.take(), conversion == "a")
	default:
		valueError("Unknown conversion specifier %s", conversion)
	}
	spec = f.expand(spec, false, depth-1)
	if !markup {
		return f.st.formatValue(v, spec.s)
	}
	if m, ok := v.(*Str); ok && m.markup {
		if spec.s != "" {
			valueError("Unsupported format specification for Markup.")
		}
		return m
	}
	return escape(f.st, f.st.formatValue(v, spec.s))
}

// nameEnd finds the ! or : that ends a field's name; brackets may hold either.
func nameEnd(s string) int {
	bracket := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '[':
			bracket = true
		case s[i] == ']':
			bracket = false
		case !bracket && (s[i] == '!' || s[i] == ':'):
			return i
		}
	}
	return len(s)
}

// lookup follows a field name: a number or a name, then attributes and items.
func (f *bracer) lookup(id string) Value {
	head := id
	if i := strings.IndexAny(id, ".["); i >= 0 {
		head = id[:i]
	}
	rest := id[len(head):]
	v := f.first(head)
	for rest != "" {
		if rest[0] == '.' {
			n := strings.IndexAny(rest[1:], ".[")
			if n < 0 {
				n = len(rest) - 1
			}
			if n == 0 {
				valueError("Empty attribute in format string")
			}
			v, rest = f.st.getAttr(v, text(rest[1:1+n])), rest[1+n:]
			continue
		}
		n := strings.IndexByte(rest, ']')
		switch {
		case rest[0] != '[':
			valueError("Only '.' or '[' may follow ']' in format field specifier")
		case n < 0:
			valueError("Missing ']' in format string")
		case n == 1:
			valueError("Empty attribute in format string")
		}
		key := Value(text(rest[1:n]))
		if isASCIIDigits(rest[1:n]) {
			key = toInt(text(rest[1:n]), 10)
		}
		v, rest = f.st.getItem(v, key), rest[n+1:]
	}
	return v
}

func (f *bracer) first(head string) Value {
	if head == "" {
		if f.auto < 0 {
			valueError("cannot switch from manual field specification to automatic field numbering")
		}
		f.auto++
		return f.positional(f.auto - 1)
	}
	if isASCIIDigits(head) {
		if f.auto > 0 {
			valueError("cannot switch from manual field specification to automatic field numbering")
		}
		f.auto = -1
		n, _ := index(toInt(text(head), 10))
		return f.positional(n)
	}
	v, ok := f.named(head)
	if !ok {
		raise("KeyError", "%s", quote(head))
	}
	return v
}

func (f *bracer) positional(i int) Value {
	if i >= len(f.pos) {
		raise("IndexError", "Replacement index %d out of range for positional args tuple", i)
	}
	return f.pos[i]
}
