package jinja

func (n *constant) eval(*state) Value { return n.val }

func (n *data) eval(*state) Value { return text(n.text) }

func (n *name) eval(st *state) Value {
	var v Value
	if n.ref.hops == 0 {
		v = st.fr.vars[n.ref.slot]
	} else {
		v = st.load(n.ref)
	}
	if v == nil {
		return n.missing
	}
	return v
}

func (n *nsTarget) eval(*state) Value { panic("an assignment target has no value") }

func (n *tupleLit) eval(st *state) Value {
	return &Tuple{items: st.evalAll(n.items)}
}

func (n *listLit) eval(st *state) Value {
	return &List{items: st.evalAll(n.items)}
}

func (st *state) evalAll(xs []expr) []Value {
	st.step()
	st.growList(len(xs))
	out := make([]Value, len(xs))
	for i, x := range xs {
		out[i] = x.eval(st)
	}
	return out
}

func (n *dictLit) eval(st *state) Value {
	st.step()
	st.growList(2 * len(n.keys))
	d := NewDict(len(n.keys))
	for i, k := range n.keys {
		key := k.eval(st)
		v := n.vals[i].eval(st)
		st.setItem(d, key, v)
	}
	return d
}

// setItem stores under any key, or raises for an unhashable one.
func (st *state) setItem(d *Dict, key, v Value) {
	if _, ok := key.(*Str); !ok {
		if _, ok := hashKey(key, 0); !ok {
			typeError("unhashable type: %s", quote(key.typeName()))
		}
	}
	d.put(key, v)
}

func (n *condExpr) eval(st *state) Value {
	st.step()
	if truth(n.test.eval(st)) {
		return n.yes.eval(st)
	}
	if n.no == nil {
		return &undefined{hint: "the inline if-expression evaluated to false and no else section was defined."}
	}
	return n.no.eval(st)
}

func (n *logical) eval(st *state) Value {
	st.step()
	v := n.left.eval(st)
	if truth(v) == n.or {
		return v
	}
	return n.right.eval(st)
}

func (n *notExpr) eval(st *state) Value {
	return Bool(!truth(n.x.eval(st)))
}

func (n *binary) eval(st *state) Value {
	st.step()
	l := n.left.eval(st)
	r := n.right.eval(st)
	if n.negated && st.compareNumber(l, "<") {
		return st.unaryOp("-", st.binaryOp(n.op, st.unaryOp("-", l), r))
	}
	return st.binaryOp(n.op, l, r)
}

// compareNumber tells whether v op 0 holds for a number.
func (st *state) compareNumber(v Value, op string) bool {
	c, ok := compareNumbers(v, Int(0))
	return ok && holds(op, c)
}

func (n *unary) eval(st *state) Value {
	st.step()
	return st.unaryOp(n.op, n.x.eval(st))
}

func (n *compare) eval(st *state) Value {
	st.step()
	l := n.first.eval(st)
	for i, op := range n.ops {
		r := n.rest[i].eval(st)
		if !st.compareOp(op, l, r) {
			return Bool(false)
		}
		l = r
	}
	return Bool(true)
}

func (n *concat) eval(st *state) Value {
	st.step()
	if n.escape == escapeOn {
		return st.markupJoin(n.items)
	}
	b := st.scratch()
	for _, x := range n.items {
		st.write(b, x.eval(st))
	}
	return st.built(b)
}

// markupJoin is ~ under {% autoescape true %}: the first Markup among the parts makes all of them escaped.
func (st *state) markupJoin(items []expr) Value {
	parts := make([]*Str, len(items))
	markup := false
	for i, x := range items {
		parts[i] = st.str(x.eval(st))
		markup = markup || parts[i].markup
	}
	var b builder
	for _, p := range parts {
		if markup {
			p = escape(st, p)
		}
		b.str(p)
		st.checkSize(&b)
	}
	st.grow(len(b.buf))
	if markup {
		return b.take().safe()
	}
	return b.take()
}

func (n *getAttr) eval(st *state) Value {
	st.step()
	return st.getAttr(n.x.eval(st), n.attr)
}

func (n *getItem) eval(st *state) Value {
	st.step()
	x := n.x.eval(st)
	return st.getItem(x, n.key.eval(st))
}

func (n *slicing) eval(st *state) Value {
	st.step()
	x := n.x.eval(st)
	var parts [3]Value
	for i, e := range []expr{n.start, n.stop, n.step} {
		if e == nil {
			parts[i] = None
			continue
		}
		parts[i] = e.eval(st)
	}
	return st.slice(x, parts[0], parts[1], parts[2])
}

func (n *call) eval(st *state) Value { return n.invoke(st, nil) }

// invoke calls; caller, where not nil, is passed as the keyword of that name.
func (n *call) invoke(st *state, caller Value) Value {
	st.step()
	var fn Value
	if g, ok := n.fn.(*getAttr); ok {
		x := g.x.eval(st)
		// The common case, a method of a built-in type, needs no bound method.
		if m := st.methodOf(x, g.attr.s); m != nil && caller == nil {
			base := len(st.stack)
			a := st.args(&n.args, nil)
			st.line = n.line
			v := m.call(st, x, a)
			st.stack = st.stack[:base]
			return v
		}
		fn = st.getAttr(x, g.attr)
	} else {
		fn = n.fn.eval(st)
	}
	base := len(st.stack)
	a := st.args(&n.args, caller)
	st.line = n.line
	v := st.call(fn, a)
	st.stack = st.stack[:base]
	return v
}

// call calls any value.
func (st *state) call(fn Value, a args) Value {
	switch f := fn.(type) {
	case *builtin:
		return f.call(st, a)
	case *method:
		return f.call(st, a)
	case *macro:
		return f.call(st, a)
	case *loopVar:
		return f.call(st, a)
	case *blockRef:
		return f.call(st, a)
	case *joiner:
		return f.call(st, a)
	case *undefined:
		failUndefined(f)
	}
	typeError("%s object is not callable", quote(fn.typeName()))
	return nil
}

func callable(v Value) bool {
	switch v.(type) {
	case *builtin, *method, *macro, *loopVar, *blockRef, *joiner, *undefined:
		return true
	}
	return false
}

func (n *filterExpr) eval(st *state) Value {
	st.step()
	v := n.x.eval(st)
	return n.apply(st, v)
}

func (n *filterExpr) apply(st *state, v Value) Value {
	base := len(st.stack)
	a := st.args(&n.args, nil)
	st.line = n.line
	if n.def == nil {
		raise("TemplateRuntimeError", "No filter named %s found.", quote(n.name))
	}
	r := n.def.call(st, v, a)
	st.stack = st.stack[:base]
	return r
}

// applyChain applies a chain whose innermost filter has no operand: the one of a filter or set block.
func (n *filterExpr) applyChain(st *state, v Value) Value {
	if in, ok := n.x.(*filterExpr); ok {
		v = in.applyChain(st, v)
	}
	return n.apply(st, v)
}

func (n *testExpr) eval(st *state) Value {
	st.step()
	v := n.x.eval(st)
	base := len(st.stack)
	a := st.args(&n.args, nil)
	if n.def == nil {
		raise("TemplateRuntimeError", "No test named %s found.", quote(n.name))
	}
	r := n.def.call(st, v, a)
	st.stack = st.stack[:base]
	return Bool(r)
}
