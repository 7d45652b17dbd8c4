package parser_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"focus/parser"
	"focus/parser/parsertest"
	"focus/rollout"
)

// written draws a reply of calls whose truth is known.
func written(t *rapid.T) (text string, want []rollout.ToolCall) {
	value := rapid.Custom(func(t *rapid.T) string {
		b, err := json.Marshal(rapid.OneOf(
			rapid.String().AsAny(),
			rapid.SampledFrom([]string{"</tool_call>", "<tool_call>", "<think>", "\"}", "\\", "😀"}).AsAny(),
			rapid.Int().AsAny(), rapid.Bool().AsAny(),
			rapid.SliceOfN(rapid.StringN(0, 3, -1), 0, 3).AsAny(),
			rapid.MapOfN(rapid.StringN(0, 3, -1), rapid.Int(), 0, 3).AsAny(),
		).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	})
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{"", "<think>x</think>", "<think><tool_call></think>\n"}).Draw(t, "reasoning"))
	for range rapid.IntRange(0, 4).Draw(t, "calls") {
		args := rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "blank") + `"k":` + value.Draw(t, "k") + `, "l": ` + value.Draw(t, "l")
		want = append(want, rollout.ToolCall{Name: "f", Arguments: json.RawMessage("{" + args + "}")})
		b.WriteString(rapid.SampledFrom([]string{"", "\n", " and "}).Draw(t, "between"))
		b.WriteString("<tool_call>\n{\"name\":\"f\",\"arguments\":{" + args + "}}\n</tool_call>")
	}
	return b.String(), want
}

func TestHermesReadsWhatWasWritten(t *testing.T) {
	p := parser.Hermes()
	rapid.Check(t, func(t *rapid.T) {
		text, want := written(t)
		r := parsertest.Bytes(parsertest.Sample{Text: text})
		r = parsertest.Chunks(r, rand.New(rand.NewPCG(3, rapid.Uint64().Draw(t, "seed"))), rapid.IntRange(1, 40).Draw(t, "width"))
		if err := parsertest.Check(p, r); err != nil {
			t.Fatal(err)
		}
		got := p.Parse(r)
		if len(got.Message.ToolCalls) != len(want) {
			t.Fatalf("got %d calls, want %d of %q: %+v", len(got.Message.ToolCalls), len(want), text, got)
		}
		for i, c := range got.Message.ToolCalls {
			if string(c.Arguments) != string(want[i].Arguments) {
				t.Fatalf("call %d: got %s, want %s", i, c.Arguments, want[i].Arguments)
			}
		}
	})
}

// A reply cut anywhere never runs anything under a cap, and what it runs under
// a stop is what the whole would run.
func TestHermesCutAnywhere(t *testing.T) {
	p := parser.Hermes()
	rapid.Check(t, func(t *rapid.T) {
		text, want := written(t)
		n := rapid.IntRange(0, len(text)).Draw(t, "cut")
		r := parsertest.Bytes(parsertest.Sample{Text: text[:n]})
		if err := parsertest.Check(p, r); err != nil {
			t.Fatal(err)
		}
		calls, _ := p.Parse(r).Action.(rollout.Calls)
		for i, c := range calls.Calls {
			if string(c.Arguments) != string(want[i].Arguments) {
				t.Fatalf("call %d of %q: got %s, want %s", i, text[:n], c.Arguments, want[i].Arguments)
			}
		}
	})
}
