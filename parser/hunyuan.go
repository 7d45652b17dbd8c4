package parser

// Hunyuan reads call arrays between tool_calls tags, after a think block.
func Hunyuan() Parser {
	return arrayBlocks("<tool_calls>", "</tool_calls>", usualKeys).dialect(tags)
}
