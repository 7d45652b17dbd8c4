package jinja

import "strings"

// number reads a float or an integer with Python's underscores.
func (l *lexer) number(rest string) bool {
	if rest[0] < '0' || rest[0] > '9' {
		return false
	}
	if n := floatLen(rest); n > 0 && (l.pos == 0 || l.src[l.pos-1] != '.') {
		l.emit(tFloat, strings.ReplaceAll(rest[:n], "_", ""))
		l.advance(l.pos + n)
		return true
	}
	n := integerLen(rest)
	l.emit(tInteger, strings.ReplaceAll(rest[:n], "_", ""))
	l.advance(l.pos + n)
	return true
}

func floatLen(s string) int {
	i := digitsLen(s)
	fraction := 0
	if i < len(s) && s[i] == '.' {
		if n := digitsLen(s[i+1:]); n > 0 {
			fraction = 1 + n
		}
	}
	exponent := 0
	if j := i + fraction; j < len(s) && (s[j] == 'e' || s[j] == 'E') {
		k := j + 1
		if k < len(s) && (s[k] == '+' || s[k] == '-') {
			k++
		}
		if n := digitsLen(s[k:]); n > 0 {
			exponent = k + n - j
		}
	}
	if fraction+exponent == 0 {
		return 0
	}
	return i + fraction + exponent
}

// digitsLen matches (\d+_)*\d+.
func digitsLen(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] >= '0' && s[i] <= '9':
			n = i + 1
		case s[i] == '_' && n == i && i > 0:
		default:
			return n
		}
	}
	return n
}

func integerLen(s string) int {
	if s[0] != '0' {
		return underscored(s, 1, func(c byte) bool { return c >= '0' && c <= '9' })
	}
	if len(s) > 1 {
		var digit func(byte) bool
		switch s[1] | 0x20 {
		case 'b':
			digit = func(c byte) bool { return c == '0' || c == '1' }
		case 'o':
			digit = func(c byte) bool { return c >= '0' && c <= '7' }
		case 'x':
			digit = isHex
		}
		if digit != nil {
			if n := underscored(s, 2, digit); n > 2 {
				return n
			}
		}
	}
	return underscored(s, 1, func(c byte) bool { return c == '0' })
}

// underscored matches (_?digit)* from position i on.
func underscored(s string, i int, digit func(byte) bool) int {
	for i < len(s) {
		k := i
		if s[k] == '_' {
			k++
		}
		if k >= len(s) || !digit(s[k]) {
			break
		}
		i = k + 1
	}
	return i
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
