package parser

// Apriel reads call arrays between tool_calls tags, after reasoning that a
// sentence opens and a marker ends.
func Apriel() Parser {
	return arrayBlocks("<tool_calls>", "</tool_calls>", usualKeys).dialect(think{
		open:  "Here are my reasoning steps:\n",
		close: "[BEGIN FINAL RESPONSE]",
	})
}
