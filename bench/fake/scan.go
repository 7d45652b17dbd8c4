package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"focus/rollout"
)

// scanner walks a JSON text once. It allocates for strings only, and only
// checks what it reads: the fields it skips must be balanced, not valid.
type scanner struct {
	b []byte
	i int
}

var errScan = errors.New("unexpected JSON")

func (s *scanner) fail(want string) error {
	return fmt.Errorf("body at %d: %w, want %s", s.i, errScan, want)
}

// peek is the next byte that is not blank, 0 at the end.
func (s *scanner) peek() byte {
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

// take consumes c when it is next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c || c == 0 {
		return false
	}
	s.i++
	return true
}

// object calls field for each name, which must consume the value.
func (s *scanner) object(field func(name string) error) error {
	if !s.take('{') {
		return s.fail("an object")
	}
	for more := !s.take('}'); more; {
		name, err := s.text()
		if err != nil {
			return err
		}
		if !s.take(':') {
			return s.fail("a colon")
		}
		if err := field(name); err != nil {
			return err
		}
		if more = s.take(','); !more && !s.take('}') {
			return s.fail("a comma or the end of the object")
		}
	}
	return nil
}

// quoted is a string with its quotes.
func (s *scanner) quoted() ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.fail("a string")
	}
	from := s.i
	for s.i++; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '\\':
			s.i++
		case '"':
			s.i++
			return s.b[from:s.i], nil
		}
	}
	s.i = len(s.b)
	return nil, s.fail("the end of a string")
}

func (s *scanner) text() (string, error) {
	raw, err := s.quoted()
	if err != nil {
		return "", err
	}
	for _, c := range raw {
		if c == '\\' {
			var out string
			if err := json.Unmarshal(raw, &out); err != nil {
				return "", s.fail("a valid string")
			}
			return out, nil
		}
	}
	return string(raw[1 : len(raw)-1]), nil
}

// ids appends a list of ids to dst.
func (s *scanner) ids(dst []rollout.TokenID) ([]rollout.TokenID, error) {
	if !s.take('[') {
		return dst, s.fail("a list of ids")
	}
	if s.take(']') {
		return dst, nil
	}
	b, i := s.b, s.i
	for {
		// The common case is one digit after the other, a comma, a digit: no
		// blank is looked for unless something else comes.
		from, v := i, uint64(0)
		for i < len(b) {
			d := b[i] - '0'
			if d > 9 {
				break
			}
			v = v*10 + uint64(d)
			i++
		}
		if i == from {
			if s.i = i; s.peek() == 0 || s.i == i {
				return dst, s.fail("a non-negative 32-bit id")
			}
			i = s.i
			continue
		}
		if i-from > 10 || v > math.MaxInt32 || b[from] == '0' && i-from > 1 {
			s.i = from
			return dst, s.fail("a non-negative 32-bit id")
		}
		dst = append(dst, rollout.TokenID(v))
		if i < len(b) && b[i] == ',' {
			i++
			continue
		}
		s.i = i
		if s.take(']') {
			return dst, nil
		}
		if !s.take(',') {
			return dst, s.fail("a comma or the end of the list")
		}
		i = s.i
	}
}

// word is a number, true, false or null as it stands.
func (s *scanner) word() string {
	s.peek()
	from := s.i
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return string(s.b[from:s.i])
		}
		s.i++
	}
	return string(s.b[from:])
}

// number reads a number into v; null leaves it.
func number[T int64 | float64](s *scanner, v *T) error {
	w := s.word()
	if w == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(w, 64)
	if err != nil {
		return s.fail("a number")
	}
	*v = T(f)
	if n, err := strconv.ParseInt(w, 10, 64); err == nil {
		*v = T(n)
	}
	return nil
}

// flag reads true, false or null.
func (s *scanner) flag(v *bool) error {
	switch s.word() {
	case "true":
		*v = true
	case "false", "null":
		*v = false
	default:
		return s.fail("a boolean")
	}
	return nil
}

// skip passes over any value.
func (s *scanner) skip() error {
	switch s.peek() {
	case '"':
		_, err := s.quoted()
		return err
	case '{', '[':
		for depth := 0; s.i < len(s.b); {
			switch s.b[s.i] {
			case '"':
				if _, err := s.quoted(); err != nil {
					return err
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			s.i++
			if depth == 0 {
				return nil
			}
		}
		return s.fail("the end of a value")
	}
	if s.word() == "" {
		return s.fail("a value")
	}
	return nil
}
