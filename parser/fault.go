package parser

import "focus/rollout"

// fault ends the reading of a turn: why, and which bytes the attempt covers.
// An empty range is a failure without an attempt.
type fault struct {
	status   rollout.ParseStatus
	reason   string
	from, to int
}

// since says where the attempt that failed began.
func (f *fault) since(from int) *fault {
	if f != nil {
		f.from = from
	}
	return f
}

// malformed is a break of the grammar at the cursor.
func (t *turn) malformed(reason string) *fault { return malformedAt(t.src, t.pos, reason) }

// cut is the end of the text where the grammar wants more.
func (t *turn) cut() *fault { return cutAt(t.src, t.pos) }

func malformedAt(src string, pos int, reason string) *fault {
	return &fault{
		status: rollout.ParseMalformed,
		reason: reason,
		from:   pos,
		to:     min(pos+1, len(src)),
	}
}

func cutAt(src string, pos int) *fault {
	return &fault{
		status: rollout.ParseTruncated,
		reason: "the reply ends inside the call",
		from:   pos,
		to:     len(src),
	}
}

// What the model is told. No markers in these: a prompt renderer that knows
// added tokens would turn them into real ones.
const (
	feedbackCut = "Your reply was cut off before it ended, so none of its tool calls ran. " +
		"Send them again, with fewer words before them."
	feedbackUnclosedCall = "Your reply stopped in the middle of a tool call, so nothing ran. " +
		"Send the whole call again."
	feedbackUnclosedThought = "Your reply ended while you were still reasoning, so it holds no answer. " +
		"Reason less, close the reasoning, then answer or call a tool."
	reasonInThought = "it stands inside reasoning that is never closed"
)

func (f *fault) feedback() string {
	switch {
	case f.status == rollout.ParseMalformed:
		return "Your tool call could not be read, so nothing ran: " + f.reason +
			". Correct this and send every call of the turn again."
	case f.from == f.to:
		return feedbackUnclosedThought
	}
	return feedbackUnclosedCall
}
