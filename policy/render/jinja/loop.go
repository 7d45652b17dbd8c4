package jinja

// loopVar is the loop variable. It looks one item ahead only when asked to, as Jinja's does: looking ahead runs filters.
type loopVar struct {
	st      *state
	src     Value
	it      iterator
	index0  int
	length  int // -1 while unknown
	after   Value
	current Value
	before  Value
	changed []Value
	marked  bool // changed was set
	depth0  int
	node    *forStmt
	env     *activation // where a recursive loop was entered
}

func (*loopVar) typeName() string { return "LoopContext" }

func (l *loopVar) next() (Value, bool) {
	v := l.after
	if v != nil {
		l.after = nil
	} else {
		var ok bool
		if v, ok = l.it.next(); !ok {
			return nil, false
		}
	}
	l.index0++
	l.before, l.current = l.current, v
	return v, true
}

func (l *loopVar) peek() Value {
	if l.after == nil {
		if v, ok := l.it.next(); ok {
			l.after = v
		}
	}
	return l.after
}

func (l *loopVar) len() int {
	if l.length >= 0 {
		return l.length
	}
	l.st.dive(1) // a loop may run over a loop
	n, ok := l.st.length(l.src)
	l.st.rise(1)
	if ok {
		l.length = n
		return n
	}
	rest := l.st.drain(&l.it)
	l.it = iterator{items: rest}
	l.length = len(rest) + l.index0 + 1
	if l.after != nil {
		l.length++
	}
	return l.length
}

// attr returns an attribute, nil where there is none.
func (l *loopVar) attr(name string) Value {
	switch name {
	case "index0":
		return intValue(l.index0)
	case "index":
		return intValue(l.index0 + 1)
	case "first":
		return Bool(l.index0 == 0)
	case "last":
		return Bool(l.peek() == nil)
	case "length":
		return intValue(l.len())
	case "revindex":
		return intValue(l.len() - l.index0)
	case "revindex0":
		return intValue(l.len() - l.index0 - 1)
	case "depth":
		return intValue(l.depth0 + 1)
	case "depth0":
		return intValue(l.depth0)
	case "previtem":
		if l.index0 == 0 {
			return &undefined{hint: "there is no previous item"}
		}
		return l.before
	case "nextitem":
		if v := l.peek(); v != nil {
			return v
		}
		return &undefined{hint: "there is no next item"}
	case "cycle":
		return &method{self: l, name: "cycle", call: l.cycle}
	case "changed":
		return &method{self: l, name: "changed", call: l.didChange}
	}
	return nil
}

func (l *loopVar) cycle(_ *state, a args) Value {
	a.noNames("cycle")
	if len(a.pos) == 0 {
		typeError("no items for cycling given")
	}
	return a.pos[l.index0%len(a.pos)]
}

func (l *loopVar) didChange(st *state, a args) Value {
	a.noNames("changed")
	if l.marked && len(a.pos) == len(l.changed) {
		same := true
		for i, v := range a.pos {
			same = same && st.equal(v, l.changed[i])
		}
		if same {
			return Bool(false)
		}
	}
	l.marked, l.changed = true, append([]Value(nil), a.pos...)
	return Bool(true)
}

// call renders the body of a recursive loop over other items.
func (l *loopVar) call(st *state, a args) Value {
	items := bind("loop", a, nil, []string{"iterable"}, 1)[0]
	if !l.node.recursive {
		typeError("The loop must have the 'recursive' marker to be called recursively.")
	}
	return l.node.recurse(st, items, l.depth0+1, l.env)
}

func (n *forStmt) exec(st *state) signal {
	st.line = n.line
	src := n.iter.eval(st)
	if n.recursive {
		st.out.str(n.recurse(st, src, 0, st.fr))
		return sigNone
	}
	return n.run(st, src, 0, nil, st.fr)
}

// recurse is Jinja's loop function: it returns what the loop writes.
func (n *forStmt) recurse(st *state, src Value, depth int, env *activation) *Str {
	st.dive(callFrames)
	outer := st.fr
	s, _ := st.capture(func() signal {
		st.fr = newActivation(n.fn, env)
		return n.run(st, src, depth, env, env)
	})
	st.fr = outer
	st.rise(callFrames)
	return st.autoSafe(s)
}

func (n *forStmt) run(st *state, src Value, depth int, env, testEnv *activation) signal {
	it := st.mustIter(src)
	if n.test != nil {
		it = iterator{pull: n.filtered(st, it, testEnv)}
		src = &generator{st: st, name: "generator", it: it}
	}
	if n.extended {
		return n.runExtended(st, &loopVar{st: st, src: src, it: it, index0: -1, length: -1, depth0: depth, node: n, env: env})
	}
	empty := true
	for {
		v, ok := it.next()
		if !ok {
			break
		}
		sig := n.once(st, v)
		empty = empty && sig != sigNone
		if sig == sigBreak {
			break
		}
	}
	return n.end(st, empty)
}

func (n *forStmt) runExtended(st *state, l *loopVar) signal {
	empty := true
	for {
		v, ok := l.next()
		if !ok {
			break
		}
		st.fr.vars[n.loop.slot] = l
		sig := n.once(st, v)
		empty = empty && sig != sigNone
		if sig == sigBreak {
			break
		}
	}
	return n.end(st, empty)
}

// once runs the body with one item.
func (n *forStmt) once(st *state, v Value) signal {
	st.step()
	st.line = n.line
	st.assign(n.target, v)
	st.enter(&n.bodyScope)
	return st.body(n.body)
}

// end runs the else branch where no iteration got to the end of the body: Jinja runs it after an early break or continue
// too.
func (n *forStmt) end(st *state, empty bool) signal {
	st.leave(&n.bodyScope)
	if !empty || n.alt == nil {
		return sigNone
	}
	st.enter(&n.scope)
	sig := st.body(n.alt)
	st.leave(&n.scope)
	return sig
}

// filtered returns the items that pass the loop's condition, evaluated as they are asked for.
func (n *forStmt) filtered(st *state, it iterator, env *activation) func() (Value, bool) {
	fr := newActivation(n.testFn, env)
	started := false
	return func() (Value, bool) {
		outer := st.fr
		if !started {
			st.fr = fr
			st.enter(&n.testScope)
			st.fr, started = outer, true
		}
		for {
			v, ok := it.next()
			if !ok {
				return nil, false
			}
			st.step()
			st.fr = fr
			st.assign(n.testTo, v)
			pass := truth(n.test.eval(st))
			st.fr = outer
			if pass {
				return v, true
			}
		}
	}
}
