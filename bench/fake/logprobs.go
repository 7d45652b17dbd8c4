package fake

import (
	"strconv"

	"focus/rollout"
)

// entry is one position of logprobs.
type entry struct {
	id      rollout.TokenID
	logprob float32
	// literal stands for the logprob when not empty.
	literal string
}

// entries calls yield for each position that logprobs cover: the sampled ids,
// after the prompt's own when it is echoed.
func (a *answer) entries(yield func(entry)) {
	if a.req.Echo {
		l := a.reply.start
		for i, id := range a.prompt {
			e := entry{id: id, literal: "null"}
			if i > 0 {
				e = entry{id: id, logprob: l.logprob(id)}
			}
			yield(e)
			l.see(id)
		}
		if a.req.Wanted == 0 {
			return
		}
	}
	n := len(a.reply.Logprobs)
	if n == 0 {
		return
	}
	for i := range n + a.extraLogprob {
		k := min(i, n-1)
		e := entry{id: a.reply.Tokens[k], logprob: a.reply.Logprobs[k]}
		if k == n-1 {
			e.literal = a.lastLogprob
		}
		yield(e)
	}
}

// appendValue writes the logprob of e. The text of the last one is kept: a
// steady script says the same again and again.
func (a *answer) appendValue(b []byte, e entry) []byte {
	if e.literal != "" {
		return append(b, e.literal...)
	}
	if len(a.memoText) == 0 || e.logprob != a.memo {
		a.memo, a.memoText = e.logprob, appendFloat(a.memoText[:0], e.logprob)
	}
	return append(b, a.memoText...)
}

func appendFloat(b []byte, v float32) []byte {
	return strconv.AppendFloat(b, float64(v), 'g', -1, 32)
}

// appendName writes the string that stands for an id.
func (a *answer) appendName(b []byte, id rollout.TokenID) []byte {
	if a.req.IDStrings {
		b = append(b, `"token_id:`...)
	} else {
		b = append(b, `"t`...)
	}
	return append(strconv.AppendInt(b, int64(id), 10), '"')
}

// appendLogprobs writes the four parallel lists of a completion's logprobs.
func (a *answer) appendLogprobs(b []byte) []byte {
	if a.noLogprobs {
		return append(b, `null`...)
	}
	comma := func() {
		if b[len(b)-1] != '[' {
			b = append(b, ',')
		}
	}
	b = append(b, `{"text_offset":[`...)
	offset := int64(0)
	a.entries(func(e entry) {
		comma()
		b = strconv.AppendInt(b, offset, 10)
		mark := len(b)
		b = a.appendName(b, e.id)
		offset += int64(len(b) - mark - 2)
		b = b[:mark]
	})
	b = append(b, `],"token_logprobs":[`...)
	a.entries(func(e entry) { comma(); b = a.appendValue(b, e) })
	b = append(b, `],"tokens":[`...)
	a.entries(func(e entry) { comma(); b = a.appendName(b, e.id) })
	b = append(b, `],"top_logprobs":[`...)
	a.entries(func(e entry) {
		comma()
		if e.literal == "null" {
			b = append(b, `null`...)
			return
		}
		b = append(a.appendName(append(b, '{'), e.id), ':')
		b = append(a.appendValue(b, e), '}')
	})
	return append(b, `]}`...)
}

// appendPromptLogprobs writes the scores of the prompt's own ids.
func (a *answer) appendPromptLogprobs(b []byte) []byte {
	if a.req.PromptLogprobs < 0 {
		return append(b, `null`...)
	}
	l := a.reply.start
	b = append(b, '[')
	for i, id := range a.prompt {
		if i == 0 {
			b = append(b, `null`...)
		} else {
			b = strconv.AppendInt(append(b, `,{"`...), int64(id), 10)
			b = appendFloat(append(b, `":{"logprob":`...), l.logprob(id))
			b = append(b, `,"rank":1,"decoded_token":""}}`...)
		}
		l.see(id)
	}
	return append(b, ']')
}
