package parser

import "strings"

// The markers of gpt-oss.
const (
	hStart     = "<|start|>"
	hEnd       = "<|end|>"
	hMessage   = "<|message|>"
	hChannel   = "<|channel|>"
	hConstrain = "<|constrain|>"
	hCall      = "<|call|>"
	hReturn    = "<|return|>"
)

var hMarkers = newMarkers([]string{hStart, hEnd, hMessage, hChannel, hConstrain, hCall, hReturn})

// Harmony reads the messages of gpt-oss. A reply begins behind the header's
// role; what a message is for stands in its channel and its recipient. The call
// token ends a reply, so it holds one call at most.
func Harmony() Parser {
	return &dialect{open: newMarkers(), read: func(t *turn) *fault {
		h := &harmony{turn: t}
		f := h.messages()
		t.reasoning = strings.Join(h.thoughts, "\n")
		return f
	}}
}

type harmony struct {
	*turn
	thoughts []string
}

// messages reads the turn to its end.
func (h *harmony) messages() *fault {
	if h.thinking {
		if more, f := h.body(hHeader{channel: "analysis"}); f != nil || !more {
			return f
		}
	}
	for first := true; ; first = false {
		from := h.pos
		if first && !h.thinking && h.done() {
			return nil
		}
		m, f := h.header()
		if f != nil {
			return f.since(from)
		}
		if m.recipient != "" {
			return h.call(m, from)
		}
		more, f := h.body(m)
		if f != nil || !more {
			return f
		}
	}
}

// hHeader is what stands before a message's text.
type hHeader struct{ channel, recipient string }

// header reads the recipient and the channel in either order, and the content
// type, which says nothing more.
func (h *harmony) header() (hHeader, *fault) {
	var m hHeader
	at, mark := hMarkers.find(h.src, h.pos)
	if at < 0 {
		return m, h.unmarked()
	}
	if f := h.words(h.src[h.pos:at], &m, false); f != nil {
		return m, f
	}
	h.pos = at
	if mark != hChannel {
		return m, h.malformed("a message begins with its channel")
	}
	h.pos += len(mark)
	at, mark = hMarkers.find(h.src, h.pos)
	if at < 0 {
		return m, h.cut()
	}
	if f := h.words(h.src[h.pos:at], &m, true); f != nil {
		return m, f
	}
	h.pos = at
	if mark == hConstrain {
		h.pos += len(mark)
		if at, mark = hMarkers.find(h.src, h.pos); at < 0 {
			return m, h.cut()
		}
		h.pos = at
	}
	if mark != hMessage {
		return m, h.malformed("a message's header ends with the message marker")
	}
	h.pos += len(mark)
	return m, nil
}

// unmarked is text without a marker in it where a header should be.
func (h *harmony) unmarked() *fault {
	rest := trim(h.rest())
	if rest == "" || strings.HasPrefix(hChannel, rest) || strings.HasPrefix(rest, "to=") {
		return h.cut()
	}
	return h.malformed("a message begins with its channel")
}

// words reads one part of a header.
func (h *harmony) words(s string, m *hHeader, channel bool) *fault {
	for _, w := range strings.Fields(s) {
		to, isRecipient := strings.CutPrefix(w, "to=")
		switch {
		case isRecipient && m.recipient == "" && to != "":
			m.recipient = to
		case channel && m.channel == "":
			m.channel = w
		case channel && !isRecipient:
			// A content type: json, code.
		default:
			return h.malformed("a message's header holds a word out of its place")
		}
	}
	if channel && m.channel == "" {
		return h.malformed("a message names no channel")
	}
	return nil
}

// call reads the arguments of a call, which is the last thing of a reply.
func (h *harmony) call(m hHeader, from int) *fault {
	name, ok := strings.CutPrefix(m.recipient, "functions.")
	if !ok || name == "" || strings.ContainsAny(name, notInNames) {
		return h.malformed("a call is addressed to functions. and the name of a tool").since(from)
	}
	a := attempt{from: from}
	a.call.Name = name
	h.skipBlanks()
	if h.done() || strings.HasPrefix(h.rest(), hCall) {
		a.call.Arguments = []byte("{}")
	} else {
		var f *fault
		if a.call.Arguments, f = h.bareArguments(); f != nil {
			return f.since(from)
		}
	}
	h.skipBlanks()
	h.take(hCall)
	a.to = h.pos
	h.skipBlanks()
	if !h.done() {
		return h.malformed("there is text after the arguments").since(from)
	}
	h.add(a)
	return nil
}

// body reads a message without a recipient: a thought, or words to the user.
func (h *harmony) body(m hHeader) (more bool, f *fault) {
	thought := m.channel == "analysis"
	from := h.pos
	at, mark := hMarkers.find(h.src, from)
	if at >= 0 && mark != hEnd && (mark != hReturn || thought) {
		f := h.malformed("a message is not closed before the next begins").since(at)
		f.to = at + len(mark)
		h.pos = at
		if !thought {
			h.text(from, at)
		}
		return false, f
	}
	end := at
	if at < 0 {
		end = len(h.src)
	}
	h.pos = min(end+len(mark), len(h.src))
	if !thought {
		h.text(from, end)
	} else {
		h.thoughts = append(h.thoughts, trim(h.src[from:end]))
		h.turn.body = h.pos
	}
	switch {
	case at < 0 && thought:
		f := h.cut()
		f.reason = "the reply ends inside its reasoning"
		return false, f
	case mark == hEnd:
		return true, h.next()
	case !h.done():
		return false, h.malformed("there is text after the end of the reply")
	}
	return false, nil
}

// next reads the role of the message that follows another.
func (h *harmony) next() *fault {
	h.skipBlanks()
	for _, lit := range []string{hStart, "assistant"} {
		if f := h.expect(lit, "the header of the next message"); f != nil {
			return f
		}
	}
	return nil
}
