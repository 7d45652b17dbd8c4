package jinja

import "time"

// globals are the functions every template has. Variables of the same name hide them.
var globals = map[string]Value{
	"range":           &builtin{name: "range", call: rangeCall},
	"dict":            &builtin{name: "dict", call: dictCall},
	"namespace":       &builtin{name: "namespace", call: namespaceCall},
	"cycler":          &builtin{name: "cycler", call: cyclerCall},
	"joiner":          &builtin{name: "joiner", call: joinerCall},
	"lipsum":          &builtin{name: "lipsum", call: randomCall},
	"raise_exception": &builtin{name: "raise_exception", call: raiseCall},
	"strftime_now":    &builtin{name: "strftime_now", call: strftimeCall},
}

func globalNamed(id string) Value { return globals[id] }

// maxRange is the sandbox's bound on a range.
const maxRange = 100000

func rangeCall(_ *state, a args) Value {
	a.noNames("range")
	if len(a.pos) == 0 || len(a.pos) > 3 {
		typeError("range expected 1 to 3 arguments, got %d", len(a.pos))
	}
	var n [3]int
	for i := range a.pos {
		if _, ok := a.pos[i].(Float); ok {
			typeError("'float' object cannot be interpreted as an integer")
		}
		n[i] = argInt("range", a.pos, i, 0)
	}
	r := &rangeVal{start: n[0], stop: n[1], step: 1}
	switch len(a.pos) {
	case 1:
		r.start, r.stop = 0, n[0]
	case 3:
		r.step = n[2]
	}
	switch {
	case r.step == 0:
		valueError("range() arg 3 must not be zero")
	case r.step > 0 && r.start < r.stop:
		r.n = (r.stop-r.start-1)/r.step + 1
	case r.step < 0 && r.start > r.stop:
		r.n = (r.start-r.stop-1)/-r.step + 1
	}
	if r.n > maxRange || r.n < 0 {
		raise("OverflowError", "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", maxRange)
	}
	return r
}

// newDict is Python's dict(…).
func (st *state) newDict(fn string, a args) *Dict {
	if len(a.pos) > 1 {
		typeError("%s expected at most 1 argument, got %d", fn, len(a.pos))
	}
	d := NewDict(len(a.names))
	if len(a.pos) == 1 {
		failIfUndefined(a.pos[0])
		if from, ok := a.pos[0].(*Dict); ok {
			st.growList(2 * len(from.keys))
			d = from.clone()
		} else {
			for i, pair := range st.items(a.pos[0]) {
				kv := st.items(pair)
				if len(kv) != 2 {
					valueError("dictionary update sequence element #%d has length %d; 2 is required", i, len(kv))
				}
				st.setItem(d, kv[0], kv[1])
			}
		}
	}
	for i, n := range a.names {
		d.put(text(n), a.named[i])
	}
	return d
}

func dictCall(st *state, a args) Value { return st.newDict("dict", a) }

func namespaceCall(st *state, a args) Value { return &namespace{attrs: st.newDict("namespace", a)} }

// cycler is Jinja's cycler object.
type cycler struct {
	items []Value
	pos   int
}

func (*cycler) typeName() string { return "Cycler" }

func cyclerCall(_ *state, a args) Value {
	a.noNames("cycler")
	if len(a.pos) == 0 {
		raise("RuntimeError", "at least one item has to be provided")
	}
	return &cycler{items: append([]Value(nil), a.pos...)}
}

func (c *cycler) attr(id string) Value {
	switch id {
	case "current":
		return c.items[c.pos]
	case "pos":
		return intValue(c.pos)
	case "items":
		return newTuple(c.items...)
	case "next":
		return &method{self: c, name: id, call: func(_ *state, a args) Value {
			bind(id, a, nil, nil, 0)
			v := c.items[c.pos]
			c.pos = (c.pos + 1) % len(c.items)
			return v
		}}
	case "reset":
		return &method{self: c, name: id, call: func(_ *state, a args) Value {
			bind(id, a, nil, nil, 0)
			c.pos = 0
			return None
		}}
	}
	return nil
}

// joiner is Jinja's joiner object: empty at its first call, the separator afterwards.
type joiner struct {
	sep  Value
	used bool
}

func (*joiner) typeName() string { return "Joiner" }

func joinerCall(_ *state, a args) Value {
	v := bind("joiner", a, nil, []string{"sep"}, 0)
	return &joiner{sep: arg(v, 0, text(", "))}
}

func (j *joiner) call(_ *state, a args) Value {
	bind("joiner", a, nil, nil, 0)
	if !j.used {
		j.used = true
		return emptyStr
	}
	return j.sep
}

// randomCall stands for what has no reproducible result.
func randomCall(*state, args) Value {
	raise("NotImplementedError", "random text would make prompts differ between renders")
	return nil
}

func raiseCall(st *state, a args) Value {
	v := bind("raise_exception", a, nil, []string{"message"}, 1)
	panic(fault{&TemplateError{Message: st.str(v[0]).s}})
}

func strftimeCall(st *state, a args) Value {
	v := bind("strftime_now", a, []string{"format"}, nil, 1)
	format := argStr("strftime", v, 0, nil)
	if st.now.Equal(time.Time{}) {
		raise("ValueError", "the template asks for the date, and Options.Now is not set")
	}
	return format.wholly(strftime(st.now, format.s))
}
