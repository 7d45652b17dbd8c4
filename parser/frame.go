package parser

import (
	"slices"
	"strings"
)

// frame is the shape of most dialects: text, marked blocks, text between them.
type frame struct {
	// open begins a block.
	open []string
	// stray is what must not occur outside a block.
	stray []string
	// named begins an inner tag that is a failed attempt when the name of a
	// declared tool and nameEnd follow.
	named, nameEnd string
	// block reads one block; the cursor is behind the opening marker.
	block func(t *turn, open string) *fault
}

// dialect is the parser of a frame.
func (m frame) dialect(k think) *dialect {
	named := []string{m.named}
	if m.named == "" {
		named = nil
	}
	marks := newMarkers(m.open, m.stray, named)
	return &dialect{
		think: k,
		open:  newMarkers(m.open),
		read:  func(t *turn) *fault { return m.read(t, marks) },
	}
}

// read takes the turn to its end.
func (m *frame) read(t *turn, marks *markers) *fault {
	from := t.pos
	for look := from; ; {
		at, mark := marks.find(t.src, look)
		switch {
		case at < 0:
			return t.tail(from, m.open)
		case mark == m.named && !t.namesTool(at+len(mark), m.nameEnd):
			look = at + len(mark)
			continue
		}
		t.text(from, at)
		t.pos = at + len(mark)
		if !slices.Contains(m.open, mark) {
			return t.stray(at)
		}
		if f := m.block(t, mark); f != nil {
			return f.since(at)
		}
		from, look = t.pos, t.pos
	}
}

// stray is a marker out of its place: it begins at at and ends at the cursor.
func (t *turn) stray(at int) *fault {
	f := t.malformed("a tag of a tool call stands outside of a call").since(at)
	f.to = t.pos
	return f
}

// tail is the text after the last block. A reply that ends in the beginning of
// an opening marker was cut there.
func (t *turn) tail(from int, open []string) *fault {
	if n := cutMarker(t.src[from:], open); n > 0 {
		at := len(t.src) - n
		t.text(from, at)
		t.pos = at
		return t.cut()
	}
	t.text(from, len(t.src))
	t.pos = len(t.src)
	return nil
}

// namesTool reports whether a declared name and then end stand at pos.
func (t *turn) namesTool(pos int, end string) bool {
	for i := range t.tools {
		rest, ok := strings.CutPrefix(t.src[pos:], t.tools[i].Name)
		if ok && strings.HasPrefix(rest, end) {
			return true
		}
	}
	return false
}
