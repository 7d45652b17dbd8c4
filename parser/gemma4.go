package parser

import "strings"

// Gemma4 reads calls of named, typed literals: Gemma 4 and DiffusionGemma.
func Gemma4() Parser {
	return gemma("<|tool_call>", "<tool_call|>", `<|"|>`).
		dialect(think{open: "<|channel>thought\n", close: "<channel|>"})
}

// FunctionGemma reads the same literals between words of its own.
func FunctionGemma() Parser {
	return gemma("<start_function_call>", "<end_function_call>", "<escape>").dialect(think{})
}

// gemma is a dialect of `call:NAME{key:value,…}` whose strings stand between
// two of the same marker, with no escapes inside.
func gemma(open, closing, mark string) frame {
	return frame{
		open:  []string{open},
		stray: []string{closing, mark},
		block: func(t *turn, _ string) *fault {
			a := attempt{from: t.pos - len(open)}
			t.skipBlanks()
			if f := t.expect("call:", "the word call"); f != nil {
				return f
			}
			i := strings.IndexAny(t.rest(), notInNames)
			if i < 0 {
				return t.cut()
			}
			a.call.Name = trim(t.src[t.pos : t.pos+i])
			t.pos += i
			if a.call.Name == "" {
				return t.malformed("the name of the tool is missing")
			}
			if !strings.HasPrefix(t.rest(), "{") {
				return t.expect("{", "the brace before the arguments")
			}
			g := gemmaArgs{scanner: scanner{src: t.src, pos: t.pos}, mark: mark, closing: closing}
			args, f := g.object(nil)
			if f != nil {
				return f
			}
			a.call.Arguments, t.pos = args, g.pos
			t.skipBlanks()
			if f := t.expect(closing, "the end of the call"); f != nil {
				return f
			}
			a.to = t.pos
			t.add(a)
			return nil
		},
	}
}

// gemmaArgs reads the literals and writes JSON.
type gemmaArgs struct {
	scanner
	mark, closing string
}

func (g *gemmaArgs) value(out []byte) ([]byte, *fault) {
	rest := g.src[g.pos:]
	switch {
	case rest == "":
		return nil, g.cut()
	case rest[0] == '{':
		return g.object(out)
	case rest[0] == '[':
		return g.list(out)
	case strings.HasPrefix(rest, g.mark):
		s, f := g.marked()
		if f != nil {
			return nil, f
		}
		return append(out, quote(s)...), nil
	case isBeginning(rest, g.mark):
		return nil, g.cut()
	case rest[0] == '"':
		return nil, g.malformed("strings stand between their own markers, not in quotes")
	}
	from := g.pos
	if f := g.scanner.value(nil); f != nil {
		return nil, f
	}
	return append(out, g.src[from:g.pos]...), nil
}

// marked reads a string between two markers. One that does not end was cut only
// if the call does not end either.
func (g *gemmaArgs) marked() (string, *fault) {
	from := g.pos + len(g.mark)
	s, _, ok := strings.Cut(g.src[from:], g.mark)
	if !ok {
		if strings.Contains(g.src[from:], g.closing) {
			return "", g.malformed("a string is not closed")
		}
		return "", g.cut()
	}
	g.pos = from + len(s) + len(g.mark)
	l := literals{scanner: g.scanner}
	return l.said(s)
}

func (g *gemmaArgs) list(out []byte) ([]byte, *fault) {
	if f := g.enter(); f != nil {
		return nil, f
	}
	out = append(out, '[')
	for n := 0; ; n++ {
		g.skipBlanks()
		if n == 0 && g.ends(']') {
			return append(out, ']'), nil
		}
		if n > 0 {
			out = append(out, ", "...)
		}
		var f *fault
		if out, f = g.value(out); f != nil {
			return nil, f
		}
		more, f := g.next(']')
		if f != nil {
			return nil, f
		}
		if !more {
			return append(out, ']'), nil
		}
	}
}

func (g *gemmaArgs) object(out []byte) ([]byte, *fault) {
	if f := g.enter(); f != nil {
		return nil, f
	}
	var o object
	for n := 0; ; n++ {
		g.skipBlanks()
		if n == 0 && g.ends('}') {
			return append(out, o.json()...), nil
		}
		key, f := g.key()
		if f != nil {
			return nil, f
		}
		value, f := g.value(nil)
		if f != nil {
			return nil, f
		}
		if !o.add(key, value) {
			return nil, g.malformed("a key occurs twice in one object")
		}
		more, f := g.next('}')
		if f != nil {
			return nil, f
		}
		if !more {
			return append(out, o.json()...), nil
		}
	}
}

// key reads a bare or marked key and its colon.
func (g *gemmaArgs) key() (string, *fault) {
	var key string
	if rest := g.src[g.pos:]; strings.HasPrefix(rest, g.mark) {
		var f *fault
		if key, f = g.marked(); f != nil {
			return "", f
		}
	} else {
		i := strings.IndexAny(rest, notInNames+":,[]=")
		if i < 0 || isBeginning(rest, g.mark) {
			return "", g.cut()
		}
		if key = trim(rest[:i]); key == "" {
			return "", g.malformed("a key is missing")
		}
		g.pos += i
	}
	g.skipBlanks()
	switch {
	case g.pos >= len(g.src):
		return "", g.cut()
	case g.src[g.pos] != ':':
		return "", g.malformed("a colon is missing after a key")
	}
	g.pos++
	g.skipBlanks()
	return key, nil
}
