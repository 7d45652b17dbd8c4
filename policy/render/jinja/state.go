package jinja

import "time"

// state is one render under way.
type state struct {
	prog       *program
	ctx        context
	fr         *activation
	out        *builder
	now        time.Time
	limits     Limits
	line       int
	steps      int
	depth      int
	bytes      int
	autoescape bool
	stack      []Value // arguments of the calls under way
	spare      []*builder
	filters    map[string]*filter
	tests      map[string]*test
	strMethods map[string]*methodDef
}

// activation is a running function's variables; parent is that of the function it was defined in.
type activation struct {
	vars   []Value // nil is Jinja's "missing"
	parent *activation
}

func newActivation(fn *function, parent *activation) *activation {
	return &activation{vars: make([]Value, len(fn.vars)), parent: parent}
}

// context is where names are looked up that no scope of the template defines.
type context struct {
	set  map[string]Value // the template's own top-level names
	vars Vars
}

func (c *context) lookup(name string) Value {
	if v, ok := c.set[name]; ok {
		return v
	}
	if v, ok := c.vars[name]; ok && v != nil {
		return v
	}
	return globalNamed(name)
}

func (c *context) export(name string, v Value) {
	if c.set == nil {
		c.set = map[string]Value{}
	}
	c.set[name] = v
}

// step counts one unit of work.
func (st *state) step() {
	if st.steps++; st.steps > st.limits.Steps {
		st.exceeded("Steps", st.limits.Steps)
	}
}

// work counts n units of work at once: what a builtin does in a loop of its own.
func (st *state) work(n int) {
	if st.steps += n; st.steps > st.limits.Steps || n < 0 {
		st.exceeded("Steps", st.limits.Steps)
	}
}

// scanned is how many bytes a builtin may look at for one step.
const scanned = 64

// grow counts bytes that are about to be built.
func (st *state) grow(n int) {
	if st.bytes += n; st.bytes > st.limits.Bytes || n < 0 {
		st.exceeded("Bytes", st.limits.Bytes)
	}
}

// growText counts a text that is about to be built, and refuses one that is too long.
func (st *state) growText(n int) {
	if n > st.limits.Output || n < 0 {
		st.exceeded("Output", st.limits.Output)
	}
	st.grow(n)
}

// rewriting counts a text that is copied byte by byte and may become factor times as long; where that is much, before it
// does.
func (st *state) rewriting(n, factor int) {
	st.work(n / 16)
	if n > 1<<20 {
		st.growText(n * factor)
	}
}

// valueSize is what a list's slot counts as: its bytes, and as many again for what the collector does with a pointer.
const valueSize = 32

func (st *state) growList(n int) { st.grow(n * valueSize) }

func (st *state) exceeded(limit string, at int) {
	panic(fault{&LimitError{Limit: limit, Max: at}})
}

// dive enters n levels of nesting; the caller calls st.rise(n) when it returns normally.
func (st *state) dive(n int) {
	if st.depth += n; st.depth > st.limits.Depth {
		st.exceeded("Depth", st.limits.Depth)
	}
}

func (st *state) rise(n int) { st.depth -= n }

// wrote checks the output after something was added to it.
func (st *state) wrote() {
	if len(st.out.buf) > st.limits.Output {
		st.exceeded("Output", st.limits.Output)
	}
}

func (st *state) load(r ref) Value {
	a := st.fr
	for range r.hops {
		a = a.parent
	}
	return a.vars[r.slot]
}

func (st *state) store(r ref, v Value) {
	a := st.fr
	for range r.hops {
		a = a.parent
	}
	a.vars[r.slot] = v
}

func (st *state) enter(c *scopeCode) {
	for i := range c.enter {
		l := &c.enter[i]
		switch l.kind {
		case loadResolve:
			st.fr.vars[l.slot] = st.ctx.lookup(l.name)
		case loadAlias:
			st.fr.vars[l.slot] = st.load(l.from)
		default:
			st.fr.vars[l.slot] = nil
		}
	}
}

func (st *state) leave(c *scopeCode) {
	for _, s := range c.leave {
		st.fr.vars[s] = nil
	}
}

func (st *state) root() {
	p := st.prog
	st.fr = newActivation(p.fn, nil)
	if p.self >= 0 {
		st.fr.vars[p.self] = &selfRef{}
	}
	st.enter(&p.scope)
	st.body(p.body)
}

func (st *state) body(body []stmt) signal {
	for _, s := range body {
		st.step()
		if sig := s.exec(st); sig != sigNone {
			return sig
		}
	}
	return sigNone
}

// scratch returns an empty builder; st.built takes it back.
func (st *state) scratch() *builder {
	k := len(st.spare) - 1
	if k < 0 {
		return &builder{}
	}
	b := st.spare[k]
	st.spare = st.spare[:k]
	return b
}

// maxSpare is how large a buffer is kept for later.
const maxSpare = 1 << 20

// built returns what b holds, counts it, and keeps b for later.
func (st *state) built(b *builder) *Str {
	s := b.take()
	st.grow(len(s.s))
	if cap(b.buf) <= maxSpare {
		b.reset()
		st.spare = append(st.spare, b)
	}
	return s
}

// capture runs f with an output of its own and returns what it wrote.
func (st *state) capture(f func() signal) (*Str, signal) {
	outer := st.out
	st.out = st.scratch()
	sig := f()
	s := st.built(st.out)
	st.out = outer
	return s, sig
}
