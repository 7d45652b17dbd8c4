package jinja

func itemFilters(add addFilter) {
	add("length", nil, 0, func(st *state, v Value, _ []Value) Value {
		n, ok := st.length(v)
		if !ok {
			typeError("object of type %s has no len()", quote(v.typeName()))
		}
		return intValue(n)
	})
	add("default", []string{"default_value", "boolean"}, 0, func(_ *state, v Value, a []Value) Value {
		if _, ok := v.(*undefined); ok || argBool(a, 1, false) && !truth(v) {
			return arg(a, 0, emptyStr)
		}
		return v
	})
	add("list", nil, 0, func(st *state, v Value, _ []Value) Value {
		return &List{items: st.items(v)}
	})
	add("items", nil, 0, itemsFilter)
	add("first", nil, 0, func(st *state, v Value, _ []Value) Value {
		it := st.mustIter(v)
		if x, ok := it.next(); ok {
			return x
		}
		return &undefined{hint: "No first item, sequence was empty."}
	})
	add("last", nil, 0, lastFilter)
	add("reverse", nil, 0, reverseFilter)
	add("attr", []string{"name"}, 1, attrFilter)
	add("batch", []string{"linecount", "fill_with"}, 1, batchFilter)
	add("slice", []string{"slices", "fill_with"}, 1, sliceFilter)
	add("random", nil, 0, func(*state, Value, []Value) Value { return randomCall(nil, args{}) })
}

func itemsFilter(st *state, v Value, _ []Value) Value {
	var it iterator
	started := false
	return st.lazy(func() (Value, bool) {
		if !started {
			started = true
			switch x := v.(type) {
			case *undefined:
			case *Dict:
				it = iterator{view: &dictView{d: x, kind: "items"}}
			default:
				typeError("Can only get item pairs from a mapping.")
			}
		}
		return it.next()
	})
}

// reversible returns the items of a value reversed() accepts.
func (st *state) reversible(v Value) ([]Value, bool) {
	switch v.(type) {
	case *List, *Tuple, *Str, *Dict, *dictView, *rangeVal, *undefined:
		return st.items(v), true
	}
	return nil, false
}

func lastFilter(st *state, v Value, _ []Value) Value {
	switch x := v.(type) {
	case *Str:
		if n := x.count(); n > 0 {
			return x.plain().cut(x.offset(n-1), len(x.s))
		}
	default:
		items, ok := st.reversible(v)
		if !ok {
			typeError("%s object is not reversible", quote(v.typeName()))
		}
		if len(items) > 0 {
			return items[len(items)-1]
		}
	}
	return &undefined{hint: "No last item, sequence was empty."}
}

func reverseFilter(st *state, v Value, _ []Value) Value {
	if s, ok := v.(*Str); ok {
		return st.slice(s, None, None, Int(-1))
	}
	items, ok := st.reversible(v)
	if !ok {
		it, iterable := st.iter(v)
		if !iterable {
			raise("FilterArgumentError", "argument must be iterable")
		}
		items = st.drain(&it)
		return &List{items: reversed(items)}
	}
	st.growList(len(items))
	return &generator{st: st, name: v.typeName() + "_reverseiterator", it: iterator{items: reversed(items)}}
}

func reversed(items []Value) []Value {
	out := make([]Value, len(items))
	for i, v := range items {
		out[len(items)-1-i] = v
	}
	return out
}

func attrFilter(st *state, v Value, a []Value) Value {
	id := argStr("attr", a, 0, nil)
	failIfUndefined(v)
	if x := st.ownAttr(v, id.s); x != nil {
		return x
	}
	return &undefined{obj: v, name: id}
}

func batchFilter(st *state, v Value, a []Value) Value {
	size, ok := index(a[0])
	if !ok {
		size = -1 // never equal to a length, as in Python
	}
	fill := arg(a, 1, None)
	var it *iterator
	done := false
	var row []Value
	return st.lazy(func() (Value, bool) {
		if it == nil {
			i := st.mustIter(v)
			it = &i
		}
		for !done {
			x, ok := it.next()
			if !ok {
				done = true
				break
			}
			st.step()
			st.growList(1)
			if len(row) == size {
				full := row
				row = []Value{x}
				return &List{items: full}, true
			}
			row = append(row, x)
		}
		if len(row) == 0 {
			return nil, false
		}
		st.growList(max(size-len(row), 0))
		for fill != None && len(row) < size {
			row = append(row, fill)
		}
		last := row
		row = nil
		return &List{items: last}, true
	})
}

func sliceFilter(st *state, v Value, a []Value) Value {
	fill := arg(a, 1, None)
	var items []Value
	slices, k, offset := 0, -1, 0
	return st.lazy(func() (Value, bool) {
		if k < 0 {
			k, items = 0, st.items(v)
			slices = argInt("slice", a, 0, 0)
			if slices == 0 {
				raise("ZeroDivisionError", "integer division or modulo by zero")
			}
		}
		if k >= slices {
			return nil, false
		}
		st.step()
		size, extra := len(items)/slices, len(items)%slices
		start := offset + k*size
		if k < extra {
			offset++
		}
		end := offset + (k+1)*size
		row := append([]Value(nil), items[start:end]...)
		if fill != None && k >= extra {
			row = append(row, fill)
		}
		st.growList(len(row))
		k++
		return &List{items: row}, true
	})
}
