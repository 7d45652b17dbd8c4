package parser_test

import (
	"encoding/json"
	"testing"

	"focus/parser"
	"focus/parser/parsertest"
	"focus/rollout"
)

// weather is the tool of the samples.
var weather = []rollout.ToolSchema{{
	Name: "get_weather",
	Parameters: json.RawMessage(`{"type":"object","properties":{
		"city":{"type":"string"},"days":{"type":"integer"},"metric":{"type":["boolean","null"]},
		"where":{"type":"object"}}}`),
}}

func sample(name string, want rollout.ParseStatus, text string) parsertest.Sample {
	return parsertest.Sample{Name: name, Text: text, Want: want, Tools: weather}
}

// thinking is a sample whose prompt ended inside an open think block.
func thinking(s parsertest.Sample) parsertest.Sample {
	s.Thinking = true
	return s
}

const (
	ok        = rollout.ParseOK
	none      = rollout.ParseNone
	malformed = rollout.ParseMalformed
	truncated = rollout.ParseTruncated
)

var plain = []parsertest.Sample{
	sample("empty", none, ""),
	sample("prose", none, "It will rain. ☔ é\n"),
	sample("reasoning", none, "<think>It asks.</think>\n\nRain."),
	thinking(sample("reasoning opened by the prompt", none, "It asks.</think>\n\nRain.")),
	thinking(sample("reasoning never closed", none, "It asks. And")),
	sample("a call of some dialect", none, `<tool_call>{"name":"f"}</tool_call>`),
}

var samples = map[string][]parsertest.Sample{
	"text":        plain,
	"token_chunk": plain,
	"hermes": {
		sample("prose", none, "It will rain."),
		sample("one call", ok, "Looking.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Bodø </tool_call> \\u00e6\", \"days\": 1e2}}\n</tool_call>"),
		sample("two calls", ok, "<think>é</think>A<tool_call>{\"name\":\"f\"}</tool_call>B<tool_call>{\"name\":\"g\",\"arguments\":\"{\\\"x\\\": [1.50]}\"}</tool_call>C"),
		thinking(sample("draft in reasoning", none, "<tool_call>{\"name\":\"f\"}</tool_call></think>No.")),
		thinking(sample("call in open reasoning", malformed, "Hm <tool_call>{\"name\":\"f\"}</tool_call>")),
		thinking(sample("open reasoning", truncated, "Hm")),
		sample("broken JSON", malformed, "<tool_call>{\"name\":\"f\"}</tool_call><tool_call>{'name':\"f\"}</tool_call>"),
		sample("cut", truncated, "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"\\ud83d"),
		sample("cut opener", truncated, "Now <tool_c"),
	},
}

// emptyBody is a sample of a dialect whose arguments may be no text at all.
func emptyBody(s parsertest.Sample) parsertest.Sample {
	s.EmptyBody = true
	return s
}

func TestConformance(t *testing.T) {
	for _, d := range parser.Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			list := append(samples[d.Name], dialectSamples[d.Name]...)
			if len(list) == 0 {
				t.Fatalf("no samples for %s", d.Name)
			}
			parsertest.Run(t, d.New(), list)
		})
	}
}
