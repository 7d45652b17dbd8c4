package parser

// Llama4Pythonic reads Python call lists of Llama 4: alone, or marked.
func Llama4Pythonic() Parser {
	d := pyListBlocks("<|python_start|>", "<|python_end|>", false).dialect(think{})
	marked := d.read
	d.read = func(t *turn) *fault {
		if taken, f := t.barePyList(); taken || f != nil {
			return f
		}
		return marked(t)
	}
	return d
}
