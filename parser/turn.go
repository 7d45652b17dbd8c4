package parser

import (
	"strconv"
	"strings"

	"focus/rollout"
)

// blanks are what counts as space between the parts of a call.
const blanks = " \t\r\n"

func trim(s string) string { return strings.Trim(s, blanks) }

// turn is one text under reading: a cursor, and what was found before it.
type turn struct {
	src string
	pos int
	// body is where the text after the reasoning begins.
	body  int
	tools []rollout.ToolSchema
	// thinking says that the text begins inside reasoning.
	thinking  bool
	reasoning string
	texts     []string
	attempts  []attempt
	schemas   map[string]*schema
}

// attempt is a call and its bytes in the text.
type attempt struct {
	call     rollout.ToolCall
	from, to int
}

// newTurn is the text of a turn without its terminator.
func newTurn(r Reply) *turn {
	text := r.Text
	if n := len(r.Tokens); r.Matched >= 0 && n > 0 && r.Tokens[n-1] == r.Matched {
		text = text[:spansOf(r).end(n-2)]
	}
	return &turn{src: r.Before + text, tools: r.Tools, thinking: r.Thinking}
}

// rest is the text that was not read.
func (t *turn) rest() string { return t.src[t.pos:] }

func (t *turn) done() bool { return t.pos >= len(t.src) }

func (t *turn) skipBlanks() {
	for t.pos < len(t.src) && strings.IndexByte(blanks, t.src[t.pos]) >= 0 {
		t.pos++
	}
}

// take reads lit if it comes next.
func (t *turn) take(lit string) bool {
	if !strings.HasPrefix(t.rest(), lit) {
		return false
	}
	t.pos += len(lit)
	return true
}

// expect reads lit, which has to come next; what names it for the model.
func (t *turn) expect(lit, what string) *fault {
	switch {
	case t.take(lit):
		return nil
	case strings.HasPrefix(lit, t.rest()):
		return t.cut()
	}
	return t.malformed(what + " is missing")
}

// text keeps a stretch of content.
func (t *turn) text(from, to int) {
	if s := trim(t.src[from:to]); s != "" {
		t.texts = append(t.texts, s)
	}
}

func (t *turn) content() string { return strings.Join(t.texts, "\n") }

// add keeps calls that are complete, each with its bytes.
func (t *turn) add(as ...attempt) { t.attempts = append(t.attempts, as...) }

// number gives an id to every call that came without one.
func (t *turn) number() {
	var written map[string]bool
	for _, a := range t.attempts {
		if a.call.ID != "" {
			if written == nil {
				written = make(map[string]bool)
			}
			written[a.call.ID] = true
		}
	}
	next := 0
	for i := range t.attempts {
		c := &t.attempts[i].call
		for c.ID == "" {
			if id := "call_" + strconv.Itoa(next); !written[id] {
				c.ID = id
			}
			next++
		}
	}
}

// declared reports whether a tool of that name was offered.
func (t *turn) declared(name string) bool {
	for i := range t.tools {
		if t.tools[i].Name == name {
			return true
		}
	}
	return false
}
