package jinja

import "slices"

func orderFilters(add addFilter) {
	add("sort", []string{"reverse", "case_sensitive", "attribute"}, 0, sortFilter)
	add("dictsort", []string{"case_sensitive", "by", "reverse"}, 0, dictsortFilter)
	add("unique", []string{"case_sensitive", "attribute"}, 0, uniqueFilter)
	add("groupby", []string{"attribute", "default", "case_sensitive"}, 1, groupbyFilter)
	add("min", []string{"case_sensitive", "attribute"}, 0, extremum("<"))
	add("max", []string{"case_sensitive", "attribute"}, 0, extremum(">"))
}

// sortOrder compares for a stable sort with nothing but <, as Python's does.
func (st *state) sortOrder(a, b Value) int {
	st.step()
	switch {
	case st.ordered("<", a, b):
		return -1
	case st.ordered("<", b, a):
		return 1
	}
	return 0
}

// sorted returns the items in the order of their keys.
func (st *state) sorted(items, keys []Value, reverse bool) []Value {
	st.growList(2 * len(items))
	at := make([]int, len(items))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int {
		if reverse {
			return st.sortOrder(keys[j], keys[i])
		}
		return st.sortOrder(keys[i], keys[j])
	})
	out := make([]Value, len(items))
	for i, k := range at {
		out[i] = items[k]
	}
	return out
}

func sortFilter(st *state, v Value, a []Value) Value {
	caseSensitive := argBool(a, 1, false)
	var paths [][]Value
	if s, ok := arg(a, 2, None).(*Str); ok {
		for _, p := range split(s, text(","), -1) {
			paths = append(paths, attrPath(p))
		}
	} else {
		paths = [][]Value{attrPath(arg(a, 2, None))}
	}
	items := st.items(v)
	keys := make([]Value, len(items))
	for i, x := range items {
		key := make([]Value, len(paths))
		for k, p := range paths {
			key[k] = st.fold(st.follow(x, p, nil), caseSensitive)
		}
		keys[i] = &List{items: key}
	}
	return &List{items: st.sorted(items, keys, argBool(a, 0, false))}
}

func dictsortFilter(st *state, v Value, a []Value) Value {
	by := argStr("dictsort", a, 1, text("key")).s
	if by != "key" && by != "value" {
		raise("FilterArgumentError", `You can only sort by either "key" or "value"`)
	}
	d, ok := v.(*Dict)
	if !ok {
		failIfUndefined(v)
		raise("AttributeError", "%s object has no attribute 'items'", quote(v.typeName()))
	}
	caseSensitive := argBool(a, 0, false)
	items, keys := make([]Value, len(d.keys)), make([]Value, len(d.keys))
	for i, k := range d.keys {
		items[i] = newTuple(k, d.vals[i])
		if by == "value" {
			k = d.vals[i]
		}
		keys[i] = st.fold(k, caseSensitive)
	}
	return &List{items: st.sorted(items, keys, argBool(a, 2, false))}
}

func uniqueFilter(st *state, v Value, a []Value) Value {
	caseSensitive, path := argBool(a, 0, false), attrPath(arg(a, 1, None))
	seen := NewDict(0)
	var it *iterator
	return st.lazy(func() (Value, bool) {
		if it == nil {
			i := st.mustIter(v)
			it = &i
		}
		for {
			x, ok := it.next()
			if !ok {
				return nil, false
			}
			st.step()
			st.growList(1)
			key := st.fold(st.follow(x, path, nil), caseSensitive)
			st.needHashable(key)
			if seen.find(key) < 0 {
				seen.put(key, None)
				return x, true
			}
		}
	})
}

func extremum(op string) func(st *state, v Value, a []Value) Value {
	return func(st *state, v Value, a []Value) Value {
		caseSensitive, path := argBool(a, 0, false), attrPath(arg(a, 1, None))
		it := st.mustIter(v)
		best, ok := it.next()
		if !ok {
			return &undefined{hint: "No aggregated item, sequence was empty."}
		}
		key := st.fold(st.follow(best, path, nil), caseSensitive)
		for {
			x, ok := it.next()
			if !ok {
				return best
			}
			st.step()
			if k := st.fold(st.follow(x, path, nil), caseSensitive); st.ordered(op, k, key) {
				best, key = x, k
			}
		}
	}
}

func groupbyFilter(st *state, v Value, a []Value) Value {
	path, def, caseSensitive := attrPath(a[0]), arg(a, 1, None), argBool(a, 2, false)
	if def == None {
		def = nil
	}
	items := st.items(v)
	keys := make([]Value, len(items))
	for i, x := range items {
		keys[i] = st.fold(st.follow(x, path, def), caseSensitive)
	}
	var out []Value
	var group []Value
	var groupKey Value
	flush := func() {
		if len(group) > 0 {
			real := st.follow(group[0], path, def)
			if caseSensitive {
				real = groupKey
			}
			out = append(out, &Tuple{items: []Value{real, &List{items: group}}, names: []string{"grouper", "list"}})
		}
		group = nil
	}
	for _, x := range st.sorted(items, keys, false) {
		k := st.fold(st.follow(x, path, def), caseSensitive)
		if groupKey == nil || !st.equal(k, groupKey) {
			flush()
			groupKey = k
		}
		group = append(group, x)
	}
	flush()
	return &List{items: out}
}
