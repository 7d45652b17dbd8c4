package jinja

// args are the arguments of a call. They live on the state's stack: a callee that keeps them copies them.
type args struct {
	pos   []Value
	names []string
	named []Value
}

// args evaluates arguments in Python's order.
func (st *state) args(c *callArgs, caller Value) args {
	base := len(st.stack)
	for _, x := range c.pos {
		st.stack = append(st.stack, x.eval(st))
	}
	var a args
	if len(c.names) > 0 {
		a.names = c.names
		a.named = make([]Value, len(c.named))
		for i, x := range c.named {
			a.named[i] = x.eval(st)
		}
	}
	if c.star != nil {
		for _, v := range st.items(c.star.eval(st)) {
			st.stack = append(st.stack, v)
		}
	}
	if c.dict != nil {
		a = st.spread(a, c.dict.eval(st))
	}
	if caller != nil {
		a.names = append(append([]string(nil), a.names...), "caller")
		a.named = append(a.named, caller)
	}
	a.pos = st.stack[base:len(st.stack):len(st.stack)]
	return a
}

// spread adds the entries of **d.
func (st *state) spread(a args, v Value) args {
	d, ok := v.(*Dict)
	if !ok {
		typeError("argument after ** must be a mapping, not %s", v.typeName())
	}
	a.names = append([]string(nil), a.names...)
	for i, k := range d.keys {
		s, ok := k.(*Str)
		if !ok {
			typeError("keywords must be strings")
		}
		for _, n := range a.names {
			if n == s.s {
				typeError("got multiple values for keyword argument %s", quote(n))
			}
		}
		a.names, a.named = append(a.names, s.s), append(a.named, d.vals[i])
	}
	return a
}

func (a args) noNames(fn string) {
	if len(a.names) > 0 {
		typeError("%s() takes no keyword arguments", fn)
	}
}

// bind sorts arguments into parameters: first those that only have a position, then those that have names too. It returns
// one value per parameter, nil where none was given, and raises as Python does for too many, too few or unknown ones.
func bind(fn string, a args, positional, named []string, required int) []Value {
	total := len(positional) + len(named)
	if len(a.pos) == 0 && len(a.names) == 0 && required == 0 {
		return nil
	}
	if len(a.pos) > total {
		typeError("%s() takes at most %d arguments (%d given)", fn, total, len(a.pos))
	}
	if len(a.names) == 0 && len(a.pos) >= required {
		return a.pos
	}
	out := make([]Value, total)
	copy(out, a.pos)
	for i, id := range a.names {
		k := indexName(named, id)
		if k < 0 {
			typeError("%s() got an unexpected keyword argument %s", fn, quote(id))
		}
		k += len(positional)
		if out[k] != nil {
			typeError("%s() got multiple values for argument %s", fn, quote(id))
		}
		out[k] = a.named[i]
	}
	for i := range required {
		if out[i] == nil {
			typeError("%s() missing a required argument (pos %d)", fn, i+1)
		}
	}
	return out
}

func indexName(names []string, id string) int {
	for i, n := range names {
		if n == id {
			return i
		}
	}
	return -1
}

// arg returns argument i, or def where it was not given.
func arg(a []Value, i int, def Value) Value {
	if i < len(a) && a[i] != nil {
		return a[i]
	}
	return def
}

func argBool(a []Value, i int, def bool) bool {
	return truth(arg(a, i, Bool(def)))
}

// argInt returns argument i as Python's index protocol does.
func argInt(fn string, a []Value, i, def int) int {
	v := arg(a, i, nil)
	if v == nil {
		return def
	}
	n, ok := index(v)
	if !ok {
		typeError("%s object cannot be interpreted as an integer (%s, argument %d)", quote(v.typeName()), fn, i+1)
	}
	return n
}

// argStr returns argument i, which must be a string.
func argStr(fn string, a []Value, i int, def *Str) *Str {
	v := arg(a, i, nil)
	if v == nil {
		return def
	}
	s, ok := v.(*Str)
	if !ok {
		typeError("%s argument %d must be str, not %s", fn, i+1, v.typeName())
	}
	return s
}

// index returns an int usable as an index; ints beyond the machine's saturate, as Python's slices do.
func index(v Value) (int, bool) {
	switch x := v.(type) {
	case Int:
		return int(x), true
	case Bool:
		if x {
			return 1, true
		}
		return 0, true
	case *BigInt:
		if x.n.Sign() < 0 {
			return -1 << 62, true
		}
		return 1<<62 - 1, true
	case *undefined:
		failUndefined(x)
	}
	return 0, false
}
