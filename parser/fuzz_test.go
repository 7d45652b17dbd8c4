package parser_test

import (
	"math/rand/v2"
	"testing"

	"focus/parser"
	"focus/parser/parsertest"
	"focus/rollout"
)

// FuzzDialects gives one text to every parser: none panics, contradicts itself,
// or depends on how the text was cut into ids.
func FuzzDialects(f *testing.F) {
	for _, all := range []map[string][]parsertest.Sample{samples, dialectSamples} {
		for _, list := range all {
			for _, s := range list {
				f.Add(s.Text, s.Thinking, uint64(len(s.Text)))
			}
		}
	}
	dialects := parser.Dialects()
	f.Fuzz(func(t *testing.T, text string, thinking bool, seed uint64) {
		s := parsertest.Sample{Text: text, Thinking: thinking, Tools: weather}
		r := parsertest.Bytes(s)
		other := parsertest.Chunks(r, rand.New(rand.NewPCG(seed, 4)), 1+int(seed%30))
		capped := other
		capped.Finish = rollout.FinishLength
		for _, d := range dialects {
			p := d.New()
			for _, r := range []parser.Reply{r, other, capped} {
				if err := parsertest.Check(p, r); err != nil {
					t.Fatalf("%s: %v\ntext %q", d.Name, err, text)
				}
			}
			if a, b := p.Parse(r), p.Parse(other); a.Status != b.Status || a.Message.Content != b.Message.Content {
				t.Fatalf("%s: ids change the verdict on %q: %+v and %+v", d.Name, text, a, b)
			}
		}
	})
}
