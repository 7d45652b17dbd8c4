package jinja

import "strings"

func textFilters(add addFilter) {
	mapped := func(id string, f func(string) string) {
		add(id, nil, 0, func(st *state, v Value, _ []Value) Value {
			return st.changeCase(st.str(v), f)
		})
	}
	mapped("upper", upper)
	mapped("lower", lower)
	mapped("capitalize", capitalize)
	add("title", nil, 0, func(st *state, v Value, _ []Value) Value {
		return st.changeCase(st.str(v), titleWords).plain()
	})
	add("string", nil, 0, func(st *state, v Value, _ []Value) Value { return st.str(v) })
	add("trim", []string{"chars"}, 0, func(st *state, v Value, a []Value) Value { return strip(st.str(v), a, true, true) })
	add("replace", []string{"old", "new", "count"}, 2, replaceFilter)
	add("indent", []string{"width", "first", "blank"}, 0, indentFilter)
	add("truncate", []string{"length", "killwords", "end", "leeway"}, 0, truncateFilter)
	add("center", []string{"width"}, 0, func(st *state, v Value, a []Value) Value {
		s := st.str(v)
		width := argInt("center", a, 0, 80)
		free := width - s.count()
		if free <= 0 {
			return s
		}
		left := centerLeft(free, width)
		return s.like(st.padded(s, text(" "), left, free-left))
	})
	add("wordcount", nil, 0, func(st *state, v Value, _ []Value) Value {
		words := strings.FieldsFunc(st.str(v).s, func(r rune) bool { return !isWordRegexp(r) })
		return intValue(len(words))
	})
	add("wordwrap", []string{"width", "break_long_words", "wrapstring", "break_on_hyphens"}, 0, wordwrapFilter)
	add("join", []string{"d", "attribute"}, 0, joinFilter)
	add("pprint", nil, 0, func(st *state, v Value, _ []Value) Value { return st.pprint(v) })
	add("tojson", []string{"ensure_ascii", "indent", "separators", "sort_keys"}, 0, toJSON)
}

// isWordRegexp is \w of Python's regular expressions.
func isWordRegexp(r rune) bool { return r == '_' || isAlnum(r) }

// titleWords is Jinja's title, which splits words its own way.
func titleWords(s string) string {
	isBreak := func(r rune) bool { return strings.ContainsRune("-({[<", r) || isSpace(r) }
	var b strings.Builder
	for s != "" {
		n := strings.IndexFunc(s, isBreak)
		breaks := n == 0
		if breaks {
			n = strings.IndexFunc(s, func(r rune) bool { return !isBreak(r) })
		}
		if n < 0 {
			n = len(s)
		}
		_, k := decodeRune(s)
		b.WriteString(upper(s[:k]))
		b.WriteString(lower(s[k:n]))
		s = s[n:]
	}
	return b.String()
}

func replaceFilter(st *state, v Value, a []Value) Value {
	limit := -1
	if c := arg(a, 2, None); c != None {
		limit = argInt("replace", a, 2, -1)
	}
	s, old, with := st.str(v), st.str(a[0]), st.str(a[1])
	if !st.autoescape {
		return st.replace(s.plain(), old.s, with, limit)
	}
	if old.markup || with.markup && !s.markup {
		s = escape(st, s)
	}
	if s.markup {
		with = escape(st, with)
	}
	return s.like(st.replace(s, old.s, with, limit))
}

func indentFilter(st *state, v Value, a []Value) Value {
	width, ok := arg(a, 0, Int(4)).(*Str)
	if !ok {
		n := max(argInt("indent", a, 0, 4), 0)
		st.growText(n)
		width = text(strings.Repeat(" ", n))
	}
	s, ok := st.add(v, text("\n")).(*Str)
	if !ok {
		typeError("indent needs a string")
	}
	if s.markup {
		width = width.safe()
	}
	first, blank := argBool(a, 1, false), argBool(a, 2, false)
	var b builder
	for i, line := range splitLines(s, false) {
		if i > 0 {
			b.byte('\n')
		}
		if i == 0 && first || i > 0 && (blank || line.s != "") {
			b.str(width)
		}
		b.str(line)
		st.checkSize(&b)
	}
	st.grow(len(b.buf))
	return s.like(b.take())
}

func truncateFilter(st *state, v Value, a []Value) Value {
	length, end, leeway := argInt("truncate", a, 0, 255), argStr("truncate", a, 2, text("...")), 5
	if l := arg(a, 3, None); l != None {
		leeway = argInt("truncate", a, 3, 0)
	}
	if length < end.count() {
		raise("AssertionError", "expected length >= %d, got %d", end.count(), length)
	}
	if leeway < 0 {
		raise("AssertionError", "expected leeway >= 0, got %d", leeway)
	}
	n, ok := st.length(v)
	if !ok {
		typeError("object of type %s has no len()", quote(v.typeName()))
	}
	if n <= length+leeway {
		return v
	}
	s, ok := v.(*Str)
	if !ok {
		typeError("truncate needs a string")
	}
	head := s.cut(0, s.offset(length-end.count()))
	if !argBool(a, 1, false) {
		if parts := rsplit(head, text(" "), 1); len(parts) > 0 {
			head = parts[0]
		}
	}
	return st.join2(head, end)
}

func joinFilter(st *state, v Value, a []Value) Value {
	it := st.mustIter(v)
	if at := arg(a, 1, None); at != None {
		path, src := attrPath(at), it
		it = iterator{pull: func() (Value, bool) {
			x, ok := src.next()
			if !ok {
				return nil, false
			}
			return st.follow(x, path, nil), true
		}}
	}
	sep := arg(a, 0, emptyStr)
	if st.autoescape {
		return st.joinEscaped(&it, sep)
	}
	d := st.str(sep)
	b := st.scratch()
	for i := 0; ; i++ {
		x, ok := it.next()
		if !ok {
			break
		}
		if i > 0 {
			b.str(d)
		}
		st.step()
		st.write(b, x)
	}
	return st.built(b)
}

// joinEscaped is join under {% autoescape true %}: one Markup part, or a Markup separator, makes the result Markup.
func (st *state) joinEscaped(it *iterator, sep Value) Value {
	d := st.str(sep)
	parts := st.drain(it)
	markup := d.markup
	for _, p := range parts {
		if s, ok := p.(*Str); ok && s.markup {
			markup = true
		}
	}
	var b builder
	for i, p := range parts {
		if i > 0 {
			if markup {
				d = escape(st, d)
			}
			b.str(d)
		}
		s := st.str(p)
		if markup {
			s = escape(st, s)
		}
		b.str(s)
		st.checkSize(&b)
	}
	st.grow(len(b.buf))
	if markup {
		return b.take().safe()
	}
	return b.take()
}
