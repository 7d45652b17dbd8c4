package jinja

// parser turns tokens into statements, by Jinja's grammar and its quirks.
type parser struct {
	tokens []token
	pos    int
	depth  int // of brackets and operators
	blocks int // of tags with a body
}

const (
	// maxNesting bounds brackets inside each other: the reference's own parser recurses out of its stack earlier.
	maxNesting = 250
	// maxBlocks bounds tags inside each other, the root included: beyond, CPython finds the code too deeply indented.
	maxBlocks = 99
)

func parseTemplate(src string) (body []stmt, err error) {
	tokens, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	defer func() {
		if v := recover(); v != nil {
			body, err = nil, syntaxFault(v, p.cur().line)
		}
	}()
	return p.statements(), nil
}

func (p *parser) cur() token { return p.tokens[p.pos] }

func (p *parser) look() token {
	if p.pos+1 < len(p.tokens) {
		return p.tokens[p.pos+1]
	}
	return p.cur()
}

func (p *parser) next() token {
	t := p.cur()
	if t.kind != tEOF {
		p.pos++
	}
	return t
}

func (p *parser) skip(k kind) bool {
	if p.cur().kind != k {
		return false
	}
	p.next()
	return true
}

func (p *parser) skipWord(w string) bool {
	if !p.cur().is(w) {
		return false
	}
	p.next()
	return true
}

func (p *parser) fail(format string, a ...any) { failSyntax(p.cur().line, format, a...) }

func (p *parser) expect(k kind) token {
	if t := p.cur(); t.kind != k {
		p.unexpected(token{kind: k}.describe())
	}
	return p.next()
}

func (p *parser) expectWord(w string) token {
	if !p.cur().is(w) {
		p.unexpected(w)
	}
	return p.next()
}

func (p *parser) expectName() token {
	if p.cur().kind != tName {
		p.unexpected("name")
	}
	return p.next()
}

func (p *parser) unexpected(want string) {
	if p.cur().kind == tEOF {
		p.fail("unexpected end of template, expected '%s'.", want)
	}
	p.fail("expected token '%s', got '%s'", want, p.cur().describe())
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxNesting {
		p.fail("nested more than %d deep", maxNesting)
	}
}

func (p *parser) leave() { p.depth-- }

// statements reads template data and tags until a tag of one of the names in until, which it leaves as the current token.
func (p *parser) statements(until ...string) []stmt {
	if p.blocks++; p.blocks > maxBlocks {
		p.fail("too many levels of indentation")
	}
	defer func() { p.blocks-- }()
	var body []stmt
	var out *output
	add := func(x expr, line int) {
		if out == nil {
			out = &output{}
			body = append(body, out)
		}
		out.items, out.lines = append(out.items, x), append(out.lines, line)
	}
	for {
		switch t := p.cur(); t.kind {
		case tEOF:
			if len(until) > 0 {
				p.fail("Unexpected end of template. Jinja was looking for the following tags: %s.", alternatives(until))
			}
			return body
		case tData:
			p.next()
			add(&data{text: t.text}, t.line)
		case tVarIn:
			p.next()
			add(p.tuple(tupleOptions{cond: true}), t.line)
			p.expect(tVarOut)
		default:
			out = nil
			p.next()
			for _, w := range until {
				if p.cur().is(w) {
					return body
				}
			}
			body = append(body, p.statement(until))
			p.expect(tBlockOut)
		}
	}
}

func alternatives(words []string) string {
	s := ""
	for i, w := range words {
		if i > 0 {
			s += " or "
		}
		s += quote(w)
	}
	return s
}

// bodyUntil reads a tag's end and its body, and leaves the closing tag's name as the current token.
func (p *parser) bodyUntil(until ...string) []stmt {
	p.skip(":")
	p.expect(tBlockOut)
	return p.statements(until...)
}

// bodyTo reads a tag's end, its body and the closing tag's name.
func (p *parser) bodyTo(end string) []stmt {
	body := p.bodyUntil(end)
	p.next()
	return body
}

func (p *parser) statement(until []string) stmt {
	t := p.cur()
	if t.kind != tName {
		p.fail("tag name expected")
	}
	parse := tagParser(t.text)
	if parse == nil {
		if len(until) > 0 {
			p.fail("Encountered unknown tag %s. Jinja was looking for the following tags: %s.", quote(t.text), alternatives(until))
		}
		p.fail("Encountered unknown tag %s.", quote(t.text))
	}
	p.next()
	return parse(p, t.line)
}

// tagParser returns nil for a tag nobody knows.
func tagParser(tag string) func(p *parser, line int) stmt {
	switch tag {
	case "for":
		return (*parser).forTag
	case "if":
		return (*parser).ifTag
	case "set":
		return (*parser).setTag
	case "macro":
		return (*parser).macroTag
	case "call":
		return (*parser).callTag
	case "filter":
		return (*parser).filterTag
	case "with":
		return (*parser).withTag
	case "print":
		return (*parser).printTag
	case "block":
		return (*parser).blockTag
	case "autoescape":
		return (*parser).autoescapeTag
	case "generation":
		return (*parser).generationTag
	case "include":
		return (*parser).includeTag
	case "import":
		return (*parser).importTag
	case "from":
		return (*parser).fromTag
	case "extends":
		return (*parser).extendsTag
	case "break":
		return func(_ *parser, line int) stmt { return &breakStmt{line: line} }
	case "continue":
		return func(_ *parser, line int) stmt { return &continueStmt{line: line} }
	}
	return nil
}
