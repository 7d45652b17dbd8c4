package parser

// LongCat reads the tagged JSON calls of LongCat Flash.
func LongCat() Parser {
	return jsonBlocks("<longcat_tool_call>", "</longcat_tool_call>").
		dialect(think{open: "<longcat_think>", close: "</longcat_think>"})
}
