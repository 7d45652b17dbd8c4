package parser

// callArray reads a JSON array of one or more call objects at the cursor.
func (t *turn) callArray(k callKeys) ([]attempt, *fault) {
	if f := t.expect("[", "a JSON array of calls"); f != nil {
		return nil, f
	}
	var calls []attempt
	for {
		t.skipBlanks()
		a := attempt{from: t.pos}
		var f *fault
		if a.call, f = t.callObject(k); f != nil {
			return nil, f
		}
		a.to = t.pos
		calls = append(calls, a)
		t.skipBlanks()
		if t.take("]") {
			return calls, nil
		}
		if f := t.expect(",", "a comma between the calls, or the end of the array,"); f != nil {
			return nil, f
		}
	}
}

// arrayBlocks is a dialect of call arrays between two markers.
func arrayBlocks(open, closing string, k callKeys) frame {
	return listBlocks(open, closing, func(t *turn) ([]attempt, *fault) { return t.callArray(k) })
}

// listBlocks is a dialect of one list of calls between two markers.
func listBlocks(open, closing string, list func(*turn) ([]attempt, *fault)) frame {
	return frame{
		open:  []string{open},
		stray: []string{closing},
		block: func(t *turn, _ string) *fault {
			t.skipBlanks()
			calls, f := list(t)
			if f != nil {
				return f
			}
			t.skipBlanks()
			if f := t.expect(closing, "the end of the calls"); f != nil {
				return f
			}
			t.add(calls...)
			return nil
		},
	}
}

// openArray is a block of a call array that nothing closes.
func openArray(k callKeys) func(*turn, string) *fault {
	return func(t *turn, _ string) *fault {
		t.skipBlanks()
		calls, f := t.callArray(k)
		if f != nil {
			return f
		}
		t.add(calls...)
		return nil
	}
}
