package jinja

import (
	"math/big"
	"strconv"
)

type targetOptions struct {
	nameOnly  bool
	namespace bool
}

// target parses what can be assigned to.
func (p *parser) target(o targetOptions) expr {
	line := p.cur().line
	var x expr
	if o.nameOnly {
		x = &name{id: p.expectName().text}
	} else {
		x = p.tuple(tupleOptions{simple: true, namespace: o.namespace})
	}
	if kind, ok := assignable(x); !ok {
		failSyntax(line, "can't assign to '%s'", kind)
	}
	return x
}

func assignable(x expr) (kind string, ok bool) {
	switch x := x.(type) {
	case *name:
		switch x.id {
		case "true", "false", "none", "True", "False", "None":
			return "name", false
		}
		return "", true
	case *nsTarget:
		return "", true
	case *tupleLit:
		for _, i := range x.items {
			if _, ok := assignable(i); !ok {
				return "tuple", false
			}
		}
		return "", true
	case *constant:
		return "const", false
	}
	return "expression", false
}

type tupleOptions struct {
	simple    bool // names and literals only
	cond      bool // inline if is allowed
	parens    bool // inside parentheses, where an empty tuple is one
	namespace bool
}

func (p *parser) tuple(o tupleOptions) expr {
	p.enter()
	defer p.leave()
	var items []expr
	isTuple := false
	for {
		if len(items) > 0 {
			p.expect(",")
		}
		t := p.cur()
		if t.kind == tVarOut || t.kind == tBlockOut || t.kind == ")" {
			break
		}
		switch {
		case o.simple:
			items = append(items, p.primary(o.namespace))
		case o.cond || o.parens:
			items = append(items, p.expression())
		default:
			items = append(items, p.or())
		}
		if p.cur().kind != "," {
			break
		}
		isTuple = true
	}
	if !isTuple {
		if len(items) > 0 {
			return items[0]
		}
		if !o.parens {
			p.fail("Expected an expression, got '%s'", p.cur().describe())
		}
	}
	return &tupleLit{items: items}
}

func (p *parser) expression() expr {
	p.enter()
	defer p.leave()
	x := p.or()
	for p.skipWord("if") {
		n := &condExpr{yes: x, test: p.or()}
		if p.skipWord("else") {
			n.no = p.expression()
		}
		x = n
	}
	return x
}

func (p *parser) or() expr {
	x := p.and()
	for p.skipWord("or") {
		x = &logical{or: true, left: x, right: p.and()}
	}
	return x
}

func (p *parser) and() expr {
	x := p.not()
	for p.skipWord("and") {
		x = &logical{left: x, right: p.not()}
	}
	return x
}

func (p *parser) not() expr {
	if p.skipWord("not") {
		p.enter()
		defer p.leave()
		return &notExpr{x: p.not()}
	}
	return p.comparison()
}

func (p *parser) comparison() expr {
	x := p.sum()
	var n *compare
	for {
		op := ""
		switch t := p.cur(); {
		case t.kind == "==", t.kind == "!=", t.kind == "<", t.kind == "<=", t.kind == ">", t.kind == ">=":
			op = string(t.kind)
		case t.is("in"):
			op = "in"
		case t.is("not") && p.look().is("in"):
			p.next()
			op = "not in"
		}
		if op == "" {
			break
		}
		p.next()
		if n == nil {
			n = &compare{first: x}
		}
		n.ops, n.rest = append(n.ops, op), append(n.rest, p.sum())
	}
	if n != nil {
		return n
	}
	return x
}

func (p *parser) sum() expr {
	x := p.concat()
	for p.cur().kind == "+" || p.cur().kind == "-" {
		op := string(p.next().kind)
		x = &binary{op: op, left: x, right: p.concat()}
	}
	return x
}

func (p *parser) concat() expr {
	x := p.product()
	if p.cur().kind != "~" {
		return x
	}
	n := &concat{items: []expr{x}}
	for p.skip("~") {
		n.items = append(n.items, p.product())
	}
	return n
}

func (p *parser) product() expr {
	x := p.power()
	for {
		switch p.cur().kind {
		case "*", "/", "//", "%":
			op := string(p.next().kind)
			x = &binary{op: op, left: x, right: p.power()}
		default:
			return x
		}
	}
}

func (p *parser) power() expr {
	x := p.unary(true)
	for p.skip("**") {
		x = &binary{op: "**", left: x, right: p.unary(true)}
	}
	return x
}

func (p *parser) unary(withFilter bool) expr {
	p.enter()
	defer p.leave()
	var x expr
	switch p.cur().kind {
	case "-", "+":
		op := string(p.next().kind)
		x = &unary{op: op, x: p.unary(false)}
	default:
		x = p.primary(false)
	}
	x = p.postfix(x)
	if withFilter {
		x = p.filterChain(x)
	}
	return x
}

func (p *parser) primary(namespace bool) expr {
	switch t := p.cur(); t.kind {
	case tName:
		p.next()
		switch t.text {
		case "true", "True":
			return &constant{val: Bool(true)}
		case "false", "False":
			return &constant{val: Bool(false)}
		case "none", "None":
			return &constant{val: None}
		}
		if namespace && p.skip(".") {
			return &nsTarget{id: t.text, attr: String(p.expectName().text)}
		}
		return &name{id: t.text}
	case tString:
		s := ""
		for p.cur().kind == tString {
			s += p.next().text
		}
		v := String(s)
		v.n = runeCount(s)
		return &constant{val: v}
	case tInteger, tFloat:
		p.next()
		return &constant{val: p.numberLiteral(t)}
	case "(":
		p.next()
		x := p.tuple(tupleOptions{cond: true, parens: true})
		p.expect(")")
		return x
	case "[":
		return p.list()
	case "{":
		return p.dict()
	default:
		p.fail("unexpected '%s'", t.describe())
		return nil
	}
}

func (p *parser) numberLiteral(t token) Value {
	if t.kind == tFloat {
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil && !isRange(err) {
			p.fail("float literal %s: %v", t.text, err)
		}
		return Float(f)
	}
	if len(t.text) > maxIntDigits {
		p.fail("integer literal of more than %d digits", maxIntDigits)
	}
	n, ok := new(big.Int).SetString(t.text, 0)
	if !ok {
		if n, ok = new(big.Int).SetString(t.text, 10); !ok {
			p.fail("integer literal %s", t.text)
		}
	}
	return bigValue(n)
}

func (p *parser) list() expr {
	n := &listLit{}
	p.expect("[")
	for p.cur().kind != "]" {
		if len(n.items) > 0 {
			p.expect(",")
			if p.cur().kind == "]" {
				break
			}
		}
		n.items = append(n.items, p.expression())
	}
	p.expect("]")
	return n
}

func (p *parser) dict() expr {
	n := &dictLit{}
	p.expect("{")
	for p.cur().kind != "}" {
		if len(n.keys) > 0 {
			p.expect(",")
			if p.cur().kind == "}" {
				break
			}
		}
		n.keys = append(n.keys, p.expression())
		p.expect(":")
		n.vals = append(n.vals, p.expression())
	}
	p.expect("}")
	return n
}
