package parser

import (
	"encoding/json"
	"strings"
)

// m3 stands before every tag of MiniMax M3; without it a tag is text.
const m3 = "]<]minimax[>["

// MiniMaxM3 reads nested elements of MiniMax M3. The schema tells a list from an
// object and both from text.
func MiniMaxM3() Parser {
	const open, closing = m3 + "<tool_call>", m3 + "</tool_call>"
	return frame{
		open:  []string{open},
		stray: []string{m3},
		block: func(t *turn, _ string) *fault {
			return t.section(closing, func(a *attempt) *fault {
				if f := t.expect(m3+`<invoke name="`, "the invoke tag"); f != nil {
					return f
				}
				var f *fault
				if a.call.Name, f = t.name(`">`, "the name of the tool"); f != nil {
					return f
				}
				e := elements{turn: t}
				args, f := e.object(t.schemaOf(a.call.Name), m3+"</invoke>")
				a.call.Arguments = json.RawMessage(args)
				return f
			})
		},
	}.dialect(think{open: "<mm:think>", close: "</mm:think>", bareClose: true})
}

// elements reads the elements of a call.
type elements struct {
	*turn
	depth int
}

// enter counts a level.
func (e *elements) enter() *fault {
	if e.depth == jsonDepth {
		return e.malformed("the elements nest too deeply")
	}
	e.depth++
	return nil
}

// object reads elements up to closing as the members of an object.
func (e *elements) object(s *schema, closing string) ([]byte, *fault) {
	var o object
	f := e.each(closing, func(key string) *fault {
		p, _ := s.property(key)
		v, f := e.value(key, p)
		if f != nil {
			return f
		}
		if !o.add(key, v) {
			return e.malformed("an element occurs twice where the schema has no list")
		}
		return nil
	})
	return o.json(), f
}

// list reads items up to closing.
func (e *elements) list(s *schema, closing string) ([]byte, *fault) {
	out := []byte{'['}
	items := &schema{}
	if len(s.Items) > 0 {
		items = parseSchema(s.Items)
	}
	f := e.each(closing, func(key string) *fault {
		if key != "item" {
			return e.malformed("a list holds items only")
		}
		v, f := e.value(key, items)
		if len(out) > 1 {
			out = append(out, ", "...)
		}
		out = append(out, v...)
		return f
	})
	return append(out, ']'), f
}

// each calls one for every element before closing, behind its opening tag.
func (e *elements) each(closing string, one func(key string) *fault) *fault {
	if f := e.enter(); f != nil {
		return f
	}
	for {
		e.skipBlanks()
		if e.take(closing) {
			e.depth--
			return nil
		}
		if isBeginning(e.rest(), closing) {
			return e.cut()
		}
		if strings.HasPrefix(e.rest(), m3+"</") {
			return e.malformed("an element is not closed")
		}
		if f := e.expect(m3+"<", "the tag of an element, with its marker,"); f != nil {
			return f
		}
		key, f := e.name(">", "the name of an element")
		if f != nil {
			return f
		}
		if f := one(key); f != nil {
			return f
		}
	}
}

// value reads what stands in an element, past its closing tag.
func (e *elements) value(key string, s *schema) ([]byte, *fault) {
	closing := m3 + "</" + key + ">"
	from := e.pos
	i := strings.Index(e.rest(), m3)
	if i < 0 {
		return nil, e.cut()
	}
	text := e.src[from : from+i]
	e.pos += i
	if e.take(closing) {
		return leaf(text, s), e.textFault(text)
	}
	switch rest := e.rest(); {
	case isBeginning(rest, closing) || isBeginning(rest, m3+"<"):
		return nil, e.cut()
	case trim(text) != "" || !strings.HasPrefix(rest, m3+"<") || strings.HasPrefix(rest, m3+"</"):
		return nil, e.malformed("an element is not closed")
	}
	if e.isList(s.kinds()) {
		return e.list(s, closing)
	}
	return e.object(s, closing)
}

// isList tells elements in an element apart: by the schema and, where it has no
// say, by the name that the items of a list have.
func (e *elements) isList(k kinds) bool {
	if k.has(kindObject) != k.has(kindArray) {
		return k.has(kindArray)
	}
	return strings.HasPrefix(e.rest(), m3+"<item>")
}

// leaf is the text of an element as JSON. An empty one is an empty list or
// object where it cannot be text.
func leaf(text string, s *schema) []byte {
	k := s.kinds()
	if trim(text) == "" && !k.has(kindString) {
		switch {
		case k.has(kindArray):
			return []byte("[]")
		case k.has(kindObject):
			return []byte("{}")
		}
	}
	return typed(text, s)
}
