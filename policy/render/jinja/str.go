package jinja

import (
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// Str is a Python str together with where its bytes came from. Surrogates, which only an escape in a template's source can
// make, are kept as their three-byte form and refused in a render's output.
type Str struct {
	s      string
	marks  []mark // ascending, disjoint; bytes under none are trusted
	n      int    // code points; -1 while not counted
	markup bool   // Jinja's Markup: escapes what is added to it
	index  atomic.Pointer[[]int32]
}

func (s *Str) typeName() string {
	if s.markup {
		return "Markup"
	}
	return "str"
}

// String returns a trusted string: text of the caller's own, such as a role or a special token.
func String(s string) *Str { return &Str{s: s, n: utf8.RuneCountInString(s)} }

// Untrusted returns a string whose bytes are reported as coming from src, wherever a template puts them.
func Untrusted(s string, src Source) *Str {
	v := String(s)
	if src != Trusted && s != "" {
		v.marks = []mark{{end: int32(len(s)), src: src}}
	}
	return v
}

// Text returns the string's bytes.
func (s *Str) Text() string { return s.s }

var emptyStr = String("")

// text makes a trusted string inside a render.
func text(s string) *Str {
	if s == "" {
		return emptyStr
	}
	return &Str{s: s, n: -1}
}

// count returns the number of code points.
func (s *Str) count() int {
	if s.n < 0 {
		s.n = runeCount(s.s)
	}
	return s.n
}

func (s *Str) ascii() bool { return s.count() == len(s.s) }

// runeCount counts every surrogate as one code point, where utf8.RuneCountInString would count three.
func runeCount(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i]&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

// indexStep is how many code points lie between two remembered offsets.
const indexStep = 64

// offset returns the byte offset of code point i, 0 ≤ i ≤ count().
func (s *Str) offset(i int) int {
	n := s.count()
	if n == len(s.s) {
		return i
	}
	if i >= n {
		return len(s.s)
	}
	pos := 0
	if i >= indexStep {
		table := s.index.Load()
		if table == nil {
			table = s.buildIndex()
		}
		pos = int((*table)[i/indexStep])
	}
	for k := i % indexStep; k > 0; k-- {
		pos++
		for pos < len(s.s) && s.s[pos]&0xC0 == 0x80 {
			pos++
		}
	}
	return pos
}

// buildIndex may run in several renders at once; each stores the same table.
func (s *Str) buildIndex() *[]int32 {
	table := make([]int32, 0, s.n/indexStep+1)
	k := 0
	for pos := 0; pos < len(s.s); pos++ {
		if s.s[pos]&0xC0 == 0x80 {
			continue
		}
		if k%indexStep == 0 {
			table = append(table, int32(pos))
		}
		k++
	}
	s.index.Store(&table)
	return &table
}

// cut returns bytes i..j with their marks; it keeps Markup.
func (s *Str) cut(i, j int) *Str {
	if i == 0 && j == len(s.s) {
		return s
	}
	if i >= j {
		if s.markup {
			return &Str{markup: true}
		}
		return emptyStr
	}
	r := &Str{s: s.s[i:j], n: -1, markup: s.markup}
	if s.n == len(s.s) {
		r.n = j - i
	}
	r.marks = cutMarks(s.marks, i, j)
	return r
}

// plain drops Markup, as str(x) does.
func (s *Str) plain() *Str {
	if !s.markup {
		return s
	}
	return &Str{s: s.s, marks: s.marks, n: s.n}
}

// safe returns s as Markup.
func (s *Str) safe() *Str {
	if s.markup {
		return s
	}
	return &Str{s: s.s, marks: s.marks, n: s.n, markup: true}
}

// like returns r as Markup where s is.
func (s *Str) like(r *Str) *Str {
	if s.markup {
		return r.safe()
	}
	return r
}

// wholly returns text t, all of it marked as s is where s is marked at all: for changes in which bytes cannot be followed.
func (s *Str) wholly(t string) *Str {
	if t == s.s {
		return s
	}
	r := &Str{s: t, n: -1, markup: s.markup}
	r.marks = wholeMarks(s.marks, len(t))
	return r
}

func (s *Str) indexOf(sub string, from, to int) int {
	i := strings.Index(s.s[from:to], sub)
	if i < 0 {
		return -1
	}
	return from + i
}

// decodeRune is utf8.DecodeRuneInString that also knows surrogates.
func decodeRune(s string) (rune, int) {
	if s == "" {
		return utf8.RuneError, 0
	}
	if c := s[0]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 && len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2]&0xC0 == 0x80 {
		return rune(s[0]&0x0F)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, n
}

// appendRune is utf8.AppendRune that also knows surrogates.
func appendRune(b []byte, r rune) []byte {
	if r >= 0xD800 && r <= 0xDFFF {
		return append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(b, r)
}
