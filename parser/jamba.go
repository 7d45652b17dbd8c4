package parser

// Jamba reads call arrays between tool_calls tags.
func Jamba() Parser {
	return arrayBlocks("<tool_calls>", "</tool_calls>", usualKeys).dialect(think{})
}
