package tokenizer

import "unicode/utf8"

// scanner is a pattern written by hand: the length of the first piece of a text that is
// not empty, and whether it is a match or what lies before the next one.
type scanner interface {
	first(text string) (n int, match bool)
}

// scanStage cuts a text into a scanner's pieces, the matches and what lies between.
type scanStage struct{ scanner scanner }

func (s scanStage) cut(dst []string, text string, _ bool) []string {
	for text != "" {
		n, _ := s.scanner.first(text)
		dst = append(dst, text[:n])
		text = text[n:]
	}
	return dst
}

// find lets a scanner stand where a pattern does.
func (s scanStage) find(dst []Span, text string) []Span {
	for at := 0; at < len(text); {
		n, match := s.scanner.first(text[at:])
		if match {
			dst = append(dst, Span{at, at + n})
		}
		at += n
	}
	return dst
}

// at is the class and the length of the character at i; zero at the end.
func (c *classes) at(text string, i int) (class, int) {
	if i >= len(text) {
		return 0, 0
	}
	if b := text[i]; b < utf8.RuneSelf {
		return c.ascii[b], 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	return c.of(r), n
}

// run is the end of the characters from i on that have one of the bits of any.
func (c *classes) run(text string, i int, any class) int {
	for i < len(text) {
		// ASCII on its own: this loop is where a scanner spends its time.
		if b := text[i]; b < utf8.RuneSelf {
			if c.ascii[b]&any == 0 {
				return i
			}
			i++
			continue
		}
		k, n := c.at(text, i)
		if k&any == 0 {
			return i
		}
		i += n
	}
	return i
}

// runBut is the end of the characters from i on that have none of the bits of not.
func (c *classes) runBut(text string, i int, not class) int {
	for i < len(text) {
		if b := text[i]; b < utf8.RuneSelf {
			if c.ascii[b]&not != 0 {
				return i
			}
			i++
			continue
		}
		k, n := c.at(text, i)
		if k&not != 0 {
			return i
		}
		i += n
	}
	return i
}

// digits is the end of \p{N}{1,most} at i.
func (c *classes) digits(text string, i, most int) int {
	for ; most > 0; most-- {
		k, n := c.at(text, i)
		if k&number == 0 {
			break
		}
		i += n
	}
	return i
}

// blank is the end of \s*[\r\n]+|\s+(?!\S)|\s+ for a text that starts with whitespace:
// up to its last line break; else all of it but the character before a word.
func (c *classes) blank(text string) int {
	end, last, lineEnd := 0, 0, 0
	for {
		k, n := c.at(text, end)
		if k&space == 0 {
			break
		}
		last = end
		end += n
		if k&newline != 0 {
			lineEnd = end
		}
	}
	switch {
	case lineEnd > 0:
		return lineEnd
	case end == len(text) || last == 0:
		return end
	}
	return last
}

// tail is the end of [\r\n]* at i, of [\r\n/]* where slash is '/'.
func tail(text string, i int, slash byte) int {
	for i < len(text) && (text[i] == '\r' || text[i] == '\n' || text[i] == slash) {
		i++
	}
	return i
}

// contraction is the end of (?i:'s|'t|'re|'ve|'m|'ll|'d) at i, i if there is none.
func contraction(text string, i int) int {
	rest := text[i:]
	if len(rest) < 2 || rest[0] != '\'' {
		return i
	}
	switch rest[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v':
		if len(rest) > 2 && rest[2]|0x20 == 'e' {
			return i + 3
		}
	case 'l':
		if len(rest) > 2 && rest[2]|0x20 == 'l' {
			return i + 3
		}
	}
	if len(rest) > 2 && rest[1:3] == "ſ" { // U+017F, which folds to s
		return i + 3
	}
	return i
}
