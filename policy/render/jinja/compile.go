package jinja

import (
	"maps"
	"slices"
)

// scopeCode is what entering and leaving a scope does to variables.
type scopeCode struct {
	enter []loadCode
	leave []int
}

type loadCode struct {
	kind loadKind
	slot int
	from ref
	name string
}

// export is a variable that other functions find by its name.
type export struct {
	name string
	ref  ref
}

type blockCode struct {
	fn          *function
	scope       scopeCode
	body        []stmt
	self, super int // slots; -1 where unused
}

// frame is Jinja's compile-time frame.
type frame struct {
	sym      *scope
	fn       *function
	toplevel bool // the root, not inside a scope
	soft     bool // under a condition: unknown filters fail only when reached
	escape   escaping
}

func (f frame) inner(fn *function) frame {
	return frame{sym: newScope(f.sym, fn, f.sym.level+1), fn: fn, escape: f.escape}
}

func (f frame) softened() frame {
	f.soft = true
	return f
}

// maxLoops is how deep loops nest in a function CPython compiles.
const maxLoops = 20

type compiler struct {
	blocks map[string]*block
	order  []*block
}

// program is a compiled template.
type program struct {
	fn     *function
	scope  scopeCode
	self   int
	body   []stmt
	blocks map[string]*block
}

func compile(body []stmt) (prog *program, err error) {
	defer func() {
		if p := recover(); p != nil {
			prog, err = nil, syntaxFault(p, 0)
		}
	}()
	c := &compiler{blocks: map[string]*block{}}
	fn := newFunction(nil)
	fr := frame{sym: newScope(nil, fn, 0), fn: fn, toplevel: true}
	prog = &program{fn: fn, self: -1, body: body, blocks: c.blocks}
	c.findBlocks(body)
	if undeclared(body, "self")["self"] {
		prog.self = fn.slot(fr.sym.param("self").id)
	}
	fr.sym.mentionAll(body)
	c.stmts(body, fr)
	prog.scope = c.code(fr.sym)
	for _, b := range c.order {
		c.blockBody(b)
	}
	return prog, nil
}

func (c *compiler) findBlocks(body []stmt) {
	var visit func(n node)
	visit = func(n node) {
		if b, ok := n.(*block); ok {
			if c.blocks[b.name] != nil {
				failSyntax(b.line, "block %s defined twice", quote(b.name))
			}
			c.blocks[b.name] = b
			c.order = append(c.order, b)
		}
		n.children(visit)
	}
	walkStmts(body, visit)
}

func (c *compiler) blockBody(b *block) {
	fn := newFunction(nil)
	fr := frame{sym: newScope(nil, fn, 0), fn: fn}
	code := &blockCode{fn: fn, body: b.body, self: -1, super: -1}
	used := undeclared(b.body, "self", "super")
	if used["self"] {
		code.self = fn.slot(fr.sym.param("self").id)
	}
	if used["super"] {
		code.super = fn.slot(fr.sym.param("super").id)
	}
	fr.sym.mentionAll(b.body)
	c.stmts(b.body, fr)
	code.scope = c.code(fr.sym)
	b.code = code
}

// code returns what entering and leaving a scope does.
func (c *compiler) code(s *scope) scopeCode {
	var code scopeCode
	for _, v := range s.order {
		l := s.loads[v]
		slot := v.fn.slot(v.id)
		code.leave = append(code.leave, slot)
		if l.kind == loadParam {
			continue
		}
		lc := loadCode{kind: l.kind, slot: slot, name: l.param}
		if l.kind == loadAlias {
			lc.from = l.from.from(s.fn)
		}
		code.enter = append(code.enter, lc)
	}
	return code
}

func (c *compiler) ref(id string, fr frame) ref {
	v, ok := fr.sym.find(id)
	if !ok {
		failSyntax(0, "the name %s is unknown to its scope", quote(id))
	}
	return v.from(fr.fn)
}

func (c *compiler) stmts(body []stmt, fr frame) {
	for _, s := range body {
		c.stmt(s, fr)
	}
}

func (c *compiler) stmt(s stmt, fr frame) {
	switch n := s.(type) {
	case *output:
		n.escape = fr.escape
		c.exprs(n.items, fr)
	case *assign:
		c.expr(n.target, fr)
		c.expr(n.value, fr)
		n.export = c.exports(n.target, fr)
	case *assignBlock:
		c.assignBlock(n, fr)
	case *ifStmt:
		soft := fr.softened()
		c.expr(n.test, soft)
		c.stmts(n.body, soft)
		for _, e := range n.elif {
			c.stmt(e, soft)
		}
		c.stmts(n.alt, soft)
	case *forStmt:
		c.loop(n, fr)
	case *macroStmt:
		c.macro(n.def, fr)
		n.ref = c.ref(n.name, fr)
		n.export = fr.toplevel
	case *callBlock:
		c.macro(n.def, fr)
		if n.call != nil {
			c.expr(n.call, fr)
		}
	case *filterBlock:
		in := fr.inner(fr.fn)
		in.sym.mentionAll(n.body)
		in.sym.mention(n.filter)
		c.stmts(n.body, in)
		c.expr(n.filter, in)
		n.scope = c.code(in.sym)
	case *withStmt:
		in := fr.inner(fr.fn)
		for _, t := range n.targets {
			in.sym.paramTarget(t)
		}
		in.sym.mentionAll(n.body)
		c.exprs(n.targets, in)
		c.exprs(n.values, fr)
		c.stmts(n.body, in)
		n.scope = c.code(in.sym)
	case *autoescape:
		in := fr.inner(fr.fn)
		in.sym.mention(n.on)
		in.sym.mentionAll(n.body)
		c.expr(n.on, in)
		in.escape = escapeDynamic
		if k, ok := n.on.(*constant); ok {
			in.escape = escapeOff
			if truth(k.val) {
				in.escape = escapeOn
			}
		}
		c.stmts(n.body, in)
		n.scope = c.code(in.sym)
	case *block:
		if n.scoped {
			n.locals = c.locals(fr)
		}
	case *breakStmt:
		c.inLoop(fr, n.line, "'break' outside loop")
	case *continueStmt:
		c.inLoop(fr, n.line, "'continue' not properly in loop")
	case *absent:
		if n.tag == "extends" && !fr.toplevel {
			failSyntax(n.line, "cannot use extend from a non top-level scope")
		}
		c.expr(n.x, fr)
	}
}

func (c *compiler) inLoop(fr frame, line int, msg string) {
	if fr.fn.loops == 0 {
		failSyntax(line, "%s", msg)
	}
}

// exports lists what a top-level assignment adds to the context.
func (c *compiler) exports(target expr, fr frame) []export {
	if !fr.toplevel {
		return nil
	}
	var out []export
	var visit func(x expr)
	visit = func(x expr) {
		switch x := x.(type) {
		case *name:
			out = append(out, export{name: x.id, ref: x.ref})
		case *tupleLit:
			for _, i := range x.items {
				visit(i)
			}
		}
	}
	visit(target)
	return out
}

// locals lists the variables a scoped block sees.
func (c *compiler) locals(fr frame) []export {
	seen := map[string]bool{}
	for s := fr.sym; s != nil; s = s.parent {
		maps.Copy(seen, s.stores)
	}
	var out []export
	for _, n := range slices.Sorted(maps.Keys(seen)) {
		out = append(out, export{name: n, ref: c.ref(n, fr)})
	}
	return out
}

func (c *compiler) assignBlock(n *assignBlock, fr frame) {
	in := fr.inner(fr.fn)
	in.sym.mentionAll(n.body)
	c.stmts(n.body, in)
	c.expr(n.target, fr)
	if n.filter != nil {
		c.expr(n.filter, in)
	}
	n.scope = c.code(in.sym)
	n.export = c.exports(n.target, fr)
}

func (c *compiler) loop(n *forStmt, fr frame) {
	fn := fr.fn
	if n.recursive {
		fn = newFunction(fr.fn)
		n.fn = fn
	}
	in, alt := fr.inner(fn), fr.inner(fn)
	scoped := false
	var visit func(x node)
	visit = func(x node) {
		switch x := x.(type) {
		case *block:
			scoped = scoped || x.scoped
		case *forStmt:
			c.notLoop(x.target, x.line)
		case *assign:
			c.notLoop(x.target, x.line)
		case *assignBlock:
			c.notLoop(x.target, x.line)
		}
		x.children(visit)
	}
	visit(n)
	n.extended = n.recursive || scoped || undeclared(n.body, "loop")["loop"]
	if n.extended {
		n.loop = in.sym.param("loop").from(fn)
	}
	in.sym.paramTarget(n.target)
	in.sym.mentionAll(n.body)
	alt.sym.mentionAll(n.alt)
	if n.test != nil {
		n.testFn = newFunction(fr.fn)
		t := fr.inner(n.testFn)
		t.sym.paramTarget(n.testTo)
		t.sym.mention(n.test)
		c.expr(n.testTo, t)
		c.expr(n.test, t)
		n.testScope = c.code(t.sym)
	}
	c.expr(n.target, in)
	c.expr(n.iter, fr)
	if fn.loops++; fn.loops > maxLoops {
		failSyntax(n.line, "too many statically nested blocks")
	}
	c.stmts(n.body, in)
	fn.loops--
	c.stmts(n.alt, alt)
	n.bodyScope, n.scope = c.code(in.sym), c.code(alt.sym)
}

func (c *compiler) notLoop(target expr, line int) {
	switch x := target.(type) {
	case *name:
		if x.id == "loop" {
			failSyntax(line, "Can't assign to special loop variable in for-loop target")
		}
	case *tupleLit:
		for _, i := range x.items {
			c.notLoop(i, line)
		}
	}
}

func (c *compiler) macro(def *macroDef, fr frame) {
	def.fn = newFunction(fr.fn)
	in := fr.inner(def.fn)
	mention := func() {
		for _, p := range def.params {
			in.sym.param(p.id)
		}
		for _, d := range def.defaults {
			in.sym.mention(d)
		}
		in.sym.mentionAll(def.body)
	}
	mention()
	used := undeclared(def.body, "caller", "kwargs", "varargs")
	explicit := map[string]int{}
	for i, p := range def.params {
		explicit[p.id] = i
		def.slots = append(def.slots, def.fn.slot(ident{level: in.sym.level, name: p.id}))
		def.paramNames = append(def.paramNames, p.id)
	}
	special := func(id string) int {
		if !used[id] {
			return -1
		}
		if i, ok := explicit[id]; ok {
			if id == "caller" && i < len(def.params)-len(def.defaults) {
				failSyntax(def.line, `When defining macros or call blocks the special "caller" argument must be omitted or be given a default.`)
			}
			return -1
		}
		return def.fn.slot(in.sym.param(id).id)
	}
	def.caller, def.kwargs, def.varargs = special("caller"), special("kwargs"), special("varargs")
	_, def.explicitCaller = explicit["caller"]
	def.accessesCaller = used["caller"]
	mention()
	for _, d := range def.defaults {
		c.expr(d, in)
	}
	c.stmts(def.body, in)
	def.scope = c.code(in.sym)
}

func (c *compiler) exprs(xs []expr, fr frame) {
	for _, x := range xs {
		c.expr(x, fr)
	}
}

// expr binds the names, filters and tests of an expression.
func (c *compiler) expr(x expr, fr frame) {
	switch n := x.(type) {
	case *name:
		n.ref, n.missing = c.ref(n.id, fr), &undefined{name: String(n.id)}
		return
	case *nsTarget:
		n.ref = c.ref(n.id, fr)
		return
	case *condExpr:
		fr = fr.softened()
	case *binary:
		n.negated = n.op == "**" && isConstant(n.left) && !isConstant(n.right)
	case *concat:
		n.escape = fr.escape
	case *filterExpr:
		if n.def = filterNamed(n.name); n.def == nil && !fr.soft {
			failSyntax(n.line, "No filter named %s.", quote(n.name))
		}
	case *testExpr:
		if n.def = testNamed(n.name); n.def == nil && !fr.soft {
			failSyntax(n.line, "No test named %s.", quote(n.name))
		}
	}
	x.children(func(y node) { c.expr(y.(expr), fr) })
}

// isConstant tells an expression Jinja folds before it writes Python.
func isConstant(x expr) bool {
	switch n := x.(type) {
	case *constant:
		return true
	case *unary, *binary, *logical, *notExpr, *compare, *concat, *tupleLit, *listLit, *dictLit, *condExpr:
		folds := true
		n.children(func(y node) { folds = folds && isConstant(y.(expr)) })
		return folds
	}
	return false
}
