package jinja

// iterator walks over a value once. Exactly one of its sources is set.
type iterator struct {
	items []Value
	view  *dictView
	str   *Str
	rng   *rangeVal
	pull  func() (Value, bool)
	gen   *generator
	at    int
}

func (it *iterator) next() (Value, bool) {
	switch {
	case it.pull != nil:
		return it.pull()
	case it.gen != nil:
		return it.gen.next()
	case it.view != nil:
		if it.at >= len(it.view.d.keys) {
			return nil, false
		}
		it.at++
		return it.view.at(it.at - 1), true
	case it.str != nil:
		if it.at >= len(it.str.s) {
			return nil, false
		}
		_, n := decodeRune(it.str.s[it.at:])
		it.at += n
		return it.str.cut(it.at-n, it.at), true
	case it.rng != nil:
		if it.at >= it.rng.n {
			return nil, false
		}
		it.at++
		return it.rng.at(it.at - 1), true
	}
	if it.at >= len(it.items) {
		return nil, false
	}
	it.at++
	return it.items[it.at-1], true
}

// generator is a Python iterator: it gives its items once.
type generator struct {
	st   *state
	name string // of its Python type
	it   iterator
	done bool
	self bool // running; Python refuses to enter a generator twice
}

func (g *generator) typeName() string { return g.name }

func (g *generator) next() (Value, bool) {
	if g.done {
		return nil, false
	}
	if g.self {
		valueError("generator already executing")
	}
	g.self = true
	g.st.dive(1) // generators over generators nest like calls
	v, ok := g.it.next()
	g.st.rise(1)
	g.self = false
	g.done = !ok
	return v, ok
}

// lazy returns a generator over what pull returns. Nothing is evaluated before the first item is asked for.
func (st *state) lazy(pull func() (Value, bool)) *generator {
	return &generator{st: st, name: "generator", it: iterator{pull: pull}}
}

// iter returns an iterator over v, false if v is not iterable.
func (st *state) iter(v Value) (iterator, bool) {
	switch x := v.(type) {
	case *List:
		return iterator{items: x.items}, true
	case *Tuple:
		return iterator{items: x.items}, true
	case *Dict:
		return iterator{items: x.keys}, true
	case *dictView:
		return iterator{view: x}, true
	case *Str:
		return iterator{str: x.plain()}, true
	case *rangeVal:
		return iterator{rng: x}, true
	case *generator:
		return iterator{gen: x}, true
	case *undefined:
		return iterator{}, true
	case *loopVar:
		return iterator{pull: func() (Value, bool) {
			st.dive(1)
			v, ok := x.next()
			st.rise(1)
			if !ok {
				return nil, false
			}
			return newTuple(v, x), true
		}}, true
	}
	return iterator{}, false
}

func (st *state) mustIter(v Value) iterator {
	it, ok := st.iter(v)
	if !ok {
		typeError("%s object is not iterable", quote(v.typeName()))
	}
	return it
}

// drain returns what is left of an iterator.
func (st *state) drain(it *iterator) []Value {
	var out []Value
	for {
		v, ok := it.next()
		if !ok {
			return out
		}
		st.step()
		st.growList(1)
		out = append(out, v)
	}
}

// items returns the items of an iterable; the result must not be written to.
func (st *state) items(v Value) []Value {
	switch x := v.(type) {
	case *List:
		return x.items
	case *Tuple:
		return x.items
	case *Dict:
		return x.keys
	}
	it := st.mustIter(v)
	return st.drain(&it)
}

// length is Python's len, false for what has none.
func (st *state) length(v Value) (int, bool) {
	switch x := v.(type) {
	case *Str:
		return x.count(), true
	case *List:
		return len(x.items), true
	case *Tuple:
		return len(x.items), true
	case *Dict:
		return len(x.keys), true
	case *dictView:
		return len(x.d.keys), true
	case *rangeVal:
		return x.n, true
	case *undefined:
		return 0, true
	case *loopVar:
		return x.len(), true
	}
	return 0, false
}

// truth is Python's bool.
func truth(v Value) bool {
	switch x := v.(type) {
	case Bool:
		return bool(x)
	case *Str:
		return x.s != ""
	case noneType, *undefined:
		return false
	case Int:
		return x != 0
	case Float:
		return x != 0
	case *List:
		return len(x.items) > 0
	case *Tuple:
		return len(x.items) > 0
	case *Dict:
		return len(x.keys) > 0
	case *dictView:
		return len(x.d.keys) > 0
	case *rangeVal:
		return x.n > 0
	case *loopVar:
		return x.len() > 0
	}
	return true
}
