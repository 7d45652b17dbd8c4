package jinja

// node is a part of a parsed template. children calls f with the sub-nodes in Jinja's field order, which the scope
// analysis depends on.
type node interface{ children(f func(node)) }

// expr is an expression; eval returns its value and never nil.
type expr interface {
	node
	eval(st *state) Value
}

// stmt is a statement.
type stmt interface {
	node
	exec(st *state) signal
}

// signal says how a statement ended.
type signal int

const (
	sigNone signal = iota
	sigBreak
	sigContinue
)

type (
	// name reads or names a variable; ref is where it lives, missing what it reads as without a value.
	name struct {
		id      string
		ref     ref
		missing *undefined
	}
	// nsTarget is ns.attr on the left of {% set %}.
	nsTarget struct {
		id   string
		attr *Str
		ref  ref
	}
	constant struct{ val Value }
	data     struct{ text string } // template text between tags
	tupleLit struct{ items []expr }
	listLit  struct{ items []expr }
	dictLit  struct{ keys, vals []expr }
	condExpr struct{ test, yes, no expr } // no is nil without else
	binary   struct {
		op          string
		left, right expr
		negated     bool // a constant ** a variable: Jinja writes -2 ** x, which Python reads as -(2 ** x)
	}
	unary struct {
		op string
		x  expr
	}
	logical struct { // and, or
		or          bool
		left, right expr
	}
	notExpr struct{ x expr }
	compare struct {
		first expr
		ops   []string
		rest  []expr
	}
	concat struct {
		items  []expr
		escape escaping
	}
	getAttr struct {
		x    expr
		attr *Str
	}
	getItem struct{ x, key expr }
	slicing struct{ x, start, stop, step expr }
	call    struct {
		fn   expr
		args callArgs
		line int
	}
	filterExpr struct {
		x    expr // nil in a filter block: what the block wrote
		name string
		args callArgs
		def  *filter // nil: unknown, an error when reached
		line int
	}
	testExpr struct {
		x    expr
		name string
		args callArgs
		def  *test
		line int
	}
	// callArgs are the arguments of a call, a filter or a test.
	callArgs struct {
		pos        []expr
		names      []string
		named      []expr
		star, dict expr
	}
)

type (
	output struct {
		items  []expr
		lines  []int // of the items
		escape escaping
	}
	assign struct {
		target expr
		value  expr
		export []export
		line   int
	}
	assignBlock struct {
		target expr
		filter *filterExpr
		body   []stmt
		scope  scopeCode
		escape escaping
		export []export
		line   int
	}
	ifStmt struct {
		test expr
		body []stmt
		elif []*ifStmt
		alt  []stmt
		line int
	}
	forStmt struct {
		target    expr
		iter      expr
		test      expr
		testTo    expr // the target again, as the filter function's variables
		body, alt []stmt
		recursive bool
		line      int

		extended         bool
		loop             ref
		fn, testFn       *function
		bodyScope        scopeCode
		testScope, scope scopeCode // scope is the else branch's
	}
	macroStmt struct {
		name   string
		def    *macroDef
		ref    ref
		export bool
		line   int
	}
	callBlock struct {
		def  *macroDef
		call *call // nil for a generation block
		line int
	}
	filterBlock struct {
		filter *filterExpr
		body   []stmt
		scope  scopeCode
		line   int
	}
	withStmt struct {
		targets, values []expr
		body            []stmt
		scope           scopeCode
		line            int
	}
	autoescape struct {
		on    expr
		body  []stmt
		scope scopeCode
		line  int
	}
	block struct {
		name             string
		scoped, required bool
		body             []stmt
		code             *blockCode
		locals           []export
		line             int
	}
	breakStmt    struct{ line int }
	continueStmt struct{ line int }
	// absent is a tag that needs a second template: include, import, extends. There is none, so it raises when reached.
	absent struct {
		tag   string
		x     expr
		names []string
		line  int
	}
)

// macroDef is the code of a macro, a call block's body or a generation block's.
type macroDef struct {
	name     string // "" for a caller
	params   []*name
	defaults []expr // of the last parameters
	body     []stmt
	line     int

	fn                             *function
	scope                          scopeCode
	slots                          []int // of the parameters
	paramNames                     []string
	caller, kwargs, varargs        int // slots; -1 where the body does not use them
	explicitCaller, accessesCaller bool
}

// escaping says whether a part of the template is under {% autoescape %}.
type escaping int

const (
	escapeOff escaping = iota
	escapeOn
	escapeDynamic // decided by an expression at run time
)

func (s escaping) active(st *state) bool {
	return s == escapeOn || s == escapeDynamic && st.autoescape
}

func walk(xs []expr, f func(node)) {
	for _, x := range xs {
		f(x)
	}
}

func walkOne(x expr, f func(node)) {
	if x != nil {
		f(x)
	}
}

func walkStmts(xs []stmt, f func(node)) {
	for _, x := range xs {
		f(x)
	}
}

func (*name) children(func(node))     {}
func (*nsTarget) children(func(node)) {}
func (*constant) children(func(node)) {}
func (*data) children(func(node))     {}

func (n *tupleLit) children(f func(node)) { walk(n.items, f) }
func (n *listLit) children(f func(node))  { walk(n.items, f) }
func (n *dictLit) children(f func(node)) {
	for i, k := range n.keys {
		f(k)
		f(n.vals[i])
	}
}

func (n *condExpr) children(f func(node)) {
	f(n.test)
	f(n.yes)
	walkOne(n.no, f)
}
func (n *binary) children(f func(node))  { f(n.left); f(n.right) }
func (n *unary) children(f func(node))   { f(n.x) }
func (n *logical) children(f func(node)) { f(n.left); f(n.right) }
func (n *notExpr) children(f func(node)) { f(n.x) }
func (n *compare) children(f func(node)) { f(n.first); walk(n.rest, f) }
func (n *concat) children(f func(node))  { walk(n.items, f) }
func (n *getAttr) children(f func(node)) { f(n.x) }
func (n *getItem) children(f func(node)) { f(n.x); f(n.key) }
func (n *slicing) children(f func(node)) {
	f(n.x)
	walkOne(n.start, f)
	walkOne(n.stop, f)
	walkOne(n.step, f)
}
func (n *call) children(f func(node))       { f(n.fn); n.args.children(f) }
func (n *filterExpr) children(f func(node)) { walkOne(n.x, f); n.args.children(f) }
func (n *testExpr) children(f func(node))   { f(n.x); n.args.children(f) }
func (a *callArgs) children(f func(node)) {
	walk(a.pos, f)
	walk(a.named, f)
	walkOne(a.star, f)
	walkOne(a.dict, f)
}

func (n *output) children(f func(node)) { walk(n.items, f) }
func (n *assign) children(f func(node)) { f(n.target); f(n.value) }
func (n *assignBlock) children(f func(node)) {
	f(n.target)
	if n.filter != nil {
		f(n.filter)
	}
	walkStmts(n.body, f)
}
func (n *ifStmt) children(f func(node)) {
	f(n.test)
	walkStmts(n.body, f)
	for _, e := range n.elif {
		f(e)
	}
	walkStmts(n.alt, f)
}
func (n *forStmt) children(f func(node)) {
	f(n.target)
	f(n.iter)
	walkStmts(n.body, f)
	walkStmts(n.alt, f)
	walkOne(n.test, f)
}
func (n *macroStmt) children(f func(node)) { f(n.def) }
func (n *macroDef) children(f func(node)) {
	for _, p := range n.params {
		f(p)
	}
	walk(n.defaults, f)
	walkStmts(n.body, f)
}
func (n *callBlock) children(f func(node)) {
	if n.call != nil {
		f(n.call)
	}
	f(n.def)
}
func (n *filterBlock) children(f func(node)) { walkStmts(n.body, f); f(n.filter) }
func (n *withStmt) children(f func(node)) {
	walk(n.targets, f)
	walk(n.values, f)
	walkStmts(n.body, f)
}
func (n *autoescape) children(f func(node)) { f(n.on); walkStmts(n.body, f) }
func (n *block) children(f func(node))      { walkStmts(n.body, f) }
func (*breakStmt) children(func(node))      {}
func (*continueStmt) children(func(node))   {}
func (n *absent) children(f func(node))     { walkOne(n.x, f) }
