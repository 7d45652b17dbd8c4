package tokenizer

// gpt2 is gpt2Pattern.
type gpt2 struct{ *classes }

func (s gpt2) first(text string) (int, bool) { return s.match(text), true }

func (s gpt2) match(text string) int {
	if n := contraction(text, 0); n > 0 && n < 4 && lowerContraction(text[:n]) {
		return n
	}
	i := 0
	if text[0] == ' ' {
		i = 1
	}
	k, n := s.at(text, i)
	switch {
	case n == 0:
		return i
	case k&letter != 0:
		return s.run(text, i, letter)
	case k&number != 0:
		return s.run(text, i, number)
	case k&space == 0:
		return s.runBut(text, i, space|letter|number)
	}
	return s.gap(text)
}

// gap is the end of \s+(?!\S)|\s+ at the start of text.
func (c *classes) gap(text string) int {
	end, last := 0, 0
	for {
		k, n := c.at(text, end)
		if k&space == 0 {
			break
		}
		last = end
		end += n
	}
	if end == len(text) || last == 0 {
		return end
	}
	return last
}

func lowerContraction(s string) bool {
	switch s {
	case "'s", "'t", "'re", "'ve", "'m", "'ll", "'d":
		return true
	}
	return false
}

// cl100k is the family of GPT-4's pattern (Llama 3, Qwen, GLM):
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// Qwen takes digits one by one, and its later models marks for letters.
type cl100k struct {
	*classes
	word   class // what a word is made of: letter, or letter|mark
	digits int
}

func (s cl100k) first(text string) (int, bool) { return s.match(text), true }

func (s cl100k) match(text string) int {
	if n := contraction(text, 0); n > 0 {
		return n
	}
	k, n := s.at(text, 0)
	switch {
	case k&s.word != 0:
		return s.run(text, n, s.word)
	case k&number != 0:
		return s.classes.digits(text, 0, s.digits)
	}
	k2, n2 := s.at(text, n)
	if k2&s.word != 0 && k&newline == 0 {
		return s.run(text, n+n2, s.word)
	}
	i := 0
	if text[0] == ' ' && n2 > 0 && k2&(space|s.word|number) == 0 {
		i = 1
	} else if k&space != 0 {
		return s.blank(text)
	}
	return tail(text, s.runBut(text, i, space|s.word|number), '\n')
}

// o200k is the family of GPT-4o's pattern (gpt-oss, Mistral's Tekken, Llama 4):
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|
//	\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// Tekken has no contractions and takes digits one by one.
type o200k struct {
	*classes
	contractions bool
	digits       int
}

func (s o200k) first(text string) (int, bool) { return s.match(text), true }

func (s o200k) match(text string) int {
	k, n := s.at(text, 0)
	if k&number != 0 {
		return s.classes.digits(text, 0, s.digits)
	}
	if end := s.word(text, k, n); end > 0 {
		if s.contractions {
			end = contraction(text, end)
		}
		return end
	}
	k2, n2 := s.at(text, n)
	i := 0
	if text[0] == ' ' && n2 > 0 && k2&(space|letter|number) == 0 {
		i = 1
	} else if k&space != 0 {
		return s.blank(text)
	}
	return tail(text, s.runBut(text, i, space|letter|number), '/')
}

// word is the end of the first two alternatives, 0 if neither matches. A mark may be
// the character before the word and may be in it, so both readings are tried, as the
// pattern does: all of the first alternative before the second.
func (s o200k) word(text string, k class, n int) int {
	prefix := k&(newline|letter|number) == 0
	if prefix {
		if end := s.mixed(text, n); end > n {
			return end
		}
	}
	if end := s.mixed(text, 0); end > 0 {
		return end
	}
	if prefix {
		if end := s.run(text, n, upper); end > n {
			return end
		}
	}
	return s.run(text, 0, upper)
}

// mixed is the end of [upper]*[lower]+ at i, i if it does not match.
func (s o200k) mixed(text string, i int) int {
	end, both := i, i // both: behind the last character that is upper and lower
	for {
		k, n := s.at(text, end)
		if k&upper == 0 {
			if k&lower != 0 {
				return s.run(text, end, lower)
			}
			return both
		}
		end += n
		if k&lower != 0 {
			both = end
		}
	}
}
