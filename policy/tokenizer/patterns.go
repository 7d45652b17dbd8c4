package tokenizer

// The patterns known by their text. Most are put together from the same parts.
const (
	contractions = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	gpt4Blank    = `|\s*[\r\n]+|\s+(?!\S)|\s+`
	gpt4Rest     = `| ?[^\s\p{L}\p{N}]+[\r\n]*` + gpt4Blank
	gpt4Words    = contractions + `|[^\r\n\p{L}\p{N}]?\p{L}+`
	gpt4oUpper   = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	gpt4oLower   = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
	gpt4oFirst   = `[^\r\n\p{L}\p{N}]?` + gpt4oUpper + `*` + gpt4oLower + `+`
	gpt4oSecond  = `[^\r\n\p{L}\p{N}]?` + gpt4oUpper + `+` + gpt4oLower + `*`
	gpt4oRest    = `| ?[^\s\p{L}\p{N}]+[\r\n/]*` + gpt4Blank

	// gpt2Pattern is what the ByteLevel pre-tokenizer splits by.
	gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

	cl100kPattern = gpt4Words + `|\p{N}{1,3}` + gpt4Rest // GPT-4, Llama 3, GLM
	qwenPattern   = gpt4Words + `|\p{N}` + gpt4Rest
	qwenMarks     = contractions + `|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*` + gpt4Blank

	o200kPattern = gpt4oFirst + contractions + `?|` + gpt4oSecond + contractions + `?|\p{N}{1,3}` + gpt4oRest // GPT-4o, gpt-oss
	o200kPlain   = gpt4oFirst + `|` + gpt4oSecond + `|\p{N}{1,3}` + gpt4oRest
	tekken       = gpt4oFirst + `|` + gpt4oSecond + `|\p{N}` + gpt4oRest // Mistral

	deepseekPattern = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|" +
		`[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*` + gpt4Blank
)

// handWritten is the scanner for a pattern, nil if there is none.
func handWritten(pattern string) scanner {
	c := theClasses()
	switch pattern {
	case gpt2Pattern:
		return gpt2{c}
	case qwenPattern:
		return cl100k{c, letter, 1}
	case qwenMarks:
		return cl100k{c, letter | mark, 1}
	case cl100kPattern:
		return cl100k{c, letter, 3}
	case o200kPattern:
		return o200k{c, true, 3}
	case o200kPlain:
		return o200k{c, false, 3}
	case tekken:
		return o200k{c, false, 1}
	case deepseekPattern:
		return deepseek{c}
	}
	return nil
}
