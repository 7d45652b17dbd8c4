package tokenizer

// deepseek is the last of DeepSeek V3's three splits; what it does not match stays
// together as a piece.
//
//	[ASCII punctuation][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
type deepseek struct{ *classes }

func (s deepseek) first(text string) (int, bool) {
	if n := s.match(text); n > 0 {
		return n, true
	}
	_, i := s.at(text, 0)
	for i < len(text) && s.match(text[i:]) == 0 {
		_, n := s.at(text, i)
		i += n
	}
	return i, false
}

// match is the length of the match at the start of text, 0 if there is none.
func (s deepseek) match(text string) int {
	k, n := s.at(text, 0)
	if text[0] < 0x80 && k&(punct|symbol) != 0 {
		if end := asciiLetters(text, 1); end > 1 {
			return end
		}
	}
	if k&(letter|mark) != 0 {
		return s.run(text, n, letter|mark)
	}
	k2, _ := s.at(text, n)
	if k2&(letter|mark) != 0 && k&(newline|punct|symbol) == 0 {
		return s.run(text, n, letter|mark)
	}
	switch {
	case text[0] == ' ' && k2&(punct|symbol) != 0:
		return tail(text, s.run(text, 1, punct|symbol), '\n')
	case k&(punct|symbol) != 0:
		return tail(text, s.run(text, 0, punct|symbol), '\n')
	case k&space != 0:
		return s.blank(text)
	}
	return 0
}

func asciiLetters(text string, i int) int {
	for i < len(text) && 'a' <= text[i]|0x20 && text[i]|0x20 <= 'z' {
		i++
	}
	return i
}
