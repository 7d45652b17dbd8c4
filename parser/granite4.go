package parser

// Granite4 reads the tagged JSON calls of Granite 4, which does not reason.
func Granite4() Parser { return jsonBlocks("<tool_call>", "</tool_call>").dialect(think{}) }
