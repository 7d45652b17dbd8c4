package parser

// LFM2 reads Python call lists between markers. The template writes newlines
// into strings as they are, so a string may hold them.
func LFM2() Parser {
	return pyListBlocks("<|tool_call_start|>", "<|tool_call_end|>", true).dialect(tags)
}
