package jinja

func (n *output) exec(st *state) signal {
	for i, x := range n.items {
		if d, ok := x.(*data); ok {
			st.out.raw(d.text)
			continue
		}
		st.line = n.lines[i]
		v := x.eval(st)
		switch {
		case n.escape.active(st):
			st.out.str(escape(st, v))
		default:
			st.write(st.out, v)
		}
		st.wrote()
	}
	return sigNone
}

func (n *assign) exec(st *state) signal {
	st.line = n.line
	checkNamespaces(st, n.target)
	st.assign(n.target, n.value.eval(st))
	st.exportAll(n.export)
	return sigNone
}

func (st *state) exportAll(list []export) {
	for _, e := range list {
		st.ctx.export(e.name, st.load(e.ref))
	}
}

// checkNamespaces refuses ns.x = … for what is no namespace, before the right side is evaluated.
func checkNamespaces(st *state, target expr) {
	switch t := target.(type) {
	case *nsTarget:
		if _, ok := st.load(t.ref).(*namespace); !ok {
			raise("TemplateRuntimeError", "cannot assign attribute on non-namespace object")
		}
	case *tupleLit:
		for _, i := range t.items {
			checkNamespaces(st, i)
		}
	}
}

// assign stores v in a target.
func (st *state) assign(target expr, v Value) {
	switch t := target.(type) {
	case *name:
		st.store(t.ref, v)
	case *nsTarget:
		ns, ok := st.load(t.ref).(*namespace)
		if !ok {
			raise("TemplateRuntimeError", "cannot assign attribute on non-namespace object")
		}
		ns.attrs.put(t.attr, v)
	case *tupleLit:
		st.unpack(t, v)
	}
}

func (st *state) unpack(t *tupleLit, v Value) {
	if p, ok := v.(*Tuple); ok && len(p.items) == len(t.items) {
		for i, x := range t.items {
			st.assign(x, p.items[i])
		}
		return
	}
	it, ok := st.iter(v)
	if !ok {
		typeError("cannot unpack non-iterable %s object", v.typeName())
	}
	items := make([]Value, 0, len(t.items))
	for {
		x, ok := it.next()
		if !ok {
			break
		}
		if len(items) == len(t.items) {
			valueError("too many values to unpack (expected %d)", len(t.items))
		}
		items = append(items, x)
	}
	if len(items) < len(t.items) {
		valueError("not enough values to unpack (expected %d, got %d)", len(t.items), len(items))
	}
	for i, x := range t.items {
		st.assign(x, items[i])
	}
}

func (n *assignBlock) exec(st *state) signal {
	st.line = n.line
	st.enter(&n.scope)
	s, sig := st.capture(func() signal { return st.body(n.body) })
	if sig != sigNone {
		return sig
	}
	var v Value = s
	if n.filter != nil {
		v = n.filter.applyChain(st, st.autoSafe(s))
	}
	if st.autoescape {
		v = st.str(v).safe()
	}
	st.assign(n.target, v)
	st.exportAll(n.export)
	st.leave(&n.scope)
	return sigNone
}

// autoSafe is s as Markup under {% autoescape true %}.
func (st *state) autoSafe(s *Str) *Str {
	if st.autoescape {
		return s.safe()
	}
	return s
}

func (n *ifStmt) exec(st *state) signal {
	st.line = n.line
	if truth(n.test.eval(st)) {
		return st.body(n.body)
	}
	for _, e := range n.elif {
		st.line = e.line
		if truth(e.test.eval(st)) {
			return st.body(e.body)
		}
	}
	return st.body(n.alt)
}

func (n *filterBlock) exec(st *state) signal {
	st.line = n.line
	st.enter(&n.scope)
	s, sig := st.capture(func() signal { return st.body(n.body) })
	if sig != sigNone {
		return sig
	}
	st.write(st.out, n.filter.applyChain(st, st.autoSafe(s)))
	st.wrote()
	st.leave(&n.scope)
	return sigNone
}

func (n *withStmt) exec(st *state) signal {
	st.line = n.line
	st.enter(&n.scope)
	for i, t := range n.targets {
		st.assign(t, n.values[i].eval(st))
	}
	sig := st.body(n.body)
	st.leave(&n.scope)
	return sig
}

func (n *autoescape) exec(st *state) signal {
	st.line = n.line
	st.enter(&n.scope)
	old := st.autoescape
	st.autoescape = truth(n.on.eval(st))
	sig := st.body(n.body)
	if sig == sigNone {
		st.autoescape = old
	}
	st.leave(&n.scope)
	return sig
}

func (*breakStmt) exec(*state) signal    { return sigBreak }
func (*continueStmt) exec(*state) signal { return sigContinue }

func (n *absent) exec(st *state) signal {
	st.line = n.line
	n.x.eval(st)
	typeError("no loader for this environment specified")
	return sigNone
}
