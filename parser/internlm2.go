package parser

// InternLM2 reads one call object per plugin action.
func InternLM2() Parser {
	const open, plugin, closing = "<|action_start|>", "<|plugin|>", "<|action_end|>"
	return frame{
		open:  []string{open},
		stray: []string{plugin, closing},
		block: func(t *turn, _ string) *fault {
			a := attempt{from: t.pos - len(open)}
			t.skipBlanks()
			if f := t.expect(plugin, "the plugin marker"); f != nil {
				return f
			}
			t.skipBlanks()
			var f *fault
			if a.call, f = t.callObject(usualKeys); f != nil {
				return f
			}
			t.skipBlanks()
			if f := t.expect(closing, "the end of the action"); f != nil {
				return f
			}
			a.to = t.pos
			t.add(a)
			return nil
		},
	}.dialect(think{})
}
