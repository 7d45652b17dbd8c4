package jinja

import "slices"

// Source says where text came from. The zero value is trusted text: the template's own and the caller's.
type Source int32

const (
	// Trusted marks nothing.
	Trusted Source = 0
	// ToolSchemas is the source of the tools list.
	ToolSchemas Source = -1
	// Documents is for the caller to Mark documents with.
	Documents Source = -2
)

// FromMessage is the source of everything in message i except its role.
func FromMessage(i int) Source { return Source(i + 1) }

// Message returns the message a source stands for.
func (s Source) Message() (i int, ok bool) { return int(s) - 1, s > 0 }

// Span is a range of bytes of a render's text.
type Span struct {
	Start, End int
	Source     Source // zero in Output.Generation
}

// mark says what bytes start..end of a string are: from where, and whether a generation block wrote them. Limits keep
// every text below 1 GiB.
type mark struct {
	start, end int32
	src        Source
	gen        bool
}

func cutMarks(ms []mark, from, to int) []mark {
	if len(ms) == 0 {
		return nil
	}
	i, j := int32(from), int32(to)
	if m := ms[0]; len(ms) == 1 && m.start <= i && m.end >= j {
		return []mark{{end: j - i, src: m.src, gen: m.gen}}
	}
	var out []mark
	for _, m := range ms {
		if m.end <= i {
			continue
		}
		if m.start >= j {
			break
		}
		m.start, m.end = max(m.start, i)-i, min(m.end, j)-i
		out = append(out, m)
	}
	return out
}

// wholeMarks marks n bytes as untrusted if any of ms is, with the first source found.
func wholeMarks(ms []mark, n int) []mark {
	if len(ms) == 0 || n == 0 {
		return nil
	}
	m := mark{end: int32(n), gen: ms[0].gen}
	for _, x := range ms {
		if x.src != Trusted {
			m.src = x.src
			break
		}
	}
	return []mark{m}
}

// builder collects text and its marks.
type builder struct {
	buf   []byte
	marks []mark
	gen   int // > 0 inside a generation block
}

func (b *builder) add(start, end int, src Source, gen bool) {
	if start >= end || src == Trusted && !gen {
		return
	}
	b.addMark(mark{start: int32(start), end: int32(end), src: src, gen: gen})
}

// addMark merges a mark into the last one where both say the same.
func (b *builder) addMark(n mark) {
	if k := len(b.marks) - 1; k >= 0 {
		if m := &b.marks[k]; m.end == n.start && m.src == n.src && m.gen == n.gen {
			m.end = n.end
			return
		}
	}
	b.marks = append(b.marks, n)
}

// raw appends trusted text.
func (b *builder) raw(s string) {
	at := len(b.buf)
	b.buf = append(b.buf, s...)
	if b.gen > 0 {
		b.add(at, len(b.buf), Trusted, true)
	}
}

func (b *builder) byte(c byte) {
	at := len(b.buf)
	b.buf = append(b.buf, c)
	if b.gen > 0 {
		b.add(at, at+1, Trusted, true)
	}
}

// str appends s with its marks.
func (b *builder) str(s *Str) { b.part(s, 0, len(s.s)) }

// part appends bytes i..j of s with their marks.
func (b *builder) part(s *Str, i, j int) {
	at := len(b.buf)
	b.buf = append(b.buf, s.s[i:j]...)
	if len(s.marks) == 0 && b.gen == 0 {
		return
	}
	b.markLike(s, i, j, at)
}

// markLike marks what was just appended at `at` as bytes i..j of s are; the two must be equally long.
func (b *builder) markLike(s *Str, i, j, at int) {
	gen, pos := b.gen > 0, i
	for _, m := range s.marks {
		lo, hi := max(int(m.start), i), min(int(m.end), j)
		if lo >= hi {
			continue
		}
		b.add(at+pos-i, at+lo-i, Trusted, gen)
		b.add(at+lo-i, at+hi-i, m.src, gen || m.gen)
		pos = hi
	}
	b.add(at+pos-i, at+j-i, Trusted, gen)
}

// rewrite appends s with every maximal run of equal marks passed through f, which appends its version of the run.
func (b *builder) rewrite(s *Str, f func(dst []byte, run string) []byte) {
	gen := b.gen > 0
	put := func(run string, src Source, g bool) {
		if run == "" {
			return
		}
		at := len(b.buf)
		b.buf = f(b.buf, run)
		b.add(at, len(b.buf), src, g)
	}
	pos := int32(0)
	for _, m := range s.marks {
		put(s.s[pos:m.start], Trusted, gen)
		put(s.s[m.start:m.end], m.src, gen || m.gen)
		pos = m.end
	}
	put(s.s[pos:], Trusted, gen)
}

// take returns what was built as a string. The builder can be used again after reset.
func (b *builder) take() *Str {
	if len(b.buf) == 0 {
		return emptyStr
	}
	s := &Str{s: string(b.buf), n: -1}
	if len(b.marks) > 0 {
		s.marks = slices.Clone(b.marks)
	}
	return s
}

func (b *builder) reset() { b.buf, b.marks, b.gen = b.buf[:0], b.marks[:0], 0 }

// spans splits the marks into the two lists a caller wants.
func (b *builder) spans() (content, generation []Span) {
	if len(b.marks) > 0 {
		content = make([]Span, 0, len(b.marks))
	}
	for _, m := range b.marks {
		if m.src != Trusted {
			content = addSpan(content, Span{Start: int(m.start), End: int(m.end), Source: m.src})
		}
		if m.gen {
			generation = addSpan(generation, Span{Start: int(m.start), End: int(m.end)})
		}
	}
	return content, generation
}

func addSpan(list []Span, s Span) []Span {
	if k := len(list) - 1; k >= 0 && list[k].End == s.Start && list[k].Source == s.Source {
		list[k].End = s.End
		return list
	}
	return append(list, s)
}
