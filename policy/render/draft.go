package render

import (
	"strings"

	"focus/policy/tokenizer"
	"focus/rollout"
)

// draft is a prompt being put together: ids that are settled, then text that is
// not encoded yet with the ranges of it nobody vouches for.
type draft struct {
	enc   Encoder
	trust Trust
	ids   []rollout.TokenID
	text  strings.Builder
	plain []tokenizer.Span
	// drop says that the first id of the text is settled already: it stands in
	// the text so that the encoder sees the terminator it comes after.
	drop bool
}

// own adds the template's text.
func (d *draft) own(s string) { d.text.WriteString(s) }

// foreign adds text from a message or a tool.
func (d *draft) foreign(s string) {
	if s == "" {
		return
	}
	start := d.text.Len()
	d.text.WriteString(s)
	if d.trust == HFExact {
		return
	}
	if n := len(d.plain); n > 0 && d.plain[n-1].End == start {
		d.plain[n-1].End = d.text.Len()
		return
	}
	d.plain = append(d.plain, tokenizer.Span{Start: start, End: d.text.Len()})
}

// settle encodes the text so far.
func (d *draft) settle() {
	if d.text.Len() > 0 {
		at := len(d.ids)
		d.ids = d.enc.EncodeSpans(d.ids, d.text.String(), d.plain)
		if d.drop {
			d.ids = append(d.ids[:at], d.ids[at+1:]...)
		}
	}
	d.drop, d.plain = false, d.plain[:0]
	d.text.Reset()
}

// splice adds sampled ids. The text that follows must begin with the
// terminator, which is left out when the ids end with one.
func (d *draft) splice(ids []rollout.TokenID, terminated bool) {
	d.settle()
	d.ids = append(d.ids, ids...)
	d.drop = terminated
}

// done is the whole prompt.
func (d *draft) done() []rollout.TokenID {
	d.settle()
	return d.ids
}
