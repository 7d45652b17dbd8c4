package parser

import (
	"encoding/json"
	"strings"
)

// tagged is how a dialect writes arguments as tags: a key in an opening tag, a
// text up to a closing tag, and a tag that ends the call. Nothing in a text is
// escaped, so where it ends is decided by what follows the closing tag.
type tagged struct {
	// keyOpen and keyClose enclose the key: `<parameter=` and `>`.
	keyOpen, keyClose string
	// valueOpen stands between the key and its value, blanks before it allowed;
	// empty where the key's tag opens the value.
	valueOpen  string
	valueClose string
	// callClose ends the arguments.
	callClose string
	// block is the last tag of the block: a value that does not end is cut when
	// the block does not end either, else malformed.
	block string
	// lineStart says that keys begin a line, so that an opening tag inside a
	// line is text.
	lineStart bool
	// strip takes off a value what the template puts around it; may be nil.
	strip func(string) string
	// typing reads what the key's tag says of the value's type, and the end of
	// the tag; nil where only the schema says it.
	typing func(*turn) (typing, *fault)
}

// typing is who says which type a value has.
type typing int

const (
	bySchema typing = iota
	asText
	asJSON
)

// args reads the arguments of a call, past its end.
func (g *tagged) args(t *turn, tool string) (json.RawMessage, *fault) {
	s := t.schemaOf(tool)
	var o object
	for {
		t.skipBlanks()
		if t.take(g.callClose) {
			return o.json(), nil
		}
		key, f := g.key(t)
		if f != nil {
			return nil, f
		}
		how := bySchema
		if g.typing != nil {
			if how, f = g.typing(t); f != nil {
				return nil, f
			}
		}
		text, f := g.value(t, s)
		if f != nil {
			return nil, f
		}
		p, _ := s.property(key)
		value, f := t.typedAs(how, text, p)
		if f != nil {
			return nil, f
		}
		if !o.add(key, value) {
			return nil, t.malformed("a parameter occurs twice in one call")
		}
	}
}

// typedAs is a text value as JSON.
func (t *turn) typedAs(how typing, text string, s *schema) ([]byte, *fault) {
	switch how {
	case asText:
		return quote(text), nil
	case asJSON:
		v := trim(text)
		if !wholeJSON(v) {
			return nil, t.malformed("a value that is said to be JSON is not")
		}
		return []byte(v), nil
	}
	return typed(text, s), nil
}

func (g *tagged) key(t *turn) (string, *fault) {
	if rest := t.rest(); strings.HasPrefix(g.callClose, rest) {
		return "", t.cut()
	}
	if f := t.expect(g.keyOpen, "a parameter, or the end of the call,"); f != nil {
		return "", f
	}
	key, f := t.name(g.keyClose, "the name of a parameter")
	if f != nil || g.valueOpen == "" {
		return key, f
	}
	t.skipBlanks()
	return key, t.expect(g.valueOpen, "the value of a parameter")
}

// value reads a text up to the first closing tag that the grammar can go on
// from.
func (g *tagged) value(t *turn, s *schema) (string, *fault) {
	from := t.pos
	end := g.end(t.src, from)
	if end < 0 {
		if strings.Contains(t.src[from:], g.block) {
			return "", t.malformed("a parameter is not closed")
		}
		return "", t.cut()
	}
	v := t.src[from:end]
	t.pos = end + len(g.valueClose)
	if g.holdsKey(v, s) {
		return "", t.malformed("a value holds the tag of another parameter, so it can be read two ways")
	}
	if g.strip != nil {
		v = g.strip(v)
	}
	return v, t.textFault(v)
}

// end is where the value that begins at from ends; -1 when it does not.
func (g *tagged) end(src string, from int) int {
	for look := from; ; {
		i := strings.Index(src[look:], g.valueClose)
		if i < 0 {
			return -1
		}
		at := look + i
		look = at + len(g.valueClose)
		after := strings.TrimLeft(src[look:], blanks)
		if strings.HasPrefix(after, g.keyOpen) || strings.HasPrefix(after, g.callClose) {
			return at
		}
	}
}

// holdsKey reports whether a value holds the opening tag of a declared
// parameter: then its closing tag may just be missing.
func (g *tagged) holdsKey(v string, s *schema) bool {
	for look := 0; ; {
		i := strings.Index(v[look:], g.keyOpen)
		if i < 0 {
			return false
		}
		at := look + i
		look = at + len(g.keyOpen)
		n := strings.IndexAny(v[look:], notInNames)
		if n < 0 {
			return false
		}
		key := v[look : look+n]
		if !strings.HasPrefix(v[look+n:], g.keyClose) {
			continue
		}
		if g.lineStart && !strings.HasSuffix(strings.TrimRight(v[:at], " \t"), "\n") {
			continue
		}
		if _, declared := s.property(key); declared {
			return true
		}
	}
}

// notInNames are the characters that no name holds; without them a tag that
// lacks its end would swallow what follows.
const notInNames = "<>{}\"\n"

// name reads a name up to end and past it; what names it for the model.
func (t *turn) name(end, what string) (string, *fault) {
	i := strings.IndexAny(t.rest(), notInNames)
	if j := strings.Index(t.rest(), end); j >= 0 && (i < 0 || j <= i) {
		i = j
	}
	if i < 0 {
		return "", t.cut()
	}
	name := t.src[t.pos : t.pos+i]
	t.pos += i
	if f := t.expect(end, "the end of "+what); f != nil {
		return "", f
	}
	if name == "" {
		return "", t.malformed(what + " is empty")
	}
	return name, nil
}

// bareName reads a name that no tag encloses: up to a newline or the next tag,
// which is left to the caller.
func (t *turn) bareName(what string) (string, *fault) {
	t.skipBlanks()
	i := strings.IndexAny(t.rest(), notInNames)
	if i < 0 {
		return "", t.cut()
	}
	name := trim(t.src[t.pos : t.pos+i])
	if name == "" || strings.ContainsAny(name, blanks) {
		return "", t.malformed(what + " is missing")
	}
	t.pos += i
	t.skipBlanks()
	return name, nil
}
