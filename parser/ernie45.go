package parser

// Ernie45 reads the tagged JSON calls of Ernie 4.5 Thinking.
func Ernie45() Parser { return jsonBlocks("<tool_call>", "</tool_call>").dialect(tags) }
