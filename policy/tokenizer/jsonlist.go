package tokenizer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader reads the vocabulary and the merges. encoding/json has found the text
// valid before, so it only has to tell strings, numbers and punctuation apart.
type jsonReader struct {
	text string
	at   int
}

// next skips space and the separators, and is the first byte of what follows.
func (r *jsonReader) next() byte {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			r.at++
		default:
			return c
		}
	}
	return 0
}

// enter goes into the list or object that comes next.
func (r *jsonReader) enter(open byte, what string) error {
	if r.next() != open {
		return fmt.Errorf("not %s", what)
	}
	r.at++
	return nil
}

// end says whether the list or object ends here, and leaves it if so.
func (r *jsonReader) end() bool {
	if c := r.next(); c != ']' && c != '}' {
		return false
	}
	r.at++
	return true
}

func (r *jsonReader) string() (string, error) {
	if r.next() != '"' {
		return "", errors.New("not a string")
	}
	start := r.at + 1
	escaped := false
	for r.at = start; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			escaped = true
			r.at++
		}
	}
	s := r.text[start:r.at]
	r.at++
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("string %q is not UTF-8", s)
	}
	if escaped {
		return unescape(s)
	}
	return s, nil
}

func (r *jsonReader) id() (int32, error) {
	r.next()
	start := r.at
	for r.at < len(r.text) && strings.IndexByte("+-.0123456789eE", r.text[r.at]) >= 0 {
		r.at++
	}
	n, err := strconv.ParseUint(r.text[start:r.at], 10, 31)
	if err != nil {
		return 0, errors.New("id is not a number from 0 to 2147483647")
	}
	return int32(n), nil
}

func unescape(s string) (string, error) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		if k := strings.IndexByte(`"\/bfnrt`, s[i]); k >= 0 {
			b = append(b, "\"\\/\b\f\n\r\t"[k])
			continue
		}
		r := hexRune(s[i+1:])
		i += 4
		if utf16.IsSurrogate(r) {
			if !strings.HasPrefix(s[i+1:], `\u`) {
				return "", fmt.Errorf("string %q has half a surrogate pair", s)
			}
			if r = utf16.DecodeRune(r, hexRune(s[i+3:])); r == utf8.RuneError {
				return "", fmt.Errorf("string %q has half a surrogate pair", s)
			}
			i += 6
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b), nil
}

func hexRune(s string) rune {
	n, err := strconv.ParseUint(s[:4], 16, 16)
	if err != nil {
		return utf8.RuneError // encoding/json has checked the digits
	}
	return rune(n)
}
