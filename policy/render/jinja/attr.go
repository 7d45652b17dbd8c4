package jinja

import "strings"

// methodDef is a method of a built-in type.
type methodDef struct {
	name string
	call func(st *state, self Value, a args) Value
}

// methodOf returns the method of a built-in type that a template may call, nil where x has none of that name.
func (st *state) methodOf(x Value, id string) *methodDef {
	switch x.(type) {
	case *Str:
		return st.strMethods[id]
	case *Dict:
		return dictMethods[id]
	case *List:
		return listMethods[id]
	case *Tuple, *rangeVal:
		if id == "copy" {
			return nil
		}
		return listMethods[id]
	}
	return nil
}

// mutators are the methods the sandbox hides: they would change a value in place.
var mutators = map[string]map[string]bool{
	"dict": {"clear": true, "pop": true, "popitem": true, "setdefault": true, "update": true},
	"list": {
		"append": true, "clear": true, "pop": true, "reverse": true, "insert": true, "sort": true, "extend": true,
		"remove": true,
	},
}

// ownAttr returns an attribute of the object itself, an undefined that raises SecurityError when used for one the sandbox
// hides, or nil where there is none.
func (st *state) ownAttr(x Value, id string) Value {
	if m := st.methodOf(x, id); m != nil {
		return &method{self: x, name: id, call: func(st *state, a args) Value { return m.call(st, x, a) }}
	}
	var v Value
	switch o := x.(type) {
	case *namespace:
		v, _ = o.attrs.Get(id)
	case *loopVar:
		v = o.attr(id)
	case *macro:
		v = o.attr(id)
	case *cycler:
		v = o.attr(id)
	case *rangeVal:
		v = o.attr(id)
	case *Tuple:
		for i, n := range o.names {
			if n == id {
				v = o.items[i]
			}
		}
	case Int, Bool, Float, *BigInt:
		v = numberAttr(x, id)
	case *joiner:
		switch id {
		case "sep":
			v = o.sep
		case "used":
			v = Bool(o.used)
		}
	}
	if mutators[x.typeName()][id] || isDunder(id) || v != nil && strings.HasPrefix(id, "_") {
		return &undefined{
			hint: "access to attribute " + quote(id) + " of " + quote(x.typeName()) + " object is unsafe.",
			kind: "SecurityError",
		}
	}
	return v
}

// isDunder holds for the attributes every Python object has: close enough, since all of them are hidden.
func isDunder(id string) bool {
	switch id {
	case "__class__", "__doc__", "__init__", "__dict__", "__module__", "__eq__", "__ne__", "__hash__", "__repr__", "__str__",
		"__getattribute__", "__setattr__", "__delattr__", "__new__", "__reduce__", "__reduce_ex__", "__sizeof__", "__dir__",
		"__format__", "__subclasshook__", "__init_subclass__", "__lt__", "__le__", "__gt__", "__ge__":
		return true
	}
	return false
}

// getAttr is x.id: the attribute, else the item.
func (st *state) getAttr(x Value, id *Str) Value {
	switch o := x.(type) {
	case *Dict:
		if strings.HasPrefix(id.s, "__") || dictMethods[id.s] != nil || mutators["dict"][id.s] {
			break
		}
		if i := o.findStr(id.s); i >= 0 {
			return o.vals[i]
		}
		return &undefined{obj: x, name: id}
	case *namespace:
		if v, ok := o.attrs.Get(id.s); ok && id.s[0] != '_' {
			return v
		}
	case *undefined:
		if !isDunder(id.s) {
			failUndefined(o)
		}
	case *selfRef:
		if b := st.prog.blocks[id.s]; b != nil {
			return &blockRef{block: b}
		}
	}
	if v := st.ownAttr(x, id.s); v != nil {
		return v
	}
	if v := st.item(x, id); v != nil {
		return v
	}
	return &undefined{obj: x, name: id}
}

// getItem is x[key]: the item, else the attribute of that name.
func (st *state) getItem(x, key Value) Value {
	if u, ok := x.(*undefined); ok {
		failUndefined(u)
	}
	if s, ok := key.(*Str); ok {
		st.work(len(s.s) / scanned)
	}
	if v := st.item(x, key); v != nil {
		return v
	}
	if s, ok := key.(*Str); ok {
		if v := st.ownAttr(x, s.s); v != nil {
			return v
		}
	}
	return &undefined{obj: x, name: key}
}

// item is the item alone, nil where Python raises TypeError or LookupError.
func (st *state) item(x, key Value) Value {
	switch o := x.(type) {
	case *Dict:
		if i := o.find(key); i >= 0 {
			return o.vals[i]
		}
		return nil
	case *selfRef:
		if s, ok := key.(*Str); ok {
			if b := st.prog.blocks[s.s]; b != nil {
				return &blockRef{block: b}
			}
		}
		return nil
	}
	if _, ok := key.(*undefined); ok {
		return nil
	}
	i, ok := index(key)
	if !ok {
		return nil
	}
	n, sized := st.length(x)
	if !sized {
		return nil
	}
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return nil
	}
	switch o := x.(type) {
	case *List:
		return o.items[i]
	case *Tuple:
		return o.items[i]
	case *Str:
		at := o.offset(i)
		_, size := decodeRune(o.s[at:])
		return o.cut(at, at+size)
	case *rangeVal:
		return o.at(i)
	}
	return nil
}

// slice is x[start:stop:step].
func (st *state) slice(x, start, stop, step Value) Value {
	n := 0
	switch o := x.(type) {
	case *List, *Tuple, *rangeVal, *Str:
		n, _ = st.length(x)
	case *undefined:
		failUndefined(o)
	case *Dict:
		typeError("unhashable type: 'slice'")
	default:
		typeError("%s object is not subscriptable", quote(x.typeName()))
	}
	lo, hi, by := sliceBounds(n, start, stop, step)
	count := 0
	if by > 0 && lo < hi {
		count = (hi-lo-1)/by + 1
	} else if by < 0 && lo > hi {
		count = (lo-hi-1)/-by + 1
	}
	st.work(count / 16)
	switch o := x.(type) {
	case *List:
		return &List{items: st.pick(o.items, lo, by, count)}
	case *Tuple:
		return &Tuple{items: st.pick(o.items, lo, by, count)}
	case *rangeVal:
		return &rangeVal{start: o.start + lo*o.step, stop: o.start + hi*o.step, step: o.step * by, n: count}
	case *Str:
		if by == 1 {
			if count == 0 {
				return o.like(emptyStr)
			}
			st.grow(count)
			return o.cut(o.offset(lo), o.offset(lo+count))
		}
		var b builder
		for i, k := lo, 0; k < count; i, k = i+by, k+1 {
			at := o.offset(i)
			_, size := decodeRune(o.s[at:])
			b.part(o, at, at+size)
		}
		st.grow(len(b.buf))
		return o.like(b.take())
	}
	return nil
}

func (st *state) pick(items []Value, lo, by, count int) []Value {
	if by == 1 {
		return items[lo : lo+count : lo+count]
	}
	st.growList(count)
	out := make([]Value, count)
	for k := range out {
		out[k] = items[lo+k*by]
	}
	return out
}

// sliceBounds is Python's slice.indices.
func sliceBounds(n int, start, stop, step Value) (lo, hi, by int) {
	part := func(v Value, def, low, high int) int {
		if v == None {
			return def
		}
		if _, ok := v.(*undefined); ok {
			typeError("slice indices must be integers or None or have an __index__ method")
		}
		i, ok := index(v)
		if !ok {
			typeError("slice indices must be integers or None or have an __index__ method")
		}
		if i < 0 {
			i += n
		}
		return min(max(i, low), high)
	}
	by = 1
	if step != None {
		var ok bool
		if _, isUndef := step.(*undefined); isUndef {
			typeError("slice indices must be integers or None or have an __index__ method")
		}
		if by, ok = index(step); !ok {
			typeError("slice indices must be integers or None or have an __index__ method")
		}
		if by == 0 {
			valueError("slice step cannot be zero")
		}
	}
	if by > 0 {
		return part(start, 0, 0, n), part(stop, n, 0, n), by
	}
	by = max(by, -1<<62)
	return part(start, n-1, -1, n-1), part(stop, -1, -1, n-1), by
}
