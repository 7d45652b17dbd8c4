package jinja

// test is a test by its Jinja name.
type test struct {
	name string
	call func(st *state, v Value, a args) bool
}

// tests is the table of all tests; state carries it to the filters that look them up by name.
var tests = func() map[string]*test {
	t := map[string]*test{}
	add := func(id string, params []string, required int, f func(st *state, v Value, a []Value) bool) {
		t[id] = &test{name: id, call: func(st *state, v Value, a args) bool {
			return f(st, v, bind(id, a, nil, params, required))
		}}
	}
	kindTests(add)
	valueTests(add)
	for _, op := range []struct{ op, names string }{
		{"==", "== eq equalto"}, {"!=", "!= ne"}, {">", "> gt greaterthan"}, {">=", ">= ge"}, {"<", "< lt lessthan"},
		{"<=", "<= le"},
	} {
		for _, id := range split(text(op.names), None, -1) {
			add(id.s, []string{"other"}, 1, func(st *state, v Value, a []Value) bool { return st.compareOp(op.op, v, a[0]) })
		}
	}
	return t
}()

func testNamed(id string) *test { return tests[id] }

type addTest = func(id string, params []string, required int, f func(st *state, v Value, a []Value) bool)

func kindTests(add addTest) {
	kind := func(id string, f func(v Value) bool) {
		add(id, nil, 0, func(_ *state, v Value, _ []Value) bool { return f(v) })
	}
	kind("defined", func(v Value) bool { _, ok := v.(*undefined); return !ok })
	kind("undefined", func(v Value) bool { _, ok := v.(*undefined); return ok })
	kind("none", func(v Value) bool { return v == None })
	kind("boolean", func(v Value) bool { _, ok := v.(Bool); return ok })
	kind("true", func(v Value) bool { return v == Value(Bool(true)) })
	kind("false", func(v Value) bool { return v == Value(Bool(false)) })
	kind("float", func(v Value) bool { _, ok := v.(Float); return ok })
	kind("string", func(v Value) bool { _, ok := v.(*Str); return ok })
	kind("mapping", func(v Value) bool { _, ok := v.(*Dict); return ok })
	kind("escaped", func(v Value) bool { s, ok := v.(*Str); return ok && s.markup })
	kind("callable", callable)
	kind("integer", func(v Value) bool {
		_, small := v.(Int)
		_, big := v.(*BigInt)
		return small || big
	})
	kind("number", func(v Value) bool {
		switch v.(type) {
		case Int, Bool, Float, *BigInt:
			return true
		}
		return false
	})
	kind("sequence", func(v Value) bool {
		switch v.(type) {
		case *Str, *List, *Tuple, *Dict, *rangeVal, *undefined:
			return true
		}
		return false
	})
	add("iterable", nil, 0, func(st *state, v Value, _ []Value) bool { _, ok := st.iter(v); return ok })
}

func valueTests(add addTest) {
	remainder := func(st *state, v, by Value) Value { return st.binaryOp("%", v, by) }
	add("odd", nil, 0, func(st *state, v Value, _ []Value) bool { return st.equal(remainder(st, v, Int(2)), Int(1)) })
	add("even", nil, 0, func(st *state, v Value, _ []Value) bool { return st.equal(remainder(st, v, Int(2)), Int(0)) })
	add("divisibleby", []string{"num"}, 1, func(st *state, v Value, a []Value) bool {
		return st.equal(remainder(st, v, a[0]), Int(0))
	})
	add("lower", nil, 0, func(st *state, v Value, _ []Value) bool { return strIsLower(st.str(v).s) })
	add("upper", nil, 0, func(st *state, v Value, _ []Value) bool { return strIsUpper(st.str(v).s) })
	add("sameas", []string{"other"}, 1, func(_ *state, v Value, a []Value) bool { return v == a[0] })
	add("in", []string{"seq"}, 1, func(st *state, v Value, a []Value) bool { return st.contains(a[0], v) })
	add("filter", nil, 0, func(st *state, v Value, _ []Value) bool {
		s, ok := v.(*Str)
		if !ok {
			st.needHashable(v)
		}
		return ok && st.filters[s.s] != nil
	})
	add("test", nil, 0, func(st *state, v Value, _ []Value) bool {
		s, ok := v.(*Str)
		if !ok {
			st.needHashable(v)
		}
		return ok && st.tests[s.s] != nil
	})
}
