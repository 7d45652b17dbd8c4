package jinja

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxJSONDepth is how deep Python's json reads nested arrays and objects.
const maxJSONDepth = 990

// Decode reads JSON as Python's json.loads does: objects keep the order of their keys, numbers are ints or floats by their
// text and of any size, NaN and the infinities are accepted. Every string and key is marked as coming from src. It refuses
// half surrogate pairs and invalid UTF-8, which Python accepts and then cannot encode.
func Decode(data string, src Source) (Value, error) {
	d := &decoder{s: data, src: src}
	v, err := d.value(0)
	if err == nil {
		if d.space(); d.i < len(d.s) {
			err = errors.New("extra data")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("json at byte %d: %w", d.i, err)
	}
	return v, nil
}

type decoder struct {
	s   string
	i   int
	src Source
}

func (d *decoder) space() {
	for d.i < len(d.s) && strings.IndexByte(" \t\n\r", d.s[d.i]) >= 0 {
		d.i++
	}
}

func (d *decoder) value(depth int) (Value, error) {
	d.space()
	if d.i == len(d.s) {
		return nil, errors.New("a value is missing")
	}
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("nested more than %d deep", maxJSONDepth)
	}
	switch c := d.s[d.i]; c {
	case '"':
		return d.str()
	case '{':
		return d.object(depth)
	case '[':
		return d.array(depth)
	}
	for _, w := range words {
		if strings.HasPrefix(d.s[d.i:], w.text) {
			d.i += len(w.text)
			return w.val, nil
		}
	}
	return d.number()
}

var words = []struct {
	text string
	val  Value
}{
	{"null", None}, {"true", Bool(true)}, {"false", Bool(false)}, {"NaN", Float(math.NaN())},
	{"Infinity", Float(math.Inf(1))}, {"-Infinity", Float(math.Inf(-1))},
}

func (d *decoder) number() (Value, error) {
	start := d.i
	digits := func() bool {
		from := d.i
		for d.i < len(d.s) && d.s[d.i] >= '0' && d.s[d.i] <= '9' {
			d.i++
		}
		return d.i > from
	}
	if d.s[d.i] == '-' {
		d.i++
	}
	if d.i < len(d.s) && d.s[d.i] == '0' {
		d.i++
	} else if !digits() {
		d.i = start
		return nil, errors.New("a value is missing")
	}
	if end := d.i; end < len(d.s) && d.s[end] == '.' {
		if d.i++; !digits() {
			d.i = end
		}
	}
	if end := d.i; end < len(d.s) && d.s[end]|0x20 == 'e' {
		d.i++
		if d.i < len(d.s) && (d.s[d.i] == '+' || d.s[d.i] == '-') {
			d.i++
		}
		if !digits() {
			d.i = end
		}
	}
	v, err := Number(d.s[start:d.i])
	if err != nil {
		return nil, fmt.Errorf("number %.40s: %w", d.s[start:d.i], err)
	}
	return v, nil
}

func (d *decoder) array(depth int) (Value, error) {
	d.i++
	l := &List{}
	if d.space(); d.next(']') {
		return l, nil
	}
	for {
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		l.items = append(l.items, v)
		d.space()
		switch {
		case d.next(','):
		case d.next(']'):
			return l, nil
		default:
			return nil, errors.New("a comma or ] is missing")
		}
	}
}

func (d *decoder) object(depth int) (Value, error) {
	d.i++
	m := NewDict(0)
	if d.space(); d.next('}') {
		return m, nil
	}
	for {
		if d.space(); d.i == len(d.s) || d.s[d.i] != '"' {
			return nil, errors.New("a key in double quotes is missing")
		}
		k, err := d.str()
		if err != nil {
			return nil, err
		}
		if d.space(); !d.next(':') {
			return nil, errors.New("a colon is missing")
		}
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		m.put(k, v)
		d.space()
		switch {
		case d.next(','):
		case d.next('}'):
			return m, nil
		default:
			return nil, errors.New("a comma or } is missing")
		}
	}
}

func (d *decoder) next(c byte) bool {
	if d.i < len(d.s) && d.s[d.i] == c {
		d.i++
		return true
	}
	return false
}

func (d *decoder) str() (Value, error) {
	d.i++
	start := d.i
	for d.i < len(d.s) {
		switch c := d.s[d.i]; {
		case c == '"':
			raw := d.s[start:d.i]
			d.i++
			return d.text(raw)
		case c == '\\':
			return d.escaped(start)
		case c < ' ':
			return nil, errors.New("a control character in a string")
		}
		d.i++
	}
	return nil, errors.New("a string has no end")
}

func (d *decoder) text(s string) (Value, error) {
	if !utf8.ValidString(s) {
		return nil, errors.New("a string is not valid UTF-8")
	}
	return Untrusted(s, d.src), nil
}

// escaped reads on from the first escape of the string that began at start.
func (d *decoder) escaped(start int) (Value, error) {
	b := []byte(d.s[start:d.i])
	for d.i < len(d.s) {
		c := d.s[d.i]
		d.i++
		switch {
		case c == '"':
			return d.text(string(b))
		case c < ' ':
			return nil, errors.New("a control character in a string")
		case c != '\\':
			b = append(b, c)
			continue
		}
		if d.i == len(d.s) {
			break
		}
		e := d.s[d.i]
		d.i++
		if k := strings.IndexByte(`"\/bfnrt`, e); k >= 0 {
			b = append(b, "\"\\/\b\f\n\r\t"[k])
			continue
		}
		if e != 'u' {
			return nil, fmt.Errorf("invalid escape \\%c", e)
		}
		r, err := d.codePoint()
		if err != nil {
			return nil, err
		}
		b = utf8.AppendRune(b, r)
	}
	return nil, errors.New("a string has no end")
}

func (d *decoder) codePoint() (rune, error) {
	hi, err := d.hex()
	if err != nil || hi < 0xD800 || hi > 0xDFFF {
		return hi, err
	}
	if hi < 0xDC00 && strings.HasPrefix(d.s[d.i:], `\u`) {
		d.i += 2
		lo, err := d.hex()
		if err != nil {
			return 0, err
		}
		if lo >= 0xDC00 && lo <= 0xDFFF {
			return 0x10000 + (hi-0xD800)<<10 + (lo - 0xDC00), nil
		}
	}
	return 0, errors.New("half a surrogate pair")
}

func (d *decoder) hex() (rune, error) {
	if d.i+4 > len(d.s) {
		return 0, errors.New("invalid \\u escape")
	}
	h := d.s[d.i : d.i+4]
	n, err := strconv.ParseUint(h, 16, 32)
	if err != nil {
		return 0, errors.New("invalid \\u escape")
	}
	d.i += 4
	return rune(n), nil
}
