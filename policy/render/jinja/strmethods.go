package jinja

import "strings"

// strParams says what a method of str takes: parameters that only have a position, then those with names.
type strParams struct {
	positional, named []string
	required          int
}

// strTable is made by one function per group, so that a method and what it does stand together.
var strTable = func() map[string]*methodDef {
	t := map[string]*methodDef{}
	for _, group := range []func(add func(string, strParams, func(*state, *Str, []Value) Value)){
		stripMethods, splitMethods, findMethods, caseMethods, padMethods, predicateMethods, otherMethods,
	} {
		group(func(id string, p strParams, f func(*state, *Str, []Value) Value) {
			t[id] = &methodDef{name: id, call: func(st *state, self Value, a args) Value {
				s := self.(*Str)
				st.work(len(s.s) / scanned)
				return f(st, s, bind(id, a, p.positional, p.named, p.required))
			}}
		})
	}
	for id, def := range formatMethods() {
		t[id] = def
	}
	return t
}()

type addMethod = func(string, strParams, func(*state, *Str, []Value) Value)

func one(p string) strParams { return strParams{positional: []string{p}, required: 1} }

func stripMethods(add addMethod) {
	optional := strParams{positional: []string{"chars"}}
	add("strip", optional, func(_ *state, s *Str, a []Value) Value { return strip(s, a, true, true) })
	add("lstrip", optional, func(_ *state, s *Str, a []Value) Value { return strip(s, a, true, false) })
	add("rstrip", optional, func(_ *state, s *Str, a []Value) Value { return strip(s, a, false, true) })
	add("removeprefix", one("prefix"), func(_ *state, s *Str, a []Value) Value {
		if p := argStr("removeprefix", a, 0, nil).s; strings.HasPrefix(s.s, p) {
			return s.cut(len(p), len(s.s))
		}
		return s
	})
	add("removesuffix", one("suffix"), func(_ *state, s *Str, a []Value) Value {
		if p := argStr("removesuffix", a, 0, nil).s; strings.HasSuffix(s.s, p) {
			return s.cut(0, len(s.s)-len(p))
		}
		return s
	})
}

// strip cuts white space, or the characters of a[0], off the ends asked for.
func strip(s *Str, a []Value, left, right bool) *Str {
	drop := isSpace
	if c := arg(a, 0, None); c != None {
		chars := argStr("strip", a, 0, nil).s
		drop = func(r rune) bool { return strings.ContainsRune(chars, r) }
	}
	i, j := 0, len(s.s)
	if left {
		i = j - len(strings.TrimLeftFunc(s.s, drop))
	}
	if right {
		j = i + len(strings.TrimRightFunc(s.s[i:], drop))
	}
	return s.cut(i, j)
}

func splitMethods(add addMethod) {
	params := strParams{named: []string{"sep", "maxsplit"}}
	add("split", params, func(st *state, s *Str, a []Value) Value {
		return st.strList(split(s, arg(a, 0, None), argInt("split", a, 1, -1)))
	})
	add("rsplit", params, func(st *state, s *Str, a []Value) Value {
		return st.strList(rsplit(s, arg(a, 0, None), argInt("rsplit", a, 1, -1)))
	})
	add("splitlines", strParams{named: []string{"keepends"}}, func(st *state, s *Str, a []Value) Value {
		return st.strList(splitLines(s, argBool(a, 0, false)))
	})
	add("partition", one("sep"), func(_ *state, s *Str, a []Value) Value {
		sep := separator("partition", arg(a, 0, None))
		i := strings.Index(s.s, sep.s)
		if i < 0 {
			return newTuple(s, s.like(emptyStr), s.like(emptyStr))
		}
		return newTuple(s.cut(0, i), s.cut(i, i+len(sep.s)), s.cut(i+len(sep.s), len(s.s)))
	})
	add("rpartition", one("sep"), func(_ *state, s *Str, a []Value) Value {
		sep := separator("rpartition", arg(a, 0, None))
		i := strings.LastIndex(s.s, sep.s)
		if i < 0 {
			return newTuple(s.like(emptyStr), s.like(emptyStr), s)
		}
		return newTuple(s.cut(0, i), s.cut(i, i+len(sep.s)), s.cut(i+len(sep.s), len(s.s)))
	})
}

func (st *state) strList(parts []*Str) *List {
	st.growList(len(parts))
	items := make([]Value, len(parts))
	for i, p := range parts {
		items[i] = p
	}
	return &List{items: items}
}

func separator(fn string, v Value) *Str {
	sep, ok := v.(*Str)
	if !ok {
		typeError("%s: must be str or None, not %s", fn, v.typeName())
	}
	if sep.s == "" {
		valueError("empty separator")
	}
	return sep
}

func split(s *Str, sepValue Value, limit int) []*Str {
	var out []*Str
	if sepValue == None {
		i := 0
		for {
			i = len(s.s) - len(strings.TrimLeftFunc(s.s[i:], isSpace))
			if i == len(s.s) {
				return out
			}
			if limit >= 0 && len(out) == limit {
				return append(out, s.cut(i, len(s.s)))
			}
			j := strings.IndexFunc(s.s[i:], isSpace)
			if j < 0 {
				return append(out, s.cut(i, len(s.s)))
			}
			out = append(out, s.cut(i, i+j))
			i += j
		}
	}
	sep := separator("split", sepValue).s
	i := 0
	for limit < 0 || len(out) < limit {
		j := strings.Index(s.s[i:], sep)
		if j < 0 {
			break
		}
		out = append(out, s.cut(i, i+j))
		i += j + len(sep)
	}
	return append(out, s.cut(i, len(s.s)))
}

func rsplit(s *Str, sepValue Value, limit int) []*Str {
	var out []*Str
	j := len(s.s)
	if sepValue == None {
		for {
			j = len(strings.TrimRightFunc(s.s[:j], isSpace))
			if j == 0 {
				break
			}
			if limit >= 0 && len(out) == limit {
				out = append(out, s.cut(0, j))
				break
			}
			i := strings.LastIndexFunc(s.s[:j], isSpace)
			if i < 0 {
				out = append(out, s.cut(0, j))
				break
			}
			_, n := decodeRune(s.s[i:])
			out = append(out, s.cut(i+n, j))
			j = i
		}
	} else {
		sep := separator("rsplit", sepValue).s
		for limit < 0 || len(out) < limit {
			i := strings.LastIndex(s.s[:j], sep)
			if i < 0 {
				break
			}
			out = append(out, s.cut(i+len(sep), j))
			j = i
		}
		out = append(out, s.cut(0, j))
	}
	for i, k := 0, len(out)-1; i < k; i, k = i+1, k-1 {
		out[i], out[k] = out[k], out[i]
	}
	return out
}

func splitLines(s *Str, keep bool) []*Str {
	var out []*Str
	start := 0
	for i := 0; i < len(s.s); {
		n := lineEnd(s.s[i:])
		if n == 0 {
			_, k := decodeRune(s.s[i:])
			i += k
			continue
		}
		end := i
		if keep {
			end = i + n
		}
		out = append(out, s.cut(start, end))
		i += n
		start = i
	}
	if start < len(s.s) {
		out = append(out, s.cut(start, len(s.s)))
	}
	return out
}

func otherMethods(add addMethod) {
	add("replace", strParams{positional: []string{"old", "new", "count"}, required: 2}, func(st *state, s *Str, a []Value) Value {
		old := argStr("replace", a, 0, nil)
		var with *Str
		if s.markup {
			with = escape(st, a[1])
		} else {
			with = argStr("replace", a, 1, nil)
		}
		return s.like(st.replace(s, old.s, with, argInt("replace", a, 2, -1)))
	})
	add("join", one("iterable"), func(st *state, s *Str, a []Value) Value {
		var b builder
		it := st.mustIter(arg(a, 0, None))
		for i := 0; ; i++ {
			v, ok := it.next()
			if !ok {
				break
			}
			if i > 0 {
				b.str(s)
			}
			item, ok := v.(*Str)
			if s.markup {
				item = escape(st, v)
			} else if !ok {
				typeError("sequence item %d: expected str instance, %s found", i, v.typeName())
			}
			st.step()
			st.write(&b, item)
		}
		st.grow(len(b.buf))
		return s.like(b.take())
	})
	add("expandtabs", strParams{named: []string{"tabsize"}}, func(st *state, s *Str, a []Value) Value {
		return s.like(st.expandTabs(s, argInt("expandtabs", a, 0, 8)))
	})
	add("translate", one("table"), func(st *state, s *Str, a []Value) Value { return s.like(st.translate(s, a[0])) })
	add("maketrans", strParams{positional: []string{"x", "y", "z"}, required: 1}, func(st *state, _ *Str, a []Value) Value {
		return st.makeTrans(a)
	})
}

// replace follows every byte: what stays keeps its marks, what is put in keeps its own.
func (st *state) replace(s *Str, old string, with *Str, limit int) *Str {
	n := strings.Count(s.s, old)
	if old == "" {
		n = s.count() + 1
	}
	if limit >= 0 {
		n = min(n, limit)
	}
	if n == 0 {
		return s.plain()
	}
	st.work(n)
	if len(with.s) > 0 && n > st.limits.Output/len(with.s) {
		st.exceeded("Output", st.limits.Output)
	}
	st.growText(len(s.s) + n*(len(with.s)-len(old)))
	if len(s.marks)+len(with.marks) == 0 {
		return text(strings.Replace(s.s, old, with.s, n))
	}
	var b builder
	i := 0
	for k := range n {
		j := i
		switch {
		case old != "":
			j = i + strings.Index(s.s[i:], old)
		case k > 0:
			_, size := decodeRune(s.s[i:])
			j = i + size
		}
		b.part(s, i, j)
		b.str(with)
		i = j + len(old)
	}
	b.part(s, i, len(s.s))
	return b.take()
}

func (st *state) expandTabs(s *Str, size int) *Str {
	if n := strings.Count(s.s, "\t"); n > 0 && size > st.limits.Output/n {
		st.exceeded("Output", st.limits.Output)
	}
	var b builder
	col := 0
	for i := 0; i < len(s.s); {
		r, n := decodeRune(s.s[i:])
		switch {
		case r == '\t' && size > 0:
			pad := size - col%size
			b.raw(strings.Repeat(" ", pad))
			col += pad
		case r == '\t':
		default:
			b.part(s, i, i+n)
			col++
			if r == '\n' || r == '\r' {
				col = 0
			}
		}
		i += n
	}
	st.grow(len(b.buf))
	return b.take()
}
