package parser

// The markers of DeepSeek V3 to V3.2-Exp, which have full-width bars.
const (
	dsCallsBegin = "<｜tool▁calls▁begin｜>"
	dsCallsEnd   = "<｜tool▁calls▁end｜>"
	dsCallBegin  = "<｜tool▁call▁begin｜>"
	dsCallEnd    = "<｜tool▁call▁end｜>"
	dsSep        = "<｜tool▁sep｜>"
)

// DeepSeekV3 reads named, fenced JSON arguments: DeepSeek V3, R1, Prover V2 and
// the R1 distillations.
func DeepSeekV3() Parser {
	return deepSeek(func(t *turn, a *attempt) *fault {
		for _, lit := range []string{"function", dsSep} {
			if f := t.expect(lit, "the kind of the call"); f != nil {
				return f
			}
		}
		var f *fault
		if a.call.Name, f = t.name("\n", "the name of the tool"); f != nil {
			return f
		}
		t.skipBlanks()
		if f := t.expect("```json", "the fence before the arguments"); f != nil {
			return f
		}
		t.skipBlanks()
		if a.call.Arguments, f = t.bareArguments(); f != nil {
			return f
		}
		t.skipBlanks()
		return t.expect("```", "the fence after the arguments")
	})
}

// deepSeek is a dialect of one block with calls in it, whose insides differ.
func deepSeek(inside func(*turn, *attempt) *fault) Parser {
	return frame{
		open:  []string{dsCallsBegin},
		stray: []string{dsCallsEnd, dsCallBegin, dsCallEnd, dsSep},
		block: func(t *turn, _ string) *fault {
			return t.section(dsCallsEnd, func(a *attempt) *fault {
				if f := t.expect(dsCallBegin, "the beginning of a call"); f != nil {
					return f
				}
				if f := inside(t, a); f != nil {
					return f
				}
				t.skipBlanks()
				return t.expect(dsCallEnd, "the end of a call")
			})
		},
	}.dialect(tags)
}
