package render

import (
	"fmt"
	"slices"
	"strings"

	"focus/policy/render/jinja"
	"focus/policy/tokenizer"
	"focus/rollout"
)

// Bridge renders the conversation as it was sent, with the reply, and with what
// came since, and encodes what the last has beyond the reply. Rendering costs
// the conversation's length, encoding the bridge's own.
//
// A reply that the template refuses to render (two calls where it knows one) is
// rendered as plain text: its ids are there already, and what follows it is
// what matters.
func (t *Template) Bridge(g Gap) (Bridge, error) {
	if g.Covered < 1 || g.Covered > len(g.Messages) {
		return Bridge{}, fmt.Errorf("bridge after message %d of %d", g.Covered-1, len(g.Messages))
	}
	tools, err := t.tools(g.Tools)
	if err != nil {
		return Bridge{}, err
	}
	values := t.values(g.Messages)
	said := g.Messages[g.Covered-1].Sampled
	b, err := t.bridge(values, tools, g.Covered, g.Last, said)
	if err == nil {
		return b, nil
	}
	for i, m := range g.Messages[:g.Covered] {
		if m.Role == rollout.RoleAssistant {
			values[i] = t.value(i, rollout.Assistant(cmpOr(m.Content, "-")))
		}
	}
	if b, plain := t.bridge(values, tools, g.Covered, g.Last, said); plain == nil {
		return b, nil
	}
	return Bridge{}, err
}

func cmpOr(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}

func (t *Template) bridge(values []jinja.Value, tools jinja.Value, covered int, last rollout.TokenID, said []rollout.TokenID) (Bridge, error) {
	whole, err := t.render(values, tools, true)
	if err != nil {
		return Bridge{}, err
	}
	r, err := t.ending(values, tools, covered-1)
	if err != nil {
		return Bridge{}, err
	}
	cut, found := r.end, strings.HasPrefix(whole.Text, r.upTo())
	b := Bridge{Rewrites: !found || !r.follows}
	if end, ok := t.literal(whole, len(r.sent), said); ok && strings.HasPrefix(whole.Text, r.sent) {
		cut, found, b.Rewrites = end, true, false
	}
	if !found {
		cut = t.cutBySource(whole, covered-1)
	}
	a, ok := t.addedAt(whole, cut)
	b.IDs = t.encode(nil, whole, cut, len(whole.Text))
	if !ok || b.IDs[0] != a.ID {
		// Nothing there keeps the ids on both sides apart: the history is not
		// what encoding the whole would give.
		b.Rewrites = true
		return b, nil
	}
	if t.turns.drops(last, a) {
		b.IDs = slices.Delete(b.IDs, 0, 1)
	}
	return b, nil
}

// ending is an assistant message where it was sampled: as the last one.
type ending struct {
	out   jinja.Output // the conversation up to and with it, finished
	sent  string       // the conversation up to the prompt for it
	start int          // where the sampled text begins
	end   int          // where its terminator begins
	// follows says that the sampled text follows the prompt for it.
	follows bool
	// header is the template's own text before it.
	header string
}

func (r ending) upTo() string    { return r.out.Text[:r.end] }
func (r ending) sampled() string { return r.out.Text[r.start:r.end] }

func (t *Template) ending(values []jinja.Value, tools jinja.Value, i int) (ending, error) {
	sent, err := t.render(values[:i], tools, true)
	if err != nil {
		return ending{}, err
	}
	r := ending{sent: sent.Text, start: len(sent.Text)}
	if r.out, err = t.render(values[:i+1], tools, false); err != nil {
		return ending{}, err
	}
	from := lastByte(r.out, jinja.FromMessage(i))
	if strings.HasPrefix(r.out.Text, sent.Text) {
		from = max(from, len(sent.Text))
	}
	if from >= 0 {
		r.end = t.turns.endAfter(r.out, from, len(r.out.Text))
	} else {
		r.end = -1
	}
	if r.end < 0 {
		r.end = len(r.out.Text)
	}
	r.follows = strings.HasPrefix(r.upTo(), sent.Text)
	at := 0
	if n := len(sent.Content); n > 0 {
		at = sent.Content[n-1].End
	}
	r.header = sent.Text[at:]
	return r, nil
}

// literal tells whether the text of sampled ids stands at a place, up to a token
// that ends the turn there, and where that token begins.
func (t *Template) literal(out jinja.Output, at int, said []rollout.TokenID) (end int, ok bool) {
	if n := len(said); n == 0 || at > len(out.Text) {
		return 0, false
	} else if slices.Contains(t.turns.stops, said[n-1]) {
		said = said[:n-1]
	}
	text := t.enc.AppendBytes(nil, said)
	if !strings.HasPrefix(out.Text[at:], string(text)) {
		return 0, false
	}
	end = at + len(text)
	a, ok := t.addedAt(out, end)
	if t.turns.closes {
		ok = ok && slices.ContainsFunc(t.turns.ends, func(e tokenizer.AddedToken) bool { return e.ID == a.ID })
	}
	return end, ok
}

// standsAt is where message i begins in a text by the header before it; -1 where
// that cannot be told.
func (t *Template) standsAt(out jinja.Output, r ending, i int) int {
	if strings.HasPrefix(out.Text, r.sent) {
		return len(r.sent)
	}
	here := firstByte(out, jinja.FromMessage(i))
	if here < 0 || r.header == "" {
		return -1
	}
	at := strings.LastIndex(out.Text[:here], r.header)
	if at < 0 || !own(out, at, at+len(r.header)) {
		return -1
	}
	return at + len(r.header)
}

// cutBySource finds the end of message i in a text that renders the history in
// another way: after the last of its text that comes before later messages', at
// a token that can end a turn.
func (t *Template) cutBySource(out jinja.Output, i int) int {
	later := len(out.Text)
	for _, s := range out.Content {
		if k, ok := s.Source.Message(); ok && k > i {
			later = s.Start
			break
		}
	}
	after := 0
	for _, s := range slices.Backward(out.Content) {
		if s.Source != jinja.FromMessage(i) || s.Start >= later {
			continue
		}
		after = max(after, s.End)
		if cut := t.turns.endAfter(out, s.End, later); cut >= 0 {
			return cut
		}
	}
	if after > 0 {
		return after
	}
	// Nothing of the message is left: the last turn that ends before the rest.
	cut := later
	for at := 0; at >= 0 && at < later; {
		if at = t.turns.endAfter(out, at, later); at >= 0 {
			cut = at
			at++
		}
	}
	return cut
}
