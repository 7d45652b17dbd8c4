package parser

// MistralOld reads a call array after the marker: Mistral 7B v0.3, Nemo, Large
// 2407, Small up to 2501. The model writes the calls' ids.
func MistralOld() Parser {
	k := usualKeys
	k.id = "id"
	return frame{open: []string{"[TOOL_CALLS]"}, block: openArray(k)}.dialect(think{})
}
