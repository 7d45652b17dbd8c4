package tokenizer

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// dfa is a pattern without anchors as a table: from a state, by a symbol, to a state. It
// finds what a backtracking engine does, the first alternative that matches: a state is
// the threads of such an engine in the order of their priority, up to one that matches.
// Go's regexp has no such table and takes a hundred nanoseconds a character.
type dfa struct {
	symbols *symbols
	next    [][128]uint16 // by state and symbol; state 0 has no threads left
	matches []bool        // by state
}

const (
	dfaDead   = 0
	dfaStart  = 1
	maxStates = 500
)

// newDFA makes the table of a pattern printed over symbols; false when the pattern has
// anchors, matches the empty text, or has too many states.
func newDFA(pattern string, s *symbols) (dfa, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return dfa{}, false
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil || slices.ContainsFunc(prog.Inst, func(i syntax.Inst) bool { return i.Op == syntax.InstEmptyWidth }) {
		return dfa{}, false
	}
	d := dfa{symbols: s}
	numbers := map[string]uint16{}
	var states [][]uint32
	number := func(threads []uint32) uint16 {
		key := make([]byte, 0, 4*len(threads))
		for _, pc := range threads {
			key = append(key, byte(pc>>24), byte(pc>>16), byte(pc>>8), byte(pc))
		}
		n, ok := numbers[string(key)]
		if !ok {
			n = uint16(len(states))
			numbers[string(key)] = n
			states = append(states, threads)
			d.next = append(d.next, [128]uint16{})
			last := len(threads) - 1
			d.matches = append(d.matches, last >= 0 && prog.Inst[threads[last]].Op == syntax.InstMatch)
		}
		return n
	}
	number(nil)
	number(addThread(prog, nil, uint32(prog.Start)))
	if d.matches[dfaStart] {
		return dfa{}, false
	}
	for at := dfaStart; at < len(states); at++ {
		if len(states) > maxStates {
			return dfa{}, false
		}
		for _, c := range s.all {
			var threads []uint32
			for _, pc := range states[at] {
				if i := &prog.Inst[pc]; i.Op != syntax.InstMatch && i.MatchRune(c.symbol) {
					threads = addThread(prog, threads, i.Out)
				}
			}
			to := number(threads)
			d.next[at][c.symbol] = to
		}
	}
	return d, true
}

// addThread appends the instructions at which pc waits for a character, those tried
// first before the others. Behind one that matches none is added.
func addThread(prog *syntax.Prog, threads []uint32, pc uint32) []uint32 {
	if n := len(threads); n > 0 && prog.Inst[threads[n-1]].Op == syntax.InstMatch {
		return threads
	}
	seen := map[uint32]bool{}
	var add func(pc uint32)
	add = func(pc uint32) {
		if seen[pc] || slices.Contains(threads, pc) {
			return
		}
		if n := len(threads); n > 0 && prog.Inst[threads[n-1]].Op == syntax.InstMatch {
			return
		}
		seen[pc] = true
		switch i := &prog.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			add(i.Out)
			add(i.Arg)
		case syntax.InstCapture, syntax.InstNop:
			add(i.Out)
		case syntax.InstFail:
		default:
			threads = append(threads, pc)
		}
	}
	add(pc)
	return threads
}

func (d dfa) first(text string) (int, bool) {
	if end := d.match(text, 0); end > 0 {
		return end, true
	}
	at := 0
	for at == 0 || at < len(text) && d.match(text, at) == 0 {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at, false
}

// match is the end of the match that starts at, 0 if there is none.
func (d dfa) match(text string, at int) int {
	end := 0
	for state := uint16(dfaStart); at < len(text); {
		symbol, n := rune(0), 1
		if b := text[at]; b < utf8.RuneSelf {
			symbol = d.symbols.ascii[b]
		} else {
			var r rune
			r, n = utf8.DecodeRuneInString(text[at:])
			symbol = d.symbols.of(r)
		}
		state = d.next[state][symbol&127]
		if state == dfaDead {
			break
		}
		at += n
		if d.matches[state] {
			end = at
		}
	}
	return end
}
