package jinja

import (
	"slices"
	"strings"
)

// pprintWidth is the line width of Python's pprint.
const pprintWidth = 80

// pprint is Python's pprint.pformat: the repr with sorted keys, broken into lines where it does not fit.
func (st *state) pprint(v Value) Value {
	s := st.pretty(v, 0, 0)
	st.grow(len(s))
	out := text(s)
	if m := st.str(v); len(m.marks) > 0 {
		out = &Str{s: s, n: -1, marks: wholeMarks(m.marks, len(s))}
	}
	return out
}

// pretty formats v that starts at column indent and is followed by after characters.
func (st *state) pretty(v Value, indent, after int) string {
	st.dive(1)
	defer st.rise(1)
	s := st.sortedRepr(v)
	if runeCount(s) <= pprintWidth-indent-after {
		return s
	}
	switch x := v.(type) {
	case *Dict:
		if len(x.keys) == 0 {
			return s
		}
		var parts []string
		order := st.keyOrder(x)
		for i, k := range order {
			key := st.sortedRepr(x.keys[k])
			last := 1
			if i == len(order)-1 {
				last = after + 1
			}
			parts = append(parts, key+": "+st.pretty(x.vals[k], indent+1+runeCount(key)+2, last))
		}
		return "{" + strings.Join(parts, ",\n"+strings.Repeat(" ", indent+1)) + "}"
	case *List:
		return "[" + st.prettyItems(x.items, indent+1, after+1) + "]"
	case *Tuple:
		end := ")"
		if len(x.items) == 1 {
			end = ",)"
		}
		return "(" + st.prettyItems(x.items, indent+1, after+len(end)) + end
	case *Str:
		return st.prettyStr(x, indent, after)
	}
	return s
}

func (st *state) prettyItems(items []Value, indent, after int) string {
	var parts []string
	for i, x := range items {
		last := 1
		if i == len(items)-1 {
			last = after
		}
		parts = append(parts, st.pretty(x, indent, last))
	}
	return strings.Join(parts, ",\n"+strings.Repeat(" ", indent))
}

// keyOrder sorts keys as pprint does: those that cannot be compared by the names of their types.
func (st *state) keyOrder(d *Dict) []int {
	order := make([]int, len(d.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := d.keys[i], d.keys[j]
		_, numbers := compareNumbers(a, b)
		_, s1 := a.(*Str)
		_, s2 := b.(*Str)
		if numbers || s1 && s2 {
			return st.sortOrder(a, b)
		}
		return strings.Compare(a.typeName(), b.typeName())
	})
	return order
}

// sortedRepr is repr with the keys of every dict sorted.
func (st *state) sortedRepr(v Value) string {
	st.step()
	st.dive(1)
	defer st.rise(1)
	list := func(open string, items []Value, end string) string {
		var parts []string
		for _, x := range items {
			parts = append(parts, st.sortedRepr(x))
		}
		return open + strings.Join(parts, ", ") + end
	}
	var s string
	switch x := v.(type) {
	case *Dict:
		var parts []string
		for _, k := range st.keyOrder(x) {
			parts = append(parts, st.sortedRepr(x.keys[k])+": "+st.sortedRepr(x.vals[k]))
		}
		s = "{" + strings.Join(parts, ", ") + "}"
	case *List:
		s = list("[", x.items, "]")
	case *Tuple:
		end := ")"
		if len(x.items) == 1 {
			end = ",)"
		}
		s = list("(", x.items, end)
	default:
		var b builder
		st.repr(&b, v)
		s = string(b.buf)
	}
	st.grow(len(s))
	return s
}

// prettyStr breaks a long string at its white space, one literal a line.
func (st *state) prettyStr(s *Str, indent, after int) string {
	lines := splitLines(s.plain(), true)
	var parts []string
	width := pprintWidth - indent
	for i, line := range lines {
		room := width
		if i == len(lines)-1 {
			room -= after
		}
		if r := quote(line.s); runeCount(r) <= room {
			parts = append(parts, r)
			continue
		}
		current := ""
		words := spacedWords(line.s)
		for k, w := range words {
			limit := width
			if k == len(words)-1 && i == len(lines)-1 {
				limit -= after
			}
			if runeCount(quote(current+w)) > limit {
				if current != "" {
					parts = append(parts, quote(current))
				}
				current = w
			} else {
				current += w
			}
		}
		if current != "" {
			parts = append(parts, quote(current))
		}
	}
	return strings.Join(parts, "\n"+strings.Repeat(" ", indent))
}

// spacedWords splits into words with the white space that follows each.
func spacedWords(s string) []string {
	var out []string
	for s != "" {
		n := strings.IndexFunc(s, isSpace)
		if n < 0 {
			return append(out, s)
		}
		for n < len(s) {
			r, k := decodeRune(s[n:])
			if !isSpace(r) {
				break
			}
			n += k
		}
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}
