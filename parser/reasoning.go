package parser

import "strings"

// think is how a dialect marks reasoning; the zero value is a dialect without.
type think struct {
	open, close string
	// bareClose says that a reply may begin with the closing marker alone: an
	// empty block.
	bareClose bool
}

// tags is the pair that most families use.
var tags = think{open: "<think>", close: "</think>"}

// splitReasoning reads the block at the very start. Only what begins a turn is
// reasoning; a later block is content. A call in a block that closes is a
// thought, in one that does not it is an attempt that must not run.
func (t *turn) splitReasoning(k think, calls *markers) *fault {
	if k.close == "" {
		return nil
	}
	if !t.thinking && !t.opensReasoning(k) {
		return nil
	}
	start := t.pos
	if i := strings.Index(t.rest(), k.close); i >= 0 {
		t.reasoning = t.src[start : start+i]
		t.pos += i + len(k.close)
		t.body = t.pos
		return nil
	}
	end := len(t.src)
	if at, _ := calls.find(t.src, start); at >= 0 {
		t.reasoning = t.src[start:at]
		t.pos, t.body = at, at
		f := t.malformed(reasonInThought)
		f.to = end
		return f
	}
	t.reasoning = t.src[start:]
	t.pos, t.body = end, end
	f := t.cut()
	f.reason = "the reply ends inside its reasoning"
	return f
}

// opensReasoning reads the opening marker, with blanks before it.
func (t *turn) opensReasoning(k think) bool {
	was := t.pos
	t.skipBlanks()
	if k.bareClose && strings.HasPrefix(t.rest(), k.close) {
		return true
	}
	if t.take(k.open) {
		return true
	}
	t.pos = was
	return false
}
