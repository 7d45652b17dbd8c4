package jinja

import "maps"

// Jinja compiles a template to Python functions and gives every scope of a template names of its own inside them
// (l_<level>_<name>). What a name means therefore follows from a static analysis, which this file repeats: a scope knows
// the names it mentions, and for each how it gets its value when the scope is entered.

// function is one compiled Python function: the template's root, a macro, a block, a loop's filter, a recursive loop.
type function struct {
	parent *function
	vars   map[ident]int
	loops  int // nesting of loops at the point being compiled; break and continue need one
}

// ident is Jinja's l_<level>_<name>.
type ident struct {
	level int
	name  string
}

func newFunction(parent *function) *function {
	return &function{parent: parent, vars: map[ident]int{}}
}

func (f *function) slot(id ident) int {
	s, ok := f.vars[id]
	if !ok {
		s = len(f.vars)
		f.vars[id] = s
	}
	return s
}

// ref is a variable seen from a function: hops functions out, slot within that one.
type ref struct{ hops, slot int }

// variable is an ident within its function.
type variable struct {
	fn *function
	id ident
}

func (v variable) from(f *function) ref {
	hops := 0
	for ; f != v.fn; f = f.parent {
		hops++
	}
	return ref{hops: hops, slot: v.fn.slot(v.id)}
}

type loadKind int

const (
	loadParam     loadKind = iota // set by the construct that opens the scope
	loadResolve                   // looked up in the context
	loadAlias                     // copied from an outer scope
	loadUndefined                 // missing until assigned
)

type load struct {
	kind  loadKind
	from  variable // of an alias
	param string   // of a lookup
}

type scope struct {
	level  int
	parent *scope
	base   *scope // of a branch: the scope it adds to
	fn     *function
	refs   map[string]variable
	loads  map[variable]load
	order  []variable // keys of loads as they came
	stores map[string]bool
}

func newScope(parent *scope, fn *function, level int) *scope {
	return &scope{
		level: level, parent: parent, fn: fn,
		refs: map[string]variable{}, loads: map[variable]load{}, stores: map[string]bool{},
	}
}

// branch returns a scope that sees s and keeps what is added to it apart.
func (s *scope) branch() *scope {
	b := newScope(s.parent, s.fn, s.level)
	b.base = s
	return b
}

// own returns what the scope itself, not an outer one, calls name.
func (s *scope) own(name string) (variable, bool) {
	for b := s; b != nil; b = b.base {
		if v, ok := b.refs[name]; ok {
			return v, true
		}
	}
	return variable{}, false
}

func (s *scope) stored(name string) bool {
	for b := s; b != nil; b = b.base {
		if b.stores[name] {
			return true
		}
	}
	return false
}

func (s *scope) define(name string, l load) variable {
	v := variable{fn: s.fn, id: ident{level: s.level, name: name}}
	s.refs[name] = v
	s.setLoad(v, l)
	return v
}

func (s *scope) setLoad(v variable, l load) {
	if _, ok := s.loads[v]; !ok {
		s.order = append(s.order, v)
	}
	s.loads[v] = l
}

func (s *scope) find(name string) (variable, bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.own(name); ok {
			return v, true
		}
	}
	return variable{}, false
}

// merge adds what a branch added.
func (s *scope) merge(b *scope) {
	maps.Copy(s.refs, b.refs)
	for _, v := range b.order {
		s.setLoad(v, b.loads[v])
	}
	maps.Copy(s.stores, b.stores)
}

func (s *scope) store(name string) {
	s.stores[name] = true
	if _, ok := s.own(name); ok {
		return
	}
	if s.parent != nil {
		if outer, ok := s.parent.find(name); ok {
			s.define(name, load{kind: loadAlias, from: outer})
			return
		}
	}
	s.define(name, load{kind: loadUndefined})
}

func (s *scope) param(name string) variable {
	s.stores[name] = true
	return s.define(name, load{kind: loadParam})
}

func (s *scope) load(name string) {
	if _, ok := s.find(name); !ok {
		s.define(name, load{kind: loadResolve, param: name})
	}
}

// join merges the branches of an if: what only some of them store must have a value beforehand.
func (s *scope) join(branches ...*scope) {
	stored := map[string]bool{}
	for _, b := range branches {
		for n := range b.stores {
			if !s.stored(n) {
				stored[n] = true
			}
		}
	}
	for _, b := range branches {
		s.merge(b)
	}
	for n := range stored {
		v, _ := s.find(n)
		l := load{kind: loadResolve, param: n}
		if s.parent != nil {
			if outer, ok := s.parent.find(n); ok {
				l = load{kind: loadAlias, from: outer}
			}
		}
		s.setLoad(v, l)
	}
}

// mention registers the names of a part of a template in the scope it belongs to. It stops at inner scopes.
func (s *scope) mention(n node) {
	switch n := n.(type) {
	case *name:
		s.load(n.id)
	case *nsTarget:
		s.load(n.id)
	case *ifStmt:
		s.mention(n.test)
		body, elif, alt := s.branch(), s.branch(), s.branch()
		body.mentionAll(n.body)
		for _, e := range n.elif {
			elif.mention(e)
		}
		alt.mentionAll(n.alt)
		s.join(body, elif, alt)
	case *macroStmt:
		s.store(n.name)
	case *absent:
		s.mention(n.x)
		for _, id := range n.names {
			s.store(id)
		}
	case *assign:
		s.mention(n.value)
		s.mentionTarget(n.target)
	case *assignBlock:
		s.mentionTarget(n.target)
	case *forStmt:
		s.mention(n.iter)
	case *callBlock:
		if n.call != nil {
			s.mention(n.call)
		}
	case *filterBlock:
		s.mention(n.filter)
	case *withStmt:
		for _, v := range n.values {
			s.mention(v)
		}
	case *autoescape, *block:
	default:
		n.children(s.mention)
	}
}

func (s *scope) mentionAll(body []stmt) {
	for _, b := range body {
		s.mention(b)
	}
}

// mentionTarget registers what an assignment writes to.
func (s *scope) mentionTarget(x expr) {
	switch x := x.(type) {
	case *name:
		s.store(x.id)
	case *tupleLit:
		for _, i := range x.items {
			s.mentionTarget(i)
		}
	case *nsTarget:
		s.load(x.id)
	}
}

// paramTarget registers a for or with target, which the construct itself sets.
func (s *scope) paramTarget(x expr) {
	switch x := x.(type) {
	case *name:
		s.param(x.id)
	case *tupleLit:
		for _, i := range x.items {
			s.paramTarget(i)
		}
	}
}

// undeclared tells which of the names are read in body before anything there declares them. It looks into inner scopes.
func undeclared(body []stmt, names ...string) map[string]bool {
	open, found := map[string]bool{}, map[string]bool{}
	for _, n := range names {
		open[n] = true
	}
	var visit func(n node)
	var target func(x expr)
	target = func(x expr) {
		switch x := x.(type) {
		case *name:
			delete(open, x.id)
		case *tupleLit:
			for _, i := range x.items {
				target(i)
			}
		}
	}
	visit = func(n node) {
		switch n := n.(type) {
		case *name:
			if open[n.id] {
				found[n.id] = true
			}
		case *assign:
			target(n.target)
			visit(n.value)
		case *assignBlock:
			target(n.target)
			if n.filter != nil {
				visit(n.filter)
			}
			walkStmts(n.body, visit)
		case *forStmt:
			target(n.target)
			visit(n.iter)
			walkStmts(n.body, visit)
			walkStmts(n.alt, visit)
			walkOne(n.test, visit)
		case *macroDef:
			for _, p := range n.params {
				delete(open, p.id)
			}
			walk(n.defaults, visit)
			walkStmts(n.body, visit)
		case *withStmt:
			for _, t := range n.targets {
				target(t)
			}
			walk(n.values, visit)
			walkStmts(n.body, visit)
		case *block:
		default:
			n.children(visit)
		}
	}
	walkStmts(body, visit)
	return found
}
