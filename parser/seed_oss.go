package parser

// SeedOSS reads the function tags of Seed-OSS. Its template writes values
// without newlines around them, so a file's last newline is the value's.
func SeedOSS() Parser {
	return functionTags("<seed:tool_call>", "</seed:tool_call>", nil).
		dialect(think{open: "<seed:think>", close: "</seed:think>"})
}
