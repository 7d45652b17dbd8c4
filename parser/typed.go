package parser

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// typed is a text value as JSON of the first type that the schema allows and
// the text fits; one that fits none stays text, and validation answers.
func typed(text string, s *schema) []byte {
	k := s.kinds()
	if k == kindString {
		return quote(text)
	}
	v, isText := trim(text), k.has(kindString)
	switch {
	case k.has(kindNull) && (strings.EqualFold(v, "null") || v == "None" && !isText):
		return []byte("null")
	case k.has(kindInteger) && isNumber(v) && integral(v):
		return []byte(v)
	case k.has(kindNumber) && isNumber(v):
		return []byte(v)
	}
	if k.has(kindBoolean) {
		switch {
		case strings.EqualFold(v, "true") || v == "1" && !isText:
			return []byte("true")
		case strings.EqualFold(v, "false") || v == "0" && !isText:
			return []byte("false")
		}
	}
	if b, ok := structured(v, k); ok {
		return b
	}
	return quote(text)
}

// structured is an object or a list that a text writes: as JSON or, where it
// cannot be meant as text, as a Python literal, since several templates render
// one.
func structured(v string, k kinds) ([]byte, bool) {
	for _, c := range []struct {
		kind  kinds
		first string
	}{{kindObject, "{"}, {kindArray, "["}, {kindArray, "("}} {
		if !k.has(c.kind) || !strings.HasPrefix(v, c.first) {
			continue
		}
		if wholeJSON(v) {
			return []byte(v), true
		}
		if !k.has(kindString) {
			return wholeLiteral(v)
		}
	}
	return nil, false
}

func isNumber(v string) bool {
	n, whole := numberLen(v)
	return whole && n == len(v)
}

// integral reports whether a JSON number has no fraction, by its digits: 1e400
// has none and is no float.
func integral(v string) bool {
	v = strings.TrimPrefix(v, "-")
	mantissa, exponent := v, "0"
	if i := strings.IndexAny(v, "eE"); i >= 0 {
		mantissa, exponent = v[:i], v[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	if strings.Trim(whole+fraction, "0") == "" {
		return true
	}
	e, err := strconv.Atoi(exponent)
	if err != nil {
		return !strings.HasPrefix(exponent, "-")
	}
	zeros := -len(fraction)
	if fraction == "" {
		zeros = len(whole) - len(strings.TrimRight(whole, "0"))
	}
	return e >= -zeros
}

// textFault refuses a text value that JSON cannot carry.
func (t *turn) textFault(v string) *fault {
	if !utf8.ValidString(v) {
		return t.malformed("a value is not valid UTF-8")
	}
	return nil
}
