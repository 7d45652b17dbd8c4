package jinja

func (p *parser) setTag(line int) stmt {
	target := p.target(targetOptions{namespace: true})
	if p.skip("=") {
		return &assign{target: target, value: p.tuple(tupleOptions{cond: true}), line: line}
	}
	f := p.filters(nil)
	body := p.bodyTo("endset")
	n := &assignBlock{target: target, body: body, line: line}
	if f != nil {
		n.filter = f.(*filterExpr)
	}
	return n
}

func (p *parser) forTag(line int) stmt {
	n := &forStmt{line: line}
	n.target = p.target(targetOptions{})
	p.expectWord("in")
	n.iter = p.tuple(tupleOptions{})
	if p.skipWord("if") {
		n.test = p.expression()
		n.testTo = cloneTarget(n.target)
	}
	n.recursive = p.skipWord("recursive")
	n.body = p.bodyUntil("endfor", "else")
	if p.next().is("else") {
		n.alt = p.bodyTo("endfor")
	}
	return n
}

// cloneTarget copies a for target: the loop and its filter each have variables of their own for it.
func cloneTarget(x expr) expr {
	switch x := x.(type) {
	case *name:
		return &name{id: x.id}
	case *tupleLit:
		c := &tupleLit{}
		for _, i := range x.items {
			c.items = append(c.items, cloneTarget(i))
		}
		return c
	}
	return x
}

func (p *parser) ifTag(line int) stmt {
	first := &ifStmt{line: line}
	n := first
	for {
		n.test = p.tuple(tupleOptions{})
		n.body = p.bodyUntil("elif", "else", "endif")
		switch t := p.next(); {
		case t.is("elif"):
			n = &ifStmt{line: p.cur().line}
			first.elif = append(first.elif, n)
			continue
		case t.is("else"):
			first.alt = p.bodyTo("endif")
		}
		return first
	}
}

func (p *parser) withTag(line int) stmt {
	n := &withStmt{line: line}
	for p.cur().kind != tBlockOut {
		if len(n.targets) > 0 {
			p.expect(",")
		}
		n.targets = append(n.targets, p.target(targetOptions{}))
		p.expect("=")
		n.values = append(n.values, p.expression())
	}
	n.body = p.bodyTo("endwith")
	return n
}

func (p *parser) autoescapeTag(line int) stmt {
	n := &autoescape{line: line}
	n.on = p.expression()
	n.body = p.bodyTo("endautoescape")
	return n
}

func (p *parser) blockTag(line int) stmt {
	n := &block{line: line}
	n.name = p.expectName().text
	n.scoped = p.skipWord("scoped")
	n.required = p.skipWord("required")
	if p.cur().kind == "-" {
		p.fail("Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.")
	}
	n.body = p.bodyTo("endblock")
	if n.required && !onlySpace(n.body) {
		p.fail("Required blocks can only contain comments or whitespace")
	}
	p.skipWord(n.name)
	return n
}

func onlySpace(body []stmt) bool {
	for _, s := range body {
		o, ok := s.(*output)
		if !ok {
			return false
		}
		for _, x := range o.items {
			if d, ok := x.(*data); !ok || !strIsSpace(d.text) {
				return false
			}
		}
	}
	return true
}

func (p *parser) macroTag(line int) stmt {
	id := p.target(targetOptions{nameOnly: true}).(*name).id
	def := &macroDef{name: id, line: line}
	p.signature(def)
	def.body = p.bodyTo("endmacro")
	return &macroStmt{name: id, def: def, line: line}
}

func (p *parser) signature(def *macroDef) {
	p.expect("(")
	for p.cur().kind != ")" {
		if len(def.params) > 0 {
			p.expect(",")
		}
		arg := p.target(targetOptions{nameOnly: true}).(*name)
		if p.skip("=") {
			def.defaults = append(def.defaults, p.expression())
		} else if len(def.defaults) > 0 {
			p.fail("non-default argument follows default argument")
		}
		for _, q := range def.params {
			if q.id == arg.id {
				p.fail("duplicate argument %s in function definition", quote(arg.id))
			}
		}
		def.params = append(def.params, arg)
	}
	p.expect(")")
}

func (p *parser) callTag(line int) stmt {
	def := &macroDef{line: line}
	if p.cur().kind == "(" {
		p.signature(def)
	}
	c, ok := p.expression().(*call)
	if !ok {
		failSyntax(line, "expected call")
	}
	def.body = p.bodyTo("endcall")
	return &callBlock{def: def, call: c, line: line}
}

func (p *parser) generationTag(line int) stmt {
	return &callBlock{def: &macroDef{line: line, body: p.bodyTo("endgeneration")}, line: line}
}

func (p *parser) filterTag(line int) stmt {
	n := &filterBlock{line: line}
	n.filter = p.filters(p.filter(nil)).(*filterExpr)
	n.body = p.bodyTo("endfilter")
	return n
}

func (p *parser) printTag(line int) stmt {
	n := &output{}
	for p.cur().kind != tBlockOut {
		if len(n.items) > 0 {
			p.expect(",")
		}
		n.items, n.lines = append(n.items, p.expression()), append(n.lines, line)
	}
	return n
}

func (p *parser) includeTag(line int) stmt {
	n := &absent{tag: "include", x: p.expression(), line: line}
	if p.cur().is("ignore") && p.look().is("missing") {
		p.next()
		p.next()
	}
	p.importContext()
	return n
}

// importContext skips "with context" and "without context".
func (p *parser) importContext() bool {
	if (p.cur().is("with") || p.cur().is("without")) && p.look().is("context") {
		p.next()
		p.next()
		return true
	}
	return false
}

func (p *parser) importTag(line int) stmt {
	n := &absent{tag: "import", x: p.expression(), line: line}
	p.expectWord("as")
	n.names = []string{p.target(targetOptions{nameOnly: true}).(*name).id}
	p.importContext()
	return n
}

func (p *parser) fromTag(line int) stmt {
	n := &absent{tag: "import", x: p.expression(), line: line}
	p.expectWord("import")
	for {
		if len(n.names) > 0 {
			p.expect(",")
		}
		if p.importContext() {
			return n
		}
		id := p.target(targetOptions{nameOnly: true}).(*name).id
		if id[0] == '_' {
			p.fail("names starting with an underline can not be imported")
		}
		if p.skipWord("as") {
			id = p.target(targetOptions{nameOnly: true}).(*name).id
		}
		n.names = append(n.names, id)
		if p.importContext() || p.cur().kind != "," {
			return n
		}
	}
}

func (p *parser) extendsTag(line int) stmt {
	return &absent{tag: "extends", x: p.expression(), line: line}
}
