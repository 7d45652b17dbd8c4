package parser

// ContentBefore is the content of a reply up to where its reading ended: the
// message of a failed reply shows the raw text instead. ok is false for a
// parser that has no calls.
func ContentBefore(p Parser, r Reply) (content string, ok bool) {
	d, ok := p.(*dialect)
	if !ok {
		return "", false
	}
	t := newTurn(r)
	if t.splitReasoning(d.think, d.open) == nil {
		d.read(t)
	}
	return t.content(), true
}
