package jinja

import (
	"strings"

	"golang.org/x/text/cases"
)

// window returns the bytes that optional start and end arguments at i and i+1 of a leave of s, false where start lies
// beyond the end.
func window(fn string, s *Str, a []Value, i int) (from, to int, ok bool) {
	n := s.count()
	part := func(k, def int) int {
		v := arg(a, k, None)
		if v == None {
			return def
		}
		x := argInt(fn, a, k, 0)
		if x < 0 {
			x = max(x+n, 0)
		}
		return x
	}
	lo, hi := part(i, 0), min(part(i+1, n), n)
	if lo > n || lo > hi {
		return 0, 0, false
	}
	return s.offset(lo), s.offset(hi), true
}

func findMethods(add addMethod) {
	params := strParams{positional: []string{"sub", "start", "end"}, required: 1}
	find := func(id string, last, must bool) {
		add(id, params, func(_ *state, s *Str, a []Value) Value {
			sub := argStr(id, a, 0, nil).s
			at := -1
			if from, to, ok := window(id, s, a, 1); ok {
				if last {
					at = strings.LastIndex(s.s[from:to], sub)
				} else {
					at = strings.Index(s.s[from:to], sub)
				}
				if at >= 0 {
					at = runeCount(s.s[:from+at])
				}
			}
			if at < 0 && must {
				valueError("substring not found")
			}
			return intValue(at)
		})
	}
	find("find", false, false)
	find("rfind", true, false)
	find("index", false, true)
	find("rindex", true, true)
	add("count", params, func(_ *state, s *Str, a []Value) Value {
		sub := argStr("count", a, 0, nil).s
		from, to, ok := window("count", s, a, 1)
		if !ok {
			return Int(0)
		}
		if sub == "" {
			return intValue(runeCount(s.s[from:to]) + 1)
		}
		return intValue(strings.Count(s.s[from:to], sub))
	})
	affix := func(id string, has func(s, affix string) bool) {
		add(id, params, func(_ *state, s *Str, a []Value) Value {
			var options []Value
			switch x := a[0].(type) {
			case *Str:
				options = a[:1]
			case *Tuple:
				options = x.items
			default:
				typeError("%s first arg must be str or a tuple of str, not %s", id, a[0].typeName())
			}
			from, to, ok := window(id, s, a, 1)
			for _, o := range options {
				t, isStr := o.(*Str)
				if !isStr {
					typeError("tuple for %s must only contain str, not %s", id, o.typeName())
				}
				if ok && has(s.s[from:to], t.s) {
					return Bool(true)
				}
			}
			return Bool(false)
		})
	}
	affix("startswith", strings.HasPrefix)
	affix("endswith", strings.HasSuffix)
}

func caseMethods(add addMethod) {
	for id, f := range map[string]func(string) string{
		"upper": upper, "lower": lower, "title": title, "capitalize": capitalize, "swapcase": swapcase,
		"casefold": func(s string) string { return cases.Fold().String(s) },
	} {
		add(id, strParams{}, func(st *state, s *Str, _ []Value) Value {
			return st.changeCase(s, f)
		})
	}
}

// changeCase maps the text; where only parts of it are marked, bytes cannot be followed and all of it becomes marked.
func (st *state) changeCase(s *Str, f func(string) string) *Str {
	st.grow(len(s.s))
	st.work(len(s.s) / 8) // full Unicode case mapping is slow
	return s.wholly(f(s.s))
}

func padMethods(add addMethod) {
	params := strParams{positional: []string{"width", "fillchar"}, required: 1}
	pad := func(id string, left func(free, width int) int) {
		add(id, params, func(st *state, s *Str, a []Value) Value {
			fill := argStr(id, a, 1, text(" "))
			if fill.count() != 1 {
				typeError("The fill character must be exactly one character long")
			}
			if s.markup {
				fill = escape(st, fill)
			}
			width := argInt(id, a, 0, 0)
			free := width - s.count()
			if free <= 0 {
				return s
			}
			l := left(free, width)
			return s.like(st.padded(s, fill, l, free-l))
		})
	}
	pad("center", centerLeft)
	pad("ljust", func(int, int) int { return 0 })
	pad("rjust", func(free, _ int) int { return free })
	add("zfill", one("width"), func(st *state, s *Str, a []Value) Value {
		free := argInt("zfill", a, 0, 0) - s.count()
		if free <= 0 {
			return s
		}
		sign := 0
		if strings.HasPrefix(s.s, "+") || strings.HasPrefix(s.s, "-") {
			sign = 1
		}
		st.growText(free + len(s.s))
		var b builder
		b.part(s, 0, sign)
		b.raw(strings.Repeat("0", free))
		b.part(s, sign, len(s.s))
		return s.like(b.take())
	})
}

// centerLeft is how much of the padding CPython puts on the left: the odd character goes left where width is odd.
func centerLeft(free, width int) int { return free/2 + (free & width & 1) }

func (st *state) padded(s, fill *Str, left, right int) *Str {
	if left+right > st.limits.Output/len(fill.s) {
		st.exceeded("Output", st.limits.Output)
	}
	st.growText((left+right)*len(fill.s) + len(s.s))
	var b builder
	for range left {
		b.str(fill)
	}
	b.str(s)
	for range right {
		b.str(fill)
	}
	return b.take()
}

func predicateMethods(add addMethod) {
	for id, f := range map[string]func(string) bool{
		"isspace":      strIsSpace,
		"isascii":      isASCII,
		"islower":      strIsLower,
		"isupper":      strIsUpper,
		"istitle":      strIsTitle,
		"isidentifier": isIdentifier,
		"isalpha":      func(s string) bool { return all(s, isAlpha) },
		"isalnum":      func(s string) bool { return all(s, isAlnum) },
		"isdigit":      func(s string) bool { return all(s, isDigit) },
		"isdecimal":    func(s string) bool { return all(s, isDecimal) },
		"isnumeric":    func(s string) bool { return all(s, isNumeric) },
		"isprintable":  func(s string) bool { return s == "" || all(s, isPrintable) },
	} {
		add(id, strParams{}, func(_ *state, s *Str, _ []Value) Value { return Bool(f(s.s)) })
	}
}

// strIsLower holds when some character has a case and none is upper or title case.
func strIsLower(s string) bool { return oneCase(s, isLowerRune) }

func strIsUpper(s string) bool { return oneCase(s, isUpperRune) }

func oneCase(s string, want func(rune) bool) bool {
	found := false
	for _, r := range s {
		switch {
		case want(r):
			found = true
		case isCased(r):
			return false
		}
	}
	return found
}

func strIsTitle(s string) bool {
	found, inWord := false, false
	for _, r := range s {
		switch {
		case isLowerRune(r):
			if !inWord {
				return false
			}
			found = true
		case isCased(r):
			if inWord {
				return false
			}
			inWord, found = true, true
		default:
			inWord = false
		}
	}
	return found
}

// translate maps characters through a dict from code points, as made by maketrans.
func (st *state) translate(s *Str, table Value) *Str {
	var b builder
	for i := 0; i < len(s.s); {
		r, n := decodeRune(s.s[i:])
		v := st.item(table, Int(r))
		switch x := v.(type) {
		case nil:
			b.part(s, i, i+n)
		case noneType:
		case *Str:
			b.str(x)
		case Int:
			b.str(s.cut(i, i+n).wholly(string(appendRune(nil, rune(x)))))
		default:
			typeError("character mapping must return integer, None or str")
		}
		st.checkSize(&b)
		st.step()
		i += n
	}
	st.grow(len(b.buf))
	return b.take()
}

func (st *state) makeTrans(a []Value) Value {
	d := NewDict(0)
	codePoint := func(v Value) Value {
		s, ok := v.(*Str)
		if !ok {
			if _, ok := index(v); ok {
				return v
			}
			typeError("keys in translate table must be strings or integers")
		}
		if s.count() != 1 {
			valueError("string keys in translate table must be of length 1")
		}
		r, _ := decodeRune(s.s)
		return Int(r)
	}
	if len(a) < 2 || a[1] == nil {
		from, ok := a[0].(*Dict)
		if !ok {
			typeError("if you give only one argument to maketrans it must be a dict")
		}
		for i, k := range from.keys {
			d.put(codePoint(k), from.vals[i])
		}
		return d
	}
	from, to := argStr("maketrans", a, 0, nil), argStr("maketrans", a, 1, nil)
	if from.count() != to.count() {
		valueError("the first two maketrans arguments must have equal length")
	}
	to2 := st.items(to)
	for i, k := range st.items(from) {
		d.put(codePoint(k), codePoint(to2[i]))
	}
	for _, k := range st.items(argStr("maketrans", a, 2, emptyStr)) {
		d.put(codePoint(k), None)
	}
	return d
}
