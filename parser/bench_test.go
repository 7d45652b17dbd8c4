package parser_test

import (
	"strings"
	"testing"

	"focus/parser"
	"focus/parser/parsertest"
)

// BenchmarkHermes reads replies of several shapes; MB/s is of reply text.
func BenchmarkHermes(b *testing.B) {
	call := "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Bodø\", \"days\": 2, \"metric\": true}}\n</tool_call>"
	code := `<tool_call>{"name": "run", "arguments": {"code": "` + strings.Repeat(`if a[i] < b: print(\"x\")\n`, 400) + `"}}</tool_call>`
	for _, c := range []struct{ name, text string }{
		{"call", call},
		{"reasoning_and_call", "<think>" + strings.Repeat("Let me see what that means. ", 150) + "</think>" + call},
		{"prose", strings.Repeat("Rain is likely in the north, less so inland. ", 200)},
		{"code", code},
		{"100_calls", strings.Repeat(call+"\n", 100)},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := parser.Hermes()
			r := parsertest.Bytes(parsertest.Sample{Text: c.text})
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				p.Parse(r)
			}
		})
	}
}
