package parser

// DeepSeekV31 reads a name and bare JSON arguments: DeepSeek V3.1, V3.2-Exp.
func DeepSeekV31() Parser {
	return deepSeek(func(t *turn, a *attempt) *fault {
		var f *fault
		if a.call.Name, f = t.bareName("the name of the tool"); f != nil {
			return f
		}
		if f := t.expect(dsSep, "the separator after the name"); f != nil {
			return f
		}
		t.skipBlanks()
		a.call.Arguments, f = t.bareArguments()
		return f
	})
}
