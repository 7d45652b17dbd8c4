package render_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/policy"
	"focus/policy/policytest"
	"focus/policy/render"
	"focus/policy/tokenizer"
	"focus/rollout"
)

const bundled = "../tinylm/model"

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// goldenTemplate is the text of a real chat template.
func goldenTemplate(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("FOCUS_GOLDENS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "goldens")
	}
	text, err := os.ReadFile(filepath.Join(dir, "chat", "templates", name))
	if err != nil {
		t.Skipf("no goldens: %v; set FOCUS_GOLDENS", err)
	}
	return string(text)
}

func newTemplate(t testing.TB, tok render.Vocabulary, trust render.Trust, text string, eos string) *render.Template {
	r, err := render.NewTemplate(tok, trust, render.Source{Text: text, Now: noon, Special: map[string]string{"bos_token": "<s>", "eos_token": eos, "pad_token": "<pad>"}})
	require.NoError(t, err)
	return r
}

func templateChat(t testing.TB, r render.Renderer, tok render.Tokenizer, h render.History) *render.Chat {
	c, err := render.NewChat(r, tok, h)
	require.NoError(t, err)
	return c
}

// The hand-written renderer stands in for the bundled template: the same ids for
// prompts, spliced prompts and bridges.
func TestHandWrittenIsTheBundledTemplate(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(bundled, "chat_template.jinja"))
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	for _, trust := range []render.Trust{render.Safe, render.HFExact} {
		chosen, err := render.Load(bundled, render.Options{Tokens: trust})
		require.NoError(t, err)
		require.Equal(t, hex.EncodeToString(sum[:]), chosen.TemplateHash())
		tok, err := tokenizer.Load(bundled)
		require.NoError(t, err)
		r, err := render.LoadTemplate(os.DirFS(bundled), render.Options{Tokens: trust})
		require.NoError(t, err)
		own := templateChat(t, r, tok, render.Fork)
		require.Equal(t, own.StopIDs(), chosen.StopIDs())
		require.Equal(t, own.TemplateHash(), chosen.TemplateHash())
		rapid.Check(t, func(t *rapid.T) { compareChats(t, tok, chosen, own) })
	}
}

func compareChats(t *rapid.T, tok render.Tokenizer, a, b *render.Chat) {
	all := []rollout.Message{message(t, rollout.RoleSystem, rollout.RoleUser)}
	for range rapid.IntRange(0, 4).Draw(t, "more") {
		m := message(t, rollout.RoleSystem, rollout.RoleUser, rollout.RoleAssistant, rollout.RoleTool)
		if m.Role == rollout.RoleAssistant && rapid.Bool().Draw(t, "thinks") {
			m.Reasoning = "hm"
		}
		all = append(all, m)
	}
	tools := rapid.SampledFrom([][]rollout.ToolSchema{nil, {calculator}, {calculator, {Name: "<|im_end|>", Description: "x\ny"}}}).Draw(t, "tools")
	reply := rollout.Message{Role: rollout.RoleAssistant, Content: "x" + text.Draw(t, "reply")}
	end := a.StopIDs()[0]
	sampled := tok.EncodeSpans(nil, reply.Content, []tokenizer.Span{{Start: 0, End: len(reply.Content)}})
	if rapid.Bool().Draw(t, "terminated") {
		sampled = append(sampled, end)
	}
	after := slices.Concat(all, []rollout.Message{reply, message(t, rollout.RoleTool, rollout.RoleUser)})
	spliced := slices.Clone(after)
	spliced[len(all)].Sampled = sampled
	var got [2][][]rollout.TokenID
	for i, c := range []*render.Chat{a, b} {
		p, err := c.Prepare(all, tools)
		require.NoError(t, err)
		turn := rollout.NewTurn(p.Tokens, rollout.Completion{Tokens: sampled})
		turn.Covers = len(all) + 1
		next, err := c.Continue(turn, after, tools)
		require.NoError(t, err)
		require.False(t, next.Rewrote)
		again, err := c.Prepare(spliced, tools)
		require.NoError(t, err)
		got[i] = [][]rollout.TokenID{p.Tokens.Slice(), next.Tokens.Slice(), again.Tokens.Slice()}
	}
	require.Equal(t, got[0], got[1])
}

// A real template behind the same property as the hand-written renderer.
func TestTemplateBridgeProperty(t *testing.T) {
	for name, c := range map[string]struct{ file, eos string }{
		"qwen3":    {"trl__qwen3_instruct_2507.jinja", "<|im_end|>"},
		"llama3_1": {"xinf__llama-3-instruct.jinja", "<|eot_id|>"},
	} {
		t.Run(name, func(t *testing.T) {
			tok := golden(t, name)
			chat := templateChat(t, newTemplate(t, tok, render.Safe, goldenTemplate(t, c.file), c.eos), tok, render.Fork)
			rapid.Check(t, checkTemplateBridge(tok, chat))
		})
	}
}

// checkTemplateBridge is checkBridge for templates that render a reply's text
// as it is.
func checkTemplateBridge(tok render.Tokenizer, chat *render.Chat) func(*rapid.T) {
	return func(t *rapid.T) {
		all := []rollout.Message{rollout.System("s" + text.Draw(t, "system")), rollout.User(text.Draw(t, "user"))}
		p, err := chat.Prepare(all, nil)
		require.NoError(t, err)
		said := "a" + text.Draw(t, "reply") + "b"
		sampled := tok.EncodeSpans(nil, said, []tokenizer.Span{{Start: 0, End: len(said)}})
		content := slices.Clone(sampled)
		if rapid.Bool().Draw(t, "terminated") {
			sampled = append(sampled, chat.StopIDs()[0])
		}
		turn := rollout.NewTurn(p.Tokens, rollout.Completion{Tokens: sampled})
		turn.Covers = len(all) + 1
		all = append(all, rollout.Assistant(said), rollout.User(text.Draw(t, "more")))
		next, err := chat.Continue(turn, all, nil)
		require.NoError(t, err)
		require.False(t, next.Rewrote)
		require.True(t, next.Tokens.HasPrefix(turn.Context))
		all[2].Sampled = sampled
		spliced, err := chat.Prepare(all, nil)
		require.NoError(t, err)
		require.Equal(t, spliced.Tokens.Slice(), next.Tokens.Slice(), "spliced, and continued")
		all[2].Sampled = nil
		whole, err := chat.Prepare(all, nil)
		require.NoError(t, err)
		if got := whole.Tokens.Slice(); slices.Equal(got[p.Tokens.Len():p.Tokens.Len()+len(content)], content) {
			require.Equal(t, got, next.Tokens.Slice(), "rendered whole, and continued")
		}
	}
}

// conversations is what the table of rewriting templates is asked: a plain one,
// a tool loop, a loop with reasoning, and a new user turn after it.
func conversations() map[string][]rollout.Message {
	think := func(m rollout.Message) rollout.Message { m.Reasoning = "Let me see."; return m }
	ask := rollout.Message{Role: rollout.RoleAssistant, ToolCalls: []rollout.ToolCall{{ID: "call00001", Name: "calculator", Arguments: []byte(`{"x":1}`)}}}
	result := rollout.Message{Role: rollout.RoleTool, Content: "2", ToolCallID: "call00001", Name: "calculator"}
	return map[string][]rollout.Message{
		"plain":     {rollout.User("u"), rollout.Assistant("Yes."), rollout.User("more")},
		"tool":      {rollout.User("u"), ask, result},
		"reasoning": {rollout.User("u"), think(ask), result},
		"new user":  {rollout.User("u"), think(rollout.Assistant("Yes.")), rollout.User("more")},
	}
}

// Which templates rewrite the history is what CPython's renders say.
func TestTemplateRewrites(t *testing.T) {
	tok := golden(t, "qwen3")
	for file, want := range map[string]string{
		"llamacpp__Qwen-Qwen2.5-7B-Instruct.jinja":  "",
		"trl__qwen3_instruct_2507.jinja":            "",
		"minja__Qwen3-Coder-30B-A3B-Instruct.jinja": "",
		"trl__qwen3_training.jinja":                 "",
		"llamacpp__Qwen-Qwen3-0.6B.jinja":           "new user, plain, tool",
		"llamacpp__HuggingFaceTB-SmolLM3-3B.jinja":  "",
		"axolotl__chatml.jinja":                     "",
	} {
		r := newTemplate(t, tok, render.Safe, goldenTemplate(t, file), "<|im_end|>")
		var got []string
		for name, all := range conversations() {
			b, err := r.Bridge(render.Gap{Last: r.StopIDs()[0], Messages: all, Covered: 2, Tools: []rollout.ToolSchema{calculator}})
			if err != nil {
				t.Logf("%s, %s: %v", file, name, err)
				continue
			}
			if b.Rewrites {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		require.Equal(t, want, strings.Join(got, ", "), file)
	}
}

// A rewritten history: keep appends to what was sent, fork renders anew, fail
// refuses.
func TestTemplateHistory(t *testing.T) {
	tok := golden(t, "qwen3")
	r := newTemplate(t, tok, render.Safe, goldenTemplate(t, "llamacpp__Qwen-Qwen3-0.6B.jinja"), "<|im_end|>")
	all := []rollout.Message{rollout.User("u"), {Role: rollout.RoleAssistant, Reasoning: "r", Content: "Yes."}, rollout.User("more")}
	for _, h := range []render.History{render.Keep, render.Fork, render.Fail} {
		chat := templateChat(t, r, tok, h)
		p, err := chat.Prepare(all[:1], nil)
		require.NoError(t, err)
		turn := rollout.NewTurn(p.Tokens, rollout.Completion{Tokens: tok.Encode(nil, "<think>\nr\n</think>\n\nYes.<|im_end|>")})
		turn.Covers = 2
		next, err := chat.Continue(turn, all, nil)
		require.EqualValues(t, 1, chat.Rewrites())
		if h == render.Fail {
			require.ErrorIs(t, err, policy.ErrRewritten)
			continue
		}
		require.NoError(t, err)
		got, _ := chat.Decode(next.Tokens.Slice())
		const more = "<|im_start|>user\nmore<|im_end|>\n<|im_start|>assistant\n"
		if h == render.Keep {
			require.Equal(t, "<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\n<think>\nr\n</think>\n\nYes.<|im_end|>\n"+more, got)
			continue
		}
		require.True(t, next.Rewrote)
		require.Equal(t, "<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\nYes.<|im_end|>\n"+more, got)
	}
}

// bridgeText is the bridge after the reply of a conversation, as text.
func bridgeText(t *testing.T, tok *tokenizer.Tokenizer, r *render.Template, last rollout.TokenID, all []rollout.Message, covered int) string {
	b, err := r.Bridge(render.Gap{Last: last, Messages: all, Covered: covered, Tools: []rollout.ToolSchema{calculator}})
	require.NoError(t, err)
	require.False(t, b.Rewrites)
	return tok.Decode(b.IDs)
}

func TestTemplateBridgeText(t *testing.T) {
	tok := golden(t, "qwen3")
	r := newTemplate(t, tok, render.Safe, goldenTemplate(t, "llamacpp__Qwen-Qwen2.5-7B-Instruct.jinja"), "<|im_end|>")
	asks := rollout.Message{Role: rollout.RoleAssistant, ToolCalls: []rollout.ToolCall{call(`{"x":1}`), call(`{"x":2}`)}}
	all := []rollout.Message{rollout.User("u"), asks, rollout.ToolResult(call(`{}`), "one"), rollout.ToolResult(call(`{}`), "two")}
	const results = "\n<|im_start|>user\n<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
	end := r.StopIDs()[0]
	require.Equal(t, results, bridgeText(t, tok, r, end, all, 2), "after its terminator")
	require.Equal(t, "<|im_end|>"+results, bridgeText(t, tok, r, 17, all, 2), "a missing terminator is added")

	// No terminator in the template: the next header stops the model.
	const glm = "{% for m in messages %}{% if m.role == 'assistant' %}<|im_start|>{{ m.content }}{% else %}<|vision_start|>{{ m.content }}{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>{% endif %}"
	header, ok := tok.ID("<|vision_start|>")
	require.True(t, ok)
	open := newTemplate(t, tok, render.Safe, glm, "<|endoftext|>")
	plain := []rollout.Message{rollout.User("u"), rollout.Assistant("a"), rollout.User("v")}
	require.Equal(t, "v<|im_start|>", bridgeText(t, tok, open, header, plain, 2), "the header was sampled")
	require.Equal(t, "<|vision_start|>v<|im_start|>", bridgeText(t, tok, open, open.StopIDs()[0], plain, 2), "another id ended it")
}

// A template that refuses what the model said still continues: its ids are there.
func TestTemplateRefusesReply(t *testing.T) {
	tok := golden(t, "llama3_1")
	r := newTemplate(t, tok, render.Safe, goldenTemplate(t, "llamacpp__meta-llama-Llama-3.1-8B-Instruct.jinja"), "<|eot_id|>")
	asks := rollout.Message{Role: rollout.RoleAssistant, ToolCalls: []rollout.ToolCall{call(`{"x":1}`), call(`no JSON`)}}
	all := []rollout.Message{rollout.System("s"), rollout.User("u"), asks, rollout.ToolResult(call(`{}`), "one")}
	_, err := r.Prompt(all, []rollout.ToolSchema{calculator})
	require.ErrorContains(t, err, "single tool-calls")
	require.Equal(t, "<|start_header_id|>ipython<|end_header_id|>\n\n\"one\"<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
		bridgeText(t, tok, r, r.StopIDs()[0], all, 3))
	_, err = r.Bridge(render.Gap{Messages: all, Covered: 5})
	require.ErrorContains(t, err, "message 4 of 4")
}

// A template may show a reply in the middle as it was sampled, and otherwise when
// it is the last: what was sampled decides.
func TestTemplateLiteral(t *testing.T) {
	tok := golden(t, "qwen3")
	r := newTemplate(t, tok, render.Safe, goldenTemplate(t, "llamacpp__Qwen-Qwen3-0.6B.jinja"), "<|im_end|>")
	chat := templateChat(t, r, tok, render.Fail)
	sampled := append(tok.EncodeSpans(nil, "Y", nil), tok.Encode(nil, "es.<|im_end|>")...) // not as the tokenizer cuts it
	said := rollout.Message{Role: rollout.RoleAssistant, Content: "Yes.", Sampled: sampled}
	all := []rollout.Message{rollout.User("u"), said, rollout.User("more")}
	p, err := chat.Prepare(all[:1], nil)
	require.NoError(t, err)
	turn := rollout.NewTurn(p.Tokens, rollout.Completion{Tokens: sampled})
	turn.Covers = 2
	next, err := chat.Continue(turn, all, nil)
	require.NoError(t, err)
	require.True(t, next.Tokens.HasPrefix(turn.Context))
	whole, err := chat.Prepare(all, nil)
	require.NoError(t, err)
	require.Equal(t, next.Tokens.Slice(), whole.Tokens.Slice())

	// After a rewritten turn the later ones are still found.
	think := rollout.Message{Role: rollout.RoleAssistant, Content: "Hm.", Reasoning: "r", Sampled: tok.Encode(nil, "<think>\nr\n</think>\n\nHm.<|im_end|>")}
	long := []rollout.Message{rollout.User("u"), think, rollout.User("v"), said, rollout.User("more")}
	whole, err = chat.Prepare(long, nil)
	require.NoError(t, err)
	ids := whole.Tokens.Slice()
	require.True(t, contains(ids, sampled), "spliced")
	require.False(t, contains(ids, tok.Encode(nil, "<think>")), "rewritten")
}

func contains(ids, part []rollout.TokenID) bool {
	for i := range ids {
		if i+len(part) <= len(ids) && slices.Equal(ids[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// What a folder's files say reaches the template.
func TestTemplateFolder(t *testing.T) {
	folder := policytest.Folder()
	add := func(name, text string) { folder[name] = &fstest.MapFile{Data: []byte(text)} }
	show := func(o render.Options, tools []rollout.ToolSchema) string {
		chat, err := render.LoadFS(folder, o)
		require.NoError(t, err)
		p, err := chat.Prepare([]rollout.Message{rollout.User("hi\xff")}, tools)
		require.NoError(t, err)
		got, _ := chat.Decode(p.Tokens.Slice())
		return got
	}
	const loop = "{% for m in messages %}{{ m.role }}:{{ m.content }}{{ eos_token }}{% endfor %}"
	add("tokenizer_config.json", `{"eos_token": {"content": "<|im_end|>"}, "bos_token": null, "chat_template": "old"}`)
	add("chat_template.jinja", "{{ bos_token }}{{ mode }}|"+loop+"{{ tools is none }}")
	require.Equal(t, "fast|user:hi\uFFFD<|im_end|>True", show(render.Options{Kwargs: map[string]any{"mode": "fast"}}, nil))
	require.Equal(t, "<|im_start|>user\nhi\xff<|im_end|>\n<|im_start|>assistant\n", show0(t, folder))

	delete(folder, "chat_template.jinja")
	add("tokenizer_config.json", `{"eos_token": "<|im_end|>", "chat_template": [{"name": "default", "template": "D`+loop+`"}, {"name": "tool_use", "template": "T{{ tools[0].function.name }}"}]}`)
	require.Equal(t, "Duser:hi\uFFFD<|im_end|>", show(render.Options{}, nil))
	require.Equal(t, "Tcalculator", show(render.Options{}, []rollout.ToolSchema{calculator}))

	add("chat_template.jinja", loop+"{{ strftime_now('%d %b %Y') }}")
	_, err := render.LoadFS(folder, render.Options{})
	require.ErrorContains(t, err, "set date")
	require.Contains(t, show(render.Options{Date: "2026-11-30"}, nil), "30 Nov 2026")
	add("chat_template.jinja", "{% for %}")
	_, err = render.LoadFS(folder, render.Options{})
	require.ErrorContains(t, err, "chat template: template line 1")
	require.ErrorContains(t, render.Options{Date: "today", Template: "chatml", Kwargs: map[string]any{"a": 1}}.Validate(), "chat_template_kwargs")
}

// show0 shows what ChatML makes of a folder that has a template of its own.
func show0(t *testing.T, folder fstest.MapFS) string {
	chat, err := render.LoadFS(folder, render.Options{Template: "chatml"})
	require.NoError(t, err)
	p, err := chat.Prepare([]rollout.Message{rollout.User("hi\xff")}, nil)
	require.NoError(t, err)
	raw := policytest.Bytes{}.AppendBytes(nil, p.Tokens.Slice())
	return string(raw)
}

// counting counts the bytes that are encoded.
type counting struct {
	*tokenizer.Tokenizer
	bytes int
}

func (c *counting) EncodeSpans(dst []rollout.TokenID, text string, plain []tokenizer.Span) []rollout.TokenID {
	c.bytes += len(text)
	return c.Tokenizer.EncodeSpans(dst, text, plain)
}

// A bridge encodes its own text, however long the conversation is.
func TestTemplateBridgeCost(t *testing.T) {
	tok := &counting{Tokenizer: golden(t, "qwen3")}
	r := newTemplate(t, tok, render.Safe, goldenTemplate(t, "trl__qwen3_instruct_2507.jinja"), "<|im_end|>")
	cost := func(n int) int {
		all := []rollout.Message{rollout.User(strings.Repeat("many words ", n)), rollout.Assistant("Yes."), rollout.User("more")}
		tok.bytes = 0
		b, err := r.Bridge(render.Gap{Last: r.StopIDs()[0], Messages: all, Covered: 2})
		require.NoError(t, err)
		require.NotEmpty(t, b.IDs)
		return tok.bytes
	}
	require.Equal(t, cost(1), cost(10_000))
	require.Less(t, cost(1), 100)
}

// The bridge of a real template after a long tool conversation: three renders,
// and the encoding of the bridge.
func BenchmarkTemplateBridge(b *testing.B) {
	tok := golden(b, "qwen3")
	r := newTemplate(b, tok, render.Safe, goldenTemplate(b, "trl__qwen3_instruct_2507.jinja"), "<|im_end|>")
	all := []rollout.Message{rollout.User("u")}
	for range 20 {
		all = append(all, rollout.Message{Role: rollout.RoleAssistant, Content: strings.Repeat("so ", 100), ToolCalls: []rollout.ToolCall{call(`{"x":1}`)}},
			rollout.ToolResult(call(`{}`), strings.Repeat("seen ", 100)))
	}
	gap := render.Gap{Last: r.StopIDs()[0], Messages: all, Covered: len(all) - 1, Tools: []rollout.ToolSchema{calculator}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Bridge(gap); err != nil {
			b.Fatal(err)
		}
	}
}
