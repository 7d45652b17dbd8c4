package parser_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/parser"
	"focus/parser/parsertest"
	"focus/rollout"
)

// golden is one case of the toolcalls goldens.
type golden struct {
	ID      string `json:"id"`
	Dialect string `json:"dialect"`
	Start   string `json:"start"`
	Note    string `json:"note"`
	Text    string `json:"text"`
	Tools   []struct {
		Function rollout.ToolSchema `json:"function"`
	} `json:"tools"`
	Want struct {
		Content   string              `json:"content"`
		Reasoning *string             `json:"reasoning"`
		Status    rollout.ParseStatus `json:"status"`
		Calls     []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"calls"`
	} `json:"want"`
}

// goldens reads all cases, by dialect.
func goldens(t testing.TB) map[string][]golden {
	t.Helper()
	root := os.Getenv("FOCUS_GOLDENS")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "goldens")
	}
	name := filepath.Join(root, "toolcalls", "cases.jsonl.gz")
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		t.Skipf("no goldens: %v (set FOCUS_GOLDENS)", err)
	}
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	out := make(map[string][]golden)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var g golden
		require.NoError(t, json.Unmarshal(lines.Bytes(), &g))
		out[g.Dialect] = append(out[g.Dialect], g)
	}
	require.NoError(t, lines.Err())
	return out
}

// reply is the case as a server would return it: one id per byte, and a
// terminator.
func (g golden) reply() parser.Reply {
	r := parser.Reply{Text: g.Text, Finish: rollout.FinishStop, Thinking: g.Start == "reasoning"}
	for i := range len(g.Text) {
		r.Tokens, r.Ends = append(r.Tokens, rollout.TokenID(i%7)), append(r.Ends, i+1)
	}
	const end = "<|end of turn|>"
	r.Text += end
	r.Matched = 1000
	r.Tokens, r.Ends = append(r.Tokens, r.Matched), append(r.Ends, len(r.Text))
	r.Tools = g.tools()
	return r
}

func (g golden) tools() []rollout.ToolSchema {
	var out []rollout.ToolSchema
	for _, tool := range g.Tools {
		out = append(out, tool.Function)
	}
	return out
}

func TestGoldens(t *testing.T) {
	cases := goldens(t)
	for _, d := range parser.Dialects() {
		p := d.New()
		t.Run(d.Name, func(t *testing.T) {
			if len(cases[d.Name]) == 0 {
				t.Skip("the goldens have no case of this dialect")
			}
			for _, g := range cases[d.Name] {
				checkGolden(t, p, g)
			}
		})
	}
}

// TestGoldensConform runs the suite on a case of each status.
func TestGoldensConform(t *testing.T) {
	cases := goldens(t)
	for _, d := range parser.Dialects() {
		var some []parsertest.Sample
		count := make(map[rollout.ParseStatus]int)
		for _, g := range cases[d.Name] {
			if s := g.Want.Status; len(g.Text) < 300 && count[s] < 1 {
				count[s]++
				some = append(some, parsertest.Sample{
					Name: g.ID, Text: g.Text, Thinking: g.Start == "reasoning", Tools: g.tools(), Want: s,
					EmptyBody: d.Name == "harmony",
				})
			}
		}
		if len(some) > 0 {
			t.Run(d.Name, func(t *testing.T) { parsertest.Run(t, d.New(), some) })
		}
	}
}

func checkGolden(t *testing.T, p parser.Parser, g golden) {
	t.Helper()
	r := g.reply()
	got := p.Parse(r)
	var calls []rollout.ToolCall
	for _, a := range got.Attempts {
		if a.Status == rollout.ParseOK {
			calls = append(calls, a.Call)
		}
	}
	bad := func(what string, got, want any) {
		t.Helper()
		t.Errorf("%s (%s): %s\n got %q\nwant %q\ntext %q\nstart %s", g.ID, g.Note, what, got, want, g.Text, g.Start)
	}
	if got.Status != g.Want.Status {
		bad("status", got.Status, g.Want.Status)
		return
	}
	if len(calls) != len(g.Want.Calls) {
		bad("calls", calls, g.Want.Calls)
		return
	}
	for i, c := range calls {
		w := g.Want.Calls[i]
		if c.Name != w.Name || !reflect.DeepEqual(jsonValue(t, c.Arguments), jsonValue(t, w.Arguments)) {
			bad("call", c, w)
		}
	}
	reasoning := ""
	if g.Want.Reasoning != nil {
		reasoning = *g.Want.Reasoning
	}
	if got.Message.Reasoning != strings.Trim(reasoning, " \t\r\n") {
		bad("reasoning", got.Message.Reasoning, reasoning)
	}
	// The message of a failed reply shows the raw text; what stands before the
	// failure is inside.
	if c, ok := parser.ContentBefore(p, r); !ok || c != g.Want.Content {
		bad("content", c, g.Want.Content)
	}
	if got.Status == rollout.ParseOK && got.Message.Content != g.Want.Content {
		bad("message", got.Message.Content, g.Want.Content)
	}
}

// jsonValue is a JSON text as a value in which numbers compare exactly.
func jsonValue(t *testing.T, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v), "%s", raw)
	return exact(v)
}

func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		r, ok := new(big.Rat).SetString(v.String())
		if !ok {
			return v
		}
		return "number " + r.RatString()
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = exact(v[k])
		}
	}
	return v
}
