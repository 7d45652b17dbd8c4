package jinja

func (p *parser) postfix(x expr) expr {
	for {
		switch p.cur().kind {
		case ".", "[":
			x = p.subscript(x)
		case "(":
			x = p.call(x)
		default:
			return x
		}
	}
}

// filterChain reads filters, tests and calls of their results.
func (p *parser) filterChain(x expr) expr {
	for {
		switch t := p.cur(); {
		case t.kind == "|":
			x = p.filters(x)
		case t.is("is"):
			x = p.test(x)
		case t.kind == "(":
			x = p.call(x)
		default:
			return x
		}
	}
}

func (p *parser) subscript(x expr) expr {
	if p.skip(".") {
		switch t := p.next(); t.kind {
		case tName:
			return &getAttr{x: x, attr: String(t.text)}
		case tInteger:
			return &getItem{x: x, key: &constant{val: p.numberLiteral(t)}}
		default:
			failSyntax(t.line, "expected name or number")
		}
	}
	p.expect("[")
	var keys []expr
	for p.cur().kind != "]" {
		if len(keys) > 0 {
			p.expect(",")
		}
		keys = append(keys, p.subscribed(x))
	}
	p.expect("]")
	if len(keys) == 1 {
		if s, ok := keys[0].(*slicing); ok {
			return s
		}
		return &getItem{x: x, key: keys[0]}
	}
	for _, k := range keys {
		if _, ok := k.(*slicing); ok {
			p.fail("a slice cannot be part of a tuple")
		}
	}
	return &getItem{x: x, key: &tupleLit{items: keys}}
}

// subscribed reads a key, or a slice of x.
func (p *parser) subscribed(x expr) expr {
	n := &slicing{x: x}
	if !p.skip(":") {
		k := p.expression()
		if !p.skip(":") {
			return markSlice(k)
		}
		n.start = k
	}
	if k := p.cur().kind; k != ":" && k != "]" && k != "," {
		n.stop = p.expression()
	}
	if p.skip(":") {
		if k := p.cur().kind; k != "]" && k != "," {
			n.step = p.expression()
		}
	}
	return n
}

// keyExpr wraps a key that is itself a slicing expression, so that x[y[1:]] is not taken for a slice of x.
type keyExpr struct{ expr }

func markSlice(k expr) expr {
	if _, ok := k.(*slicing); ok {
		return &keyExpr{k}
	}
	return k
}

func (k *keyExpr) children(f func(node)) { f(k.expr) }

func (p *parser) call(fn expr) expr {
	line := p.cur().line
	return &call{fn: fn, args: p.callArgs(), line: line}
}

func (p *parser) callArgs() callArgs {
	var a callArgs
	line := p.expect("(").line
	ensure := func(ok bool) {
		if !ok {
			failSyntax(line, "invalid syntax for function call expression")
		}
	}
	for first := true; p.cur().kind != ")"; first = false {
		if !first {
			p.expect(",")
			if p.cur().kind == ")" {
				break
			}
		}
		switch t := p.cur(); {
		case t.kind == "*":
			ensure(a.star == nil && a.dict == nil)
			p.next()
			a.star = p.expression()
		case t.kind == "**":
			ensure(a.dict == nil)
			p.next()
			a.dict = p.expression()
		case t.kind == tName && p.look().kind == "=":
			ensure(a.dict == nil)
			p.next()
			p.next()
			for _, n := range a.names {
				if n == t.text {
					p.fail("keyword argument repeated: %s", n)
				}
			}
			a.names, a.named = append(a.names, t.text), append(a.named, p.expression())
		default:
			ensure(a.star == nil && a.dict == nil && len(a.names) == 0)
			a.pos = append(a.pos, p.expression())
		}
	}
	p.expect(")")
	return a
}

// filters reads |name(…) any number of times.
func (p *parser) filters(x expr) expr {
	for p.skip("|") {
		x = p.filter(x)
	}
	return x
}

func (p *parser) filter(x expr) expr {
	t := p.expectName()
	n := &filterExpr{x: x, name: p.dotted(t.text), line: t.line}
	if p.cur().kind == "(" {
		n.args = p.callArgs()
	}
	return n
}

func (p *parser) dotted(id string) string {
	for p.skip(".") {
		id += "." + p.expectName().text
	}
	return id
}

func (p *parser) test(x expr) expr {
	line := p.next().line
	negated := p.skipWord("not")
	n := &testExpr{x: x, name: p.dotted(p.expectName().text), line: line}
	switch t := p.cur(); t.kind {
	case "(":
		n.args = p.callArgs()
	case tName, tString, tInteger, tFloat, "[", "{":
		if t.is("else") || t.is("or") || t.is("and") {
			break
		}
		if t.is("is") {
			p.fail("You cannot chain multiple tests with is")
		}
		n.args.pos = []expr{p.postfix(p.primary(false))}
	}
	if negated {
		return &notExpr{x: n}
	}
	return n
}
