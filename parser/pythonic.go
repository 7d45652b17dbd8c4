package parser

// Pythonic reads replies that are nothing but a Python list of calls: Llama 3.2
// 1B and 3B, ToolACE. Such calls are not marked, so all of the text has to be
// one list, of declared tools.
func Pythonic() Parser {
	return &dialect{open: newMarkers(), read: func(t *turn) *fault {
		if taken, f := t.barePyList(); taken || f != nil {
			return f
		}
		return t.tail(t.pos, nil)
	}}
}

// barePyList reads the rest of the turn if it is a list of declared tools.
func (t *turn) barePyList() (taken bool, f *fault) {
	start := t.pos
	t.skipBlanks()
	from := t.pos
	if !t.beginsPyList(t.rest()) {
		t.pos = start
		return false, nil
	}
	calls, f := t.pyList(false)
	if f != nil {
		return false, f.since(from)
	}
	t.skipBlanks()
	if !t.done() {
		return false, t.malformed("there is text after the calls").since(from)
	}
	for _, c := range calls {
		if !t.declared(c.call.Name) {
			t.pos = start
			return false, nil
		}
	}
	t.add(calls...)
	return true, nil
}
