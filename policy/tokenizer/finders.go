package tokenizer

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// literalFinder finds a string.
type literalFinder string

func (f literalFinder) find(dst []Span, text string) []Span {
	if f == "" {
		return dst
	}
	for at := 0; ; {
		n := strings.Index(text[at:], string(f))
		if n < 0 {
			return dst
		}
		at += n + len(f)
		dst = append(dst, Span{at - len(f), at})
	}
}

// newRegexFinder is the fastest way known to run a pattern: by hand, as a run of one
// set, as a table, by Go's regexp, or by regexp2, which is slow and said so.
func newRegexFinder(pattern string) (finder, error) {
	if s := handWritten(pattern); s != nil {
		return scanStage{s}, nil
	}
	root, err := parsePattern(pattern)
	if err != nil {
		return nil, err
	}
	if f, ok := newRunFinder(root); ok {
		return f, nil
	}
	p := &printer{symbols: newSymbols(root.sets(nil))}
	root.print(p)
	if !p.beyondRE2 {
		if d, ok := newDFA(p.String(), p.symbols); ok {
			return scanStage{d}, nil
		}
		if re, err := regexp.Compile(p.String()); err == nil {
			return re2Finder{re, p.symbols}, nil
		}
	}
	re, err := regexp2.Compile(p.String(), regexp2.None)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	slog.Warn("tokenizer: pattern without a scanner of its own, encoding will be slow", "pattern", pattern)
	return regexp2Finder{re, p.symbols}, nil
}

// runFinder is a pattern of one set, repeated or not.
type runFinder struct {
	in    *runeTable[bool]
	least int
	most  int // -1: no limit
}

func newRunFinder(root node) (finder, bool) {
	f := runFinder{least: 1, most: 1}
	if r, ok := root.(repeat); ok && r.min >= 1 && r.mode != lazy {
		f.least, f.most = r.min, r.max
		root = r.of
	}
	c, ok := root.(charNode)
	if !ok {
		return nil, false
	}
	f.in = newSetFinder(c.set, 1).in
	return f, true
}

// newSetFinder finds runs of a set's characters, at most most long (-1: no limit).
func newSetFinder(set runeSet, most int) runFinder {
	flat := make([]bool, utf8.MaxRune+1)
	for _, r := range set {
		for x := r.from; x <= r.to; x++ {
			flat[x] = true
		}
	}
	return runFinder{newRuneTable(flat), 1, most}
}

func (f runFinder) find(dst []Span, text string) []Span {
	start, count := 0, 0
	for at := 0; at <= len(text); {
		in, n := false, 1
		if at < len(text) {
			if b := text[at]; b < utf8.RuneSelf {
				in = f.in.ascii[b]
			} else {
				var r rune
				r, n = utf8.DecodeRuneInString(text[at:])
				in = f.in.of(r)
			}
		}
		if !in || count == f.most {
			if count >= f.least {
				dst = append(dst, Span{start, at})
			}
			count = 0
		}
		if in {
			if count == 0 {
				start = at
			}
			count++
		}
		at += n
	}
	return dst
}

// re2Finder runs Go's regexp over symbols, each a byte.
type re2Finder struct {
	re      *regexp.Regexp
	symbols *symbols
}

func (f re2Finder) find(dst []Span, text string) []Span {
	at := places{text: text}
	for _, m := range f.re.FindAllIndex(f.symbols.bytes(text), -1) {
		start := at.at(m[0])
		dst = append(dst, Span{start, at.at(m[1])})
	}
	return dst
}

// regexp2Finder runs regexp2 over symbols.
type regexp2Finder struct {
	re      *regexp2.Regexp
	symbols *symbols
}

func (f regexp2Finder) find(dst []Span, text string) []Span {
	at := places{text: text}
	// The only error is a timeout, and none is set.
	m, _ := f.re.FindRunesMatch(f.symbols.runes(text))
	for end := -1; m != nil; {
		if m.Length > 0 || m.Index != end { // an empty match right after a match is none
			start := at.at(m.Index)
			end = m.Index + m.Length
			dst = append(dst, Span{start, at.at(end)})
		}
		m, _ = f.re.FindNextMatch(m)
	}
	return dst
}
