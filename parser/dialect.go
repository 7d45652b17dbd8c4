package parser

import "focus/rollout"

// dialect is one way to write calls. It is a value that nothing changes after
// its constructor, so a parser is safe for concurrent use.
type dialect struct {
	think think
	// open begins a call; used to see calls in reasoning that never closes.
	open *markers
	// read takes the turn from the end of its reasoning to the end of its text.
	read func(*turn) *fault
}

func (*dialect) Kinds() []rollout.ActionKind {
	return []rollout.ActionKind{rollout.ActionText, rollout.ActionToolCalls}
}

func (d *dialect) Parse(r Reply) Parsed {
	t := newTurn(r)
	f := t.splitReasoning(d.think, d.open)
	if f == nil {
		f = d.read(t)
	}
	return t.parsed(r, f)
}

// parsed is the verdict on a turn that was read to its end, or to f.
func (t *turn) parsed(r Reply, f *fault) Parsed {
	p := Parsed{
		Message: rollout.Message{
			Role:      rollout.RoleAssistant,
			Reasoning: trim(t.reasoning),
			Sampled:   r.Tokens,
		},
	}
	t.number()
	spans := spansOf(r)
	var calls []rollout.ToolCall
	for _, a := range t.attempts {
		calls = append(calls, a.call)
		p.Attempts = append(p.Attempts, rollout.Attempt{
			Status: rollout.ParseOK, Call: a.call, Span: spans.tokens(a.from, a.to),
		})
	}
	switch {
	case f != nil:
		p.Status = f.status
		if f.from < f.to {
			p.Attempts = append(p.Attempts, rollout.Attempt{
				Status: f.status, Span: spans.tokens(f.from, f.to), Reason: f.reason,
			})
		}
		p.Action = rollout.Invalid{Status: f.status, Feedback: f.feedback()}
	case len(calls) == 0:
		p.Status = rollout.ParseNone
		p.Message.Content = t.content()
		p.Action = rollout.Text{Content: p.Message.Content}
		return p
	case r.Finish != rollout.FinishStop:
		p.Status = rollout.ParseTruncated
		p.Action = rollout.Invalid{Status: p.Status, Feedback: feedbackCut}
	default:
		p.Status = rollout.ParseOK
		p.Message.Content = t.content()
		p.Message.ToolCalls = calls
		p.Action = rollout.Calls{Calls: p.Message.ToolCalls, Content: p.Message.Content}
		return p
	}
	p.Message.Content = trim(t.src[t.body:])
	return p
}
