package render

import (
	"errors"
	"slices"
	"strings"

	"focus/policy/render/jinja"
	"focus/policy/tokenizer"
	"focus/rollout"
)

// turns is how a template ends an assistant turn.
type turns struct {
	// stops end a turn; the first is the template's own terminator.
	stops []rollout.TokenID
	// ends are the added tokens a turn may end with in the text.
	ends []tokenizer.AddedToken
	// closes says that a finished turn has its terminator in the text. Some
	// templates (GLM) have none: the next turn's header stops the model.
	closes bool
}

// probe renders a short conversation and looks at what follows the reply.
func (t *Template) probe(stops []rollout.TokenID, eos string) (turns, error) {
	var p turns
	stop := func(id rollout.TokenID) {
		if slices.Contains(p.stops, id) {
			return
		}
		p.stops = append(p.stops, id)
		if a, ok := t.byID(id); ok {
			p.ends = append(p.ends, a)
		}
	}
	values := t.values([]rollout.Message{rollout.User("a"), rollout.Assistant("b"), rollout.User("c")})
	closed, errClosed := t.render(values[:2], jinja.None, false)
	followed, errFollowed := t.render(values, jinja.None, true)
	if err := errors.Join(errClosed, errFollowed); errors.Is(err, errDate) {
		return p, errDate
	}
	reply := jinja.FromMessage(1)
	at, last := lastByte(followed, reply), lastByte(closed, reply)
	if errClosed == nil && errFollowed == nil && at >= 0 && last >= 0 {
		// The terminator between turns; its place after the last turn may hold
		// another (gpt-oss).
		a, ok := t.firstSpecial(followed, at, firstByteAfter(followed, at))
		_, here := t.firstSpecial(closed, last, len(closed.Text))
		if ok && here {
			p.closes = true
			stop(a.ID)
		}
	}
	if eos != "" {
		if id, ok := t.enc.ID(eos); ok {
			stop(id)
		}
	}
	for _, id := range stops {
		stop(id)
	}
	if len(p.stops) == 0 {
		return p, errors.New("chat template: no id ends a turn: neither the template, nor eos_token of tokenizer_config.json, nor generation_config.json names one")
	}
	return p, nil
}

func (t *Template) byID(id rollout.TokenID) (tokenizer.AddedToken, bool) {
	i, ok := slices.BinarySearchFunc(t.added, id, func(a tokenizer.AddedToken, id rollout.TokenID) int { return int(a.ID) - int(id) })
	if !ok {
		return tokenizer.AddedToken{}, false
	}
	return t.added[i], true
}

// firstSpecial is the special token that begins first in the template's own
// text between from and to.
func (t *Template) firstSpecial(out jinja.Output, from, to int) (tokenizer.AddedToken, bool) {
	for at := from; at < to; at++ {
		if a, ok := t.addedAt(out, at); ok && a.Special {
			return a, true
		}
	}
	return tokenizer.AddedToken{}, false
}

// addedAt is the longest added token that the template's own text has at a place.
func (t *Template) addedAt(out jinja.Output, at int) (tokenizer.AddedToken, bool) {
	var best tokenizer.AddedToken
	for _, a := range t.added {
		if len(a.Content) > len(best.Content) && strings.HasPrefix(out.Text[at:], a.Content) && own(out, at, at+len(a.Content)) {
			best = a
		}
	}
	return best, best.Content != ""
}

// endAfter is where the first token that can end a turn begins in the template's
// own text between from and to; -1 where there is none.
func (p *turns) endAfter(out jinja.Output, from, to int) int {
	found := -1
	for _, a := range p.ends {
		for at := from; at < to; {
			i := strings.Index(out.Text[at:to], a.Content)
			if i < 0 {
				break
			}
			if at += i; own(out, at, at+len(a.Content)) {
				if found < 0 || at < found {
					found = at
				}
				break
			}
			at++
		}
	}
	return found
}

// drops tells whether the token at a cut is settled by the last sampled id: it
// is that id, or ends the turn that another id has ended.
func (p *turns) drops(last rollout.TokenID, a tokenizer.AddedToken) bool {
	if last == a.ID {
		return true
	}
	ends := slices.ContainsFunc(p.ends, func(e tokenizer.AddedToken) bool { return e.ID == a.ID })
	return p.closes && ends && slices.Contains(p.stops, last)
}

// own tells whether a range of bytes is the template's own.
func own(out jinja.Output, from, to int) bool {
	i, _ := slices.BinarySearchFunc(out.Content, from, func(s jinja.Span, at int) int { return s.End - at - 1 })
	return i == len(out.Content) || out.Content[i].Start >= to
}

// lastByte is where the last text from a source ends; -1 where there is none.
func lastByte(out jinja.Output, src jinja.Source) int {
	for _, s := range slices.Backward(out.Content) {
		if s.Source == src {
			return s.End
		}
	}
	return -1
}

// firstByte is where the first text from a source begins; -1 where there is none.
func firstByte(out jinja.Output, src jinja.Source) int {
	for _, s := range out.Content {
		if s.Source == src {
			return s.Start
		}
	}
	return -1
}

// firstByteAfter is where text begins again that is not the template's.
func firstByteAfter(out jinja.Output, at int) int {
	for _, s := range out.Content {
		if s.Start >= at {
			return s.Start
		}
	}
	return len(out.Text)
}
