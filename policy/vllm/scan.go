package vllm

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"focus/rollout"
)

// scan reads JSON without building values: the arrays of a reply are most of
// its bytes and of a generic decoder's time. The first fault is kept, and every
// method is idle after it. What is passed over is checked for balance only.
type scan struct {
	b   []byte
	i   int
	err error
}

func (s *scan) fail(want string) {
	if s.err == nil {
		s.err = fmt.Errorf("byte %d: want %s", s.i, want)
	}
	s.i = len(s.b)
}

// peek is the next byte that is not white space, 0 at the end.
func (s *scan) peek() byte {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\n', '\t', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

func (s *scan) take(c byte, what string) {
	if s.peek() != c || s.err != nil {
		s.fail(what)
		return
	}
	s.i++
}

// word takes a literal if it is next.
func (s *scan) word(w string) bool {
	s.peek()
	if s.err != nil || len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}

// next steps to the following item of an object or array that was opened;
// false at its end.
func (s *scan) next(first *bool, end byte) bool {
	if s.err != nil {
		return false
	}
	switch c := s.peek(); {
	case c == end:
		s.i++
		return false
	case *first:
		*first = false
		return true
	case c == ',':
		s.i++
		return true
	}
	s.fail("a comma or the end of a list")
	return false
}

// fields calls use for each key of an object; use takes the value.
func (s *scan) fields(use func(key []byte)) {
	s.take('{', "an object")
	for first := true; s.next(&first, '}'); {
		key := s.str()
		s.take(':', "a colon")
		if s.err != nil {
			return
		}
		use(key)
	}
}

// items calls use for each item of an array; use takes the value.
func (s *scan) items(use func()) {
	s.take('[', "a list")
	for first := true; s.next(&first, ']'); {
		use()
	}
}

// str is the raw content of a string, escapes as they stand.
func (s *scan) str() []byte {
	s.take('"', "a string")
	start := s.i
	for s.err == nil {
		n := bytes.IndexByte(s.b[s.i:], '"')
		if n < 0 {
			break
		}
		s.i += n + 1
		if !escaped(s.b[start : s.i-1]) {
			return s.b[start : s.i-1]
		}
	}
	s.fail("the end of a string")
	return nil
}

// escaped reports whether what follows b within a string is escaped.
func escaped(b []byte) bool {
	n := 0
	for len(b) > n && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// int is a whole number of at most 18 digits.
func (s *scan) int() int64 {
	c := s.peek()
	neg := c == '-'
	if neg {
		s.i++
	}
	start, v := s.i, int64(0)
	for s.i < len(s.b) && s.b[s.i]-'0' <= 9 {
		v = v*10 + int64(s.b[s.i]-'0')
		s.i++
	}
	if n := s.i - start; n == 0 || n > 18 || s.fraction() || s.err != nil {
		s.fail("a whole number")
		return 0
	}
	if neg {
		return -v
	}
	return v
}

func (s *scan) fraction() bool {
	return s.i < len(s.b) && (s.b[s.i] == '.' || s.b[s.i] == 'e' || s.b[s.i] == 'E')
}

// ids appends an array of token ids.
func (s *scan) ids(dst []rollout.TokenID) []rollout.TokenID {
	s.take('[', "a list of ids")
	for first := true; s.next(&first, ']'); {
		// run leaves the last id, which has no comma: one must be there.
		dst = append(s.run(dst), s.id())
	}
	return dst
}

// run appends ids for as long as each is a few digits and a comma, perhaps with
// a blank, which is nearly always. It stops before what it does not take.
func (s *scan) run(dst []rollout.TokenID) []rollout.TokenID {
	b, i := s.b, s.i
	for {
		for i < len(b) && b[i] == ' ' {
			i++
		}
		start, v := i, rollout.TokenID(0)
		for i < len(b) && i-start < 9 && b[i]-'0' <= 9 {
			v = v*10 + rollout.TokenID(b[i]-'0')
			i++
		}
		if i == start || i >= len(b) || b[i] != ',' {
			s.i = start
			return dst
		}
		dst = append(dst, v)
		i++
	}
}

func (s *scan) id() rollout.TokenID {
	v := s.int()
	if v < 0 || v > math.MaxInt32 {
		s.fail("a token id")
		return 0
	}
	return rollout.TokenID(v)
}

// float is a number; NaN for null and for what Python writes for it.
func (s *scan) float() float32 {
	if s.word("null") || s.word("NaN") {
		return float32(math.NaN())
	}
	if s.word("-Infinity") {
		return float32(math.Inf(-1))
	}
	if s.word("Infinity") {
		return float32(math.Inf(1))
	}
	start := s.i
	for s.i < len(s.b) && numberByte(s.b[s.i]) {
		s.i++
	}
	v, err := strconv.ParseFloat(string(s.b[start:s.i]), 32)
	if s.err != nil || err != nil && !math.IsInf(v, 0) {
		s.i = start
		s.fail("a number")
		return 0
	}
	return float32(v)
}

func numberByte(c byte) bool {
	return c-'0' <= 9 || c == '-' || c == '.' || c == 'e' || c == 'E' || c == '+'
}

// skip passes over one value.
func (s *scan) skip() {
	switch s.peek() {
	case '"':
		s.str()
	case '{', '[':
		s.skipNested()
	default:
		s.scalar()
	}
}

// skipNested passes over an object or array by its brackets and strings.
func (s *scan) skipNested() {
	for depth := 0; s.err == nil && s.i < len(s.b); {
		switch s.b[s.i] {
		case '"':
			s.str()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.i++
		if depth == 0 {
			return
		}
	}
	s.fail("the end of a list or object")
}

// scalar passes over a number or a literal.
func (s *scan) scalar() {
	start := s.i
	for s.i < len(s.b) {
		c := s.b[s.i]
		if !numberByte(c) && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		s.i++
	}
	if s.i == start {
		s.fail("a value")
	}
}
