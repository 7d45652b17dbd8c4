package jinja

// filter is a filter by its Jinja name.
type filter struct {
	name string
	call func(st *state, v Value, a args) Value
}

// filters is the table of all filters; state carries it to the filters that look up others by name.
var filters = func() map[string]*filter {
	t := map[string]*filter{}
	add := func(id string, params []string, required int, f func(st *state, v Value, a []Value) Value) {
		t[id] = &filter{name: id, call: func(st *state, v Value, a args) Value {
			return f(st, v, bind(id, a, nil, params, required))
		}}
	}
	textFilters(add)
	htmlFilters(add)
	numberFilters(add)
	itemFilters(add)
	orderFilters(add)
	for id, f := range selectFilters() {
		t[id] = &filter{name: id, call: f}
	}
	t["format"] = &filter{name: "format", call: formatFilter}
	for alias, id := range map[string]string{"d": "default", "e": "escape", "count": "length"} {
		t[alias] = t[id]
	}
	return t
}()

func filterNamed(id string) *filter { return filters[id] }

type addFilter = func(id string, params []string, required int, f func(st *state, v Value, a []Value) Value)

// attrPath is a dotted attribute of a filter: names, and ints where a part is made of digits.
func attrPath(v Value) []Value {
	s, ok := v.(*Str)
	if !ok {
		if v == None {
			return nil
		}
		return []Value{v}
	}
	var path []Value
	for _, p := range split(s.plain(), text("."), -1) {
		if all(p.s, isDigit) {
			path = append(path, toInt(p, 10))
		} else {
			path = append(path, p)
		}
	}
	return path
}

// follow looks up a path; def, where not nil, stands for a part that is undefined.
func (st *state) follow(v Value, path []Value, def Value) Value {
	for _, p := range path {
		st.step()
		v = st.getItem(v, p)
		if _, ok := v.(*undefined); ok && def != nil {
			v = def
		}
	}
	return v
}

// fold lowers strings, for filters that ignore case.
func (st *state) fold(v Value, caseSensitive bool) Value {
	if s, ok := v.(*Str); ok && !caseSensitive {
		st.work(len(s.s) / 8)
		return s.wholly(lower(s.s))
	}
	return v
}
