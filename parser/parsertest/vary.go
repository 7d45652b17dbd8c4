package parsertest

import (
	"math/rand/v2"
	"testing"

	"focus/parser"
	"focus/rollout"
)

// cuts reads the same text from other ids.
func cuts(t *testing.T, p parser.Parser, whole parser.Reply) {
	t.Helper()
	want := p.Parse(whole)
	rng := rand.New(rand.NewPCG(1, uint64(len(whole.Text))))
	for i := range 40 {
		r := Chunks(whole, rng, 1+i)
		check(t, p, r)
		if err := same(want, p.Parse(r)); err != nil {
			t.Fatalf("other ids: %v\nends %v", err, r.Ends)
		}
	}
	r := whole
	r.Ends = nil
	check(t, p, r)
	if err := same(want, p.Parse(r)); err != nil {
		t.Fatalf("no offsets: %v", err)
	}
	r.Tokens, r.Ends = []rollout.TokenID{1, whole.Matched}, []int{len(whole.Text), len(whole.Text)}
	if err := same(want, p.Parse(r)); err != nil {
		t.Fatalf("one id: %v", err)
	}
}

// segments gives the beginning of the text as earlier segments. What a message
// shows of a token chunk is the chunk, so there the action is compared.
func segments(t *testing.T, p parser.Parser, whole parser.Reply) {
	t.Helper()
	want := p.Parse(whole)
	for cut := 1; cut <= len(whole.Text); cut += 1 + len(whole.Text)/60 {
		r := whole
		r.Before, r.Text = whole.Text[:cut], whole.Text[cut:]
		r.Tokens = whole.Tokens[cut:]
		r.Ends = make([]int, 0, len(r.Tokens))
		for _, e := range whole.Ends[cut:] {
			r.Ends = append(r.Ends, e-cut)
		}
		check(t, p, r)
		got := p.Parse(r)
		if got.Action.Kind() == rollout.ActionTokenChunk {
			got.Message.Content = want.Message.Content
		}
		if err := same(want, got); err != nil {
			t.Fatalf("after %d bytes of earlier segments: %v", cut, err)
		}
	}
}

// terminator gives the stop id a text, and then no stop id at all.
func terminator(t *testing.T, p parser.Parser, whole parser.Reply) {
	t.Helper()
	want := p.Parse(whole)
	r := whole
	r.Text += "<|stop|>"
	r.Ends = append(append([]int{}, whole.Ends[:len(whole.Ends)-1]...), len(r.Text))
	check(t, p, r)
	if err := same(want, p.Parse(r)); err != nil {
		t.Fatalf("terminator with a text: %v", err)
	}
	r = whole
	r.Matched = -1
	r.Tokens, r.Ends = r.Tokens[:len(whole.Text)], r.Ends[:len(whole.Text)]
	if err := same(want, p.Parse(r)); err != nil {
		t.Fatalf("no terminator: %v", err)
	}
}

// beginnings reads beginnings of the text (all of them, of a short one), as a reply that was cut and as
// one that ended there.
func beginnings(t *testing.T, p parser.Parser, whole parser.Reply, emptyBody bool) {
	t.Helper()
	want := p.Parse(whole)
	for n := 0; n <= len(whole.Text); n += 1 + len(whole.Text)/200 {
		r := whole
		r.Text, r.Matched = whole.Text[:n], -1
		r.Tokens, r.Ends = whole.Tokens[:n], whole.Ends[:n]
		for _, f := range []rollout.Finish{rollout.FinishLength, rollout.FinishAbort} {
			r.Finish = f
			check(t, p, r)
		}
		r.Finish = rollout.FinishStop
		check(t, p, r)
		got, ok := p.Parse(r).Action.(rollout.Calls)
		if !ok || want.Status != rollout.ParseOK {
			continue
		}
		for i, c := range got.Calls {
			if emptyBody && string(c.Arguments) == "{}" {
				continue
			}
			if i >= len(want.Message.ToolCalls) || string(c.Arguments) != string(want.Message.ToolCalls[i].Arguments) {
				t.Fatalf("a beginning runs call %d, which the whole does not have: %q\ntext %q", i, c.Arguments, r.Text)
			}
		}
	}
}

// noise changes bytes and moves pieces: there is a verdict, and it holds.
func noise(t *testing.T, p parser.Parser, whole parser.Reply) {
	t.Helper()
	rng := rand.New(rand.NewPCG(2, uint64(len(whole.Text))))
	for range 100 {
		b := []byte(whole.Text)
		for range 1 + rng.IntN(3) {
			if len(b) == 0 {
				break
			}
			i, j := rng.IntN(len(b)), rng.IntN(len(b))
			i, j = min(i, j), max(i, j)
			switch rng.IntN(4) {
			case 0:
				b[i] = byte(rng.IntN(256))
			case 1:
				b = append(b[:i], b[j:]...)
			case 2:
				b = append(b[:j:j], b[i:]...)
			case 3:
				const odd = "<>{}[]\"'\\,:/=_\n\x00｜"
				b[i] = odd[rng.IntN(len(odd))]
			}
		}
		check(t, p, Bytes(Sample{Text: string(b), Thinking: whole.Thinking, Tools: whole.Tools}))
	}
}
