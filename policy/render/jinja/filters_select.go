package jinja

// selectFilters are the filters that name another filter or a test. All of them are lazy.
func selectFilters() map[string]func(st *state, v Value, a args) Value {
	sel := func(want, attr bool) func(st *state, v Value, a args) Value {
		return func(st *state, v Value, a args) Value { return st.selectItems(v, a.keep(), want, attr) }
	}
	return map[string]func(st *state, v Value, a args) Value{
		"map":        func(st *state, v Value, a args) Value { return st.mapItems(v, a.keep()) },
		"select":     sel(true, false),
		"reject":     sel(false, false),
		"selectattr": sel(true, true),
		"rejectattr": sel(false, true),
	}
}

// keep copies arguments that are used after the call.
func (a args) keep() args {
	a.pos = append([]Value(nil), a.pos...)
	return a
}

func (st *state) mapItems(v Value, a args) Value {
	var it iterator
	var f func(Value) Value
	return st.lazy(func() (Value, bool) {
		if f == nil {
			if !truth(v) {
				return nil, false
			}
			f = st.mapper(a)
			it = st.mustIter(v)
		}
		x, ok := it.next()
		if !ok {
			return nil, false
		}
		st.step()
		return f(x), true
	})
}

// mapper is what map does to each item: look up an attribute, or apply a filter.
func (st *state) mapper(a args) func(Value) Value {
	if len(a.pos) == 0 && indexName(a.names, "attribute") >= 0 {
		var def Value
		var path []Value
		for i, n := range a.names {
			switch n {
			case "attribute":
				path = attrPath(a.named[i])
			case "default":
				if def = a.named[i]; def == None {
					def = nil
				}
			default:
				raise("FilterArgumentError", "Unexpected keyword argument %s", quote(n))
			}
		}
		return func(x Value) Value { return st.follow(x, path, def) }
	}
	if len(a.pos) == 0 {
		raise("FilterArgumentError", "map requires a filter argument")
	}
	var f *filter
	if id, ok := a.pos[0].(*Str); ok {
		f = st.filters[id.s]
	}
	if f == nil {
		raise("TemplateRuntimeError", "No filter named %s.", reprText(a.pos[0]))
	}
	a.pos = a.pos[1:]
	return func(x Value) Value { return f.call(st, x, a) }
}

func (st *state) selectItems(v Value, a args, want, attr bool) Value {
	var it iterator
	var f func(Value) bool
	return st.lazy(func() (Value, bool) {
		if f == nil {
			if !truth(v) {
				return nil, false
			}
			f = st.selector(a, attr)
			it = st.mustIter(v)
		}
		for {
			x, ok := it.next()
			if !ok {
				return nil, false
			}
			st.step()
			if f(x) == want {
				return x, true
			}
		}
	})
}

// selector is the condition of a select filter: a named test, or the truth of the item.
func (st *state) selector(a args, attr bool) func(Value) bool {
	var path []Value
	if attr {
		if len(a.pos) == 0 {
			raise("FilterArgumentError", "Missing parameter for attribute name")
		}
		path = attrPath(a.pos[0])
		a.pos = a.pos[1:]
	}
	if len(a.pos) == 0 {
		return func(x Value) bool { return truth(st.follow(x, path, nil)) }
	}
	var t *test
	if id, ok := a.pos[0].(*Str); ok {
		t = st.tests[id.s]
	}
	if t == nil {
		raise("TemplateRuntimeError", "No test named %s.", reprText(a.pos[0]))
	}
	a.pos = a.pos[1:]
	return func(x Value) bool { return t.call(st, st.follow(x, path, nil), a) }
}
