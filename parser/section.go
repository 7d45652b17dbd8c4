package parser

// section reads one or more calls, blanks between them, and the closing marker.
// The calls count once the marker is there: a section that fails is one attempt.
func (t *turn) section(closing string, call func(*attempt) *fault) *fault {
	var calls []attempt
	for {
		t.skipBlanks()
		if len(calls) > 0 && t.take(closing) {
			t.add(calls...)
			return nil
		}
		if len(calls) > 0 && isBeginning(t.rest(), closing) {
			return t.cut()
		}
		a := attempt{from: t.pos}
		if f := call(&a); f != nil {
			return f
		}
		a.to = t.pos
		calls = append(calls, a)
	}
}
