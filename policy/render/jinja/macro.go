package jinja

// callFrames is how many frames of CPython's stack a macro call takes.
const callFrames = 5

// macro is a macro, or the body of a call block.
type macro struct {
	def *macroDef
	env *activation
}

func (*macro) typeName() string { return "Macro" }

func (m *macro) attr(id string) Value {
	switch id {
	case "name":
		if m.def.name == "" {
			return None
		}
		return text(m.def.name)
	case "arguments":
		t := &Tuple{}
		for _, p := range m.def.paramNames {
			t.items = append(t.items, text(p))
		}
		return t
	case "catch_kwargs":
		return Bool(m.def.kwargs >= 0)
	case "catch_varargs":
		return Bool(m.def.varargs >= 0)
	case "caller":
		return Bool(m.def.accessesCaller)
	case "explicit_caller":
		return Bool(m.def.explicitCaller)
	}
	return nil
}

// bind fills a new activation with the arguments of a call.
func (m *macro) bind(a args) *activation {
	def := m.def
	fr := newActivation(def.fn, m.env)
	used := make([]bool, len(a.named))
	take := func(id string) Value {
		for i, n := range a.names {
			if n == id {
				used[i] = true
				return a.named[i]
			}
		}
		return nil
	}
	n := min(len(a.pos), len(def.slots))
	for i := range n {
		fr.vars[def.slots[i]] = a.pos[i]
	}
	for i := n; i < len(def.slots); i++ {
		fr.vars[def.slots[i]] = take(def.paramNames[i])
	}
	if def.caller >= 0 {
		caller := take("caller")
		if caller == nil || caller == None {
			caller = &undefined{hint: "No caller defined", name: text("caller")}
		}
		fr.vars[def.caller] = caller
	}
	m.bindRest(fr, a, used)
	if def.varargs >= 0 {
		fr.vars[def.varargs] = newTuple(append([]Value(nil), a.pos[n:]...)...)
	} else if len(a.pos) > n {
		typeError("macro %s takes not more than %d argument(s)", m.repr(), len(def.slots))
	}
	return fr
}

func (m *macro) bindRest(fr *activation, a args, used []bool) {
	var kwargs *Dict
	if m.def.kwargs >= 0 {
		kwargs = NewDict(0)
		fr.vars[m.def.kwargs] = kwargs
	}
	for i, id := range a.names {
		switch {
		case used[i]:
		case kwargs != nil:
			kwargs.put(text(id), a.named[i])
		case id == "caller":
			typeError("macro %s was invoked with two values for the special caller argument. This is most likely a bug.", m.repr())
		default:
			typeError("macro %s takes no keyword argument %s", m.repr(), quote(id))
		}
	}
}

func (m *macro) repr() string {
	if m.def.name == "" {
		return "None"
	}
	return quote(m.def.name)
}

// call runs the macro and returns what it wrote.
func (m *macro) call(st *state, a args) Value {
	fr := m.bind(a)
	outer, line := st.fr, st.line
	st.dive(callFrames)
	st.step()
	s, _ := st.capture(func() signal { m.run(st, fr); return sigNone })
	st.rise(callFrames)
	st.fr, st.line = outer, line
	return st.autoSafe(s)
}

// run executes the body in an activation that holds the arguments.
func (m *macro) run(st *state, fr *activation) {
	st.fr = fr
	def := m.def
	st.enter(&def.scope)
	for i, slot := range def.slots {
		if fr.vars[slot] != nil {
			continue
		}
		if k := i - (len(def.slots) - len(def.defaults)); k >= 0 {
			fr.vars[slot] = def.defaults[k].eval(st)
			continue
		}
		id := def.paramNames[i]
		fr.vars[slot] = &undefined{hint: "parameter " + quote(id) + " was not provided", name: text(id)}
	}
	st.body(def.body)
}

func (n *macroStmt) exec(st *state) signal {
	m := &macro{def: n.def, env: st.fr}
	st.store(n.ref, m)
	if n.export {
		st.ctx.export(n.name, m)
	}
	return sigNone
}

func (n *callBlock) exec(st *state) signal {
	st.line = n.line
	caller := &macro{def: n.def, env: st.fr}
	if n.call != nil {
		s, ok := n.call.invoke(st, caller).(*Str)
		if !ok {
			typeError("sequence item 0: expected str instance")
		}
		st.out.str(s)
		st.wrote()
		return sigNone
	}
	// A generation block is a call block whose body is written where it stands.
	fr := caller.bind(args{})
	outer := st.fr
	st.dive(callFrames)
	st.out.gen++
	caller.run(st, fr)
	st.out.gen--
	st.rise(callFrames)
	st.fr = outer
	return sigNone
}

// selfRef is self, whose attributes are the template's blocks.
type selfRef struct{}

func (*selfRef) typeName() string { return "TemplateReference" }

// blockRef is a block that can be called.
type blockRef struct{ block *block }

func (*blockRef) typeName() string { return "BlockReference" }

func (b *blockRef) call(st *state, a args) Value {
	bind(b.block.name, a, nil, nil, 0)
	s, _ := st.capture(func() signal { return b.block.run(st) })
	return st.autoSafe(s)
}

func (n *block) exec(st *state) signal {
	st.line = n.line
	if n.required {
		raise("TemplateRuntimeError", "Required block %s not found", quote(n.name))
	}
	outer := st.ctx
	if n.scoped {
		st.ctx = context{vars: outer.vars, set: map[string]Value{}}
		for k, v := range outer.set {
			st.ctx.set[k] = v
		}
		for _, l := range n.locals {
			if v := st.load(l.ref); v != nil {
				st.ctx.set[l.name] = v
			}
		}
	}
	sig := n.run(st)
	st.ctx = outer
	return sig
}

func (n *block) run(st *state) signal {
	st.dive(callFrames)
	outer := st.fr
	c := n.code
	st.fr = newActivation(c.fn, nil)
	if c.self >= 0 {
		st.fr.vars[c.self] = &selfRef{}
	}
	if c.super >= 0 {
		st.fr.vars[c.super] = &undefined{hint: "there is no parent block called " + quote(n.name) + ".", name: text("super")}
	}
	st.enter(&c.scope)
	sig := st.body(c.body)
	st.fr = outer
	st.rise(callFrames)
	return sig
}
