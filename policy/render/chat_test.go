package render_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/policy"
	"focus/policy/policytest"
	"focus/policy/render"
	"focus/policy/tokenizer"
	"focus/rollout"
)

// golden is a real tokenizer of the goldens.
func golden(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	dir := os.Getenv("FOCUS_GOLDENS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "goldens")
	}
	f, err := os.Open(filepath.Join(dir, "tokenizer", name+".tokenizer.json.gz"))
	if err != nil {
		t.Skipf("no goldens: %v; set FOCUS_GOLDENS", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	tok, err := tokenizer.Parse(data)
	require.NoError(t, err)
	return tok
}

func newChat(t *testing.T, tok render.Tokenizer, trust render.Trust) *render.Chat {
	r, err := render.NewChatML(tok, trust)
	require.NoError(t, err)
	c, err := render.NewChat(r, tok, render.Fork)
	require.NoError(t, err)
	return c
}

// words are pieces that meet in the places where tokenizers go wrong.
var words = rapid.SampledFrom([]string{"a", " the", "\n", "\n\n", "  ", "12", "<|im_end|>", "<|im_start|>", "é", "世界", "<tool_call>", "ok.", "'s", "\r", ""})

var text = rapid.Custom(func(t *rapid.T) string {
	out := ""
	for _, w := range rapid.SliceOfN(words, 0, 6).Draw(t, "words") {
		out += w
	}
	return out
})

func message(t *rapid.T, roles ...rollout.Role) rollout.Message {
	m := rollout.Message{Role: rapid.SampledFrom(roles).Draw(t, "role"), Content: text.Draw(t, "content")}
	if m.Role == rollout.RoleAssistant && rapid.Bool().Draw(t, "calls") {
		m.ToolCalls = []rollout.ToolCall{call(`{"x":1}`)}
	}
	return m
}

// checkBridge draws a conversation with one sampled turn in it and compares the
// ways to its next prompt.
func checkBridge(tok render.Tokenizer, chat *render.Chat) func(*rapid.T) {
	return func(t *rapid.T) {
		var before, after []rollout.Message
		for range rapid.IntRange(1, 3).Draw(t, "before") {
			before = append(before, message(t, rollout.RoleSystem, rollout.RoleUser, rollout.RoleAssistant))
		}
		for range rapid.IntRange(0, 3).Draw(t, "after") {
			after = append(after, message(t, rollout.RoleTool, rollout.RoleUser, rollout.RoleAssistant))
		}
		tools := rapid.SampledFrom([][]rollout.ToolSchema{nil, {calculator}}).Draw(t, "tools")
		p, err := chat.Prepare(before, tools)
		require.NoError(t, err)

		said := text.Draw(t, "reply")
		end := chat.StopIDs()[0]
		content := tok.EncodeSpans(nil, said, []tokenizer.Span{{Start: 0, End: len(said)}})
		terminated := rapid.Bool().Draw(t, "terminated")
		sampled := slices.Clone(content)
		if terminated || len(sampled) == 0 {
			sampled = append(sampled, end)
		}
		turn := rollout.NewTurn(p.Tokens, rollout.Completion{Tokens: sampled})
		turn.Covers = p.Covers + 1
		reply := rollout.Message{Role: rollout.RoleAssistant, Content: said}
		all := slices.Concat(before, []rollout.Message{reply}, after)
		next, err := chat.Continue(turn, all, tools)
		require.NoError(t, err)
		require.Equal(t, len(all), next.Covers)
		require.True(t, next.Tokens.HasPrefix(turn.Context), "the next prompt begins with what was sent and sampled")

		// However the sampled ids came about, splicing them gives the same.
		all[len(before)].Sampled = sampled
		spliced, err := chat.Prepare(all, tools)
		require.NoError(t, err)
		require.Equal(t, spliced.Tokens.Slice(), next.Tokens.Slice())

		// When the ids are the encoding of their own text, rendering it afresh
		// gives the same too.
		all[len(before)].Sampled = nil
		alone, err := chat.Prepare(all[:len(before)+1], tools)
		require.NoError(t, err)
		canonical := slices.Concat(p.Tokens.Slice(), content, []rollout.TokenID{end})
		if len(alone.Tokens.Slice()) < len(canonical) || !slices.Equal(canonical, alone.Tokens.Slice()[:len(canonical)]) {
			return
		}
		whole, err := chat.Prepare(all, tools)
		require.NoError(t, err)
		require.Equal(t, whole.Tokens.Slice(), next.Tokens.Slice(), "rendered whole, and continued")
	}
}

func TestBridgeProperty(t *testing.T) {
	t.Run("bytes", func(t *testing.T) { rapid.Check(t, checkBridge(policytest.Bytes{}, policytest.NewChat())) })
	t.Run("qwen3", func(t *testing.T) {
		tok := golden(t, "qwen3")
		rapid.Check(t, checkBridge(tok, newChat(t, tok, render.Safe)))
	})
}

// In hf-exact mode the prompt's ids are the tokenizer's for the whole text; in
// safe mode too, when no content spells an added token.
func TestPromptIsTheTextEncoded(t *testing.T) {
	tok := golden(t, "qwen3")
	safe, exact := newChat(t, tok, render.Safe), newChat(t, tok, render.HFExact)
	rapid.Check(t, func(t *rapid.T) {
		messages := []rollout.Message{message(t, rollout.RoleSystem), message(t, rollout.RoleUser), message(t, rollout.RoleAssistant)}
		p, err := exact.Prepare(messages, []rollout.ToolSchema{calculator})
		require.NoError(t, err)
		shown := tok.Decode(p.Tokens.Slice())
		require.Equal(t, tok.Encode(nil, shown), p.Tokens.Slice())
		s, err := safe.Prepare(messages, []rollout.ToolSchema{calculator})
		require.NoError(t, err)
		require.Equal(t, shown, tok.Decode(s.Tokens.Slice()), "the text in either mode")
	})
}

func TestContinueTerminators(t *testing.T) {
	chat := policytest.NewChat()
	const bridge = "\n<|im_start|>user\nmore<|im_end|>\n<|im_start|>assistant\n"
	for name, c := range map[string]struct {
		sampled []rollout.TokenID
		want    string
	}{
		"ended by its terminator": {[]rollout.TokenID{'a', policytest.IMEnd}, bridge},
		"ended by another id":     {[]rollout.TokenID{'a', policytest.EndOfText}, bridge},
		"cut by length":           {[]rollout.TokenID{'a'}, "<|im_end|>" + bridge},
		"terminator inside":       {[]rollout.TokenID{policytest.IMEnd, 'a'}, "<|im_end|>" + bridge},
	} {
		turn := rollout.NewTurn(rollout.NewTokens(1, 2), rollout.Completion{Tokens: c.sampled})
		turn.Covers = 2
		p, err := chat.Continue(turn, []rollout.Message{rollout.User("a"), rollout.Assistant("b"), rollout.User("more")}, nil)
		require.NoError(t, err, name)
		got, _ := chat.Decode(p.Tokens.From(turn.Context.Len()))
		require.Equal(t, c.want, got, name)
	}
	turn := rollout.NewTurn(rollout.NewTokens(1), rollout.Completion{Tokens: []rollout.TokenID{'a'}})
	for _, covers := range []int{0, 2} {
		turn.Covers = covers
		_, err := chat.Continue(turn, []rollout.Message{rollout.User("a")}, nil)
		require.Error(t, err, "covers %d of 1", covers)
	}
}

// rewriting is a template that changes its mind about the past.
type rewriting struct{ render.Renderer }

func (r rewriting) Bridge(g render.Gap) (render.Bridge, error) {
	b, err := r.Renderer.Bridge(g)
	b.Rewrites = true
	return b, err
}

func TestHistory(t *testing.T) {
	ml, err := render.NewChatML(policytest.Bytes{}, render.Safe)
	require.NoError(t, err)
	all := []rollout.Message{rollout.User("a"), rollout.Assistant("b"), rollout.User("c")}
	turn := rollout.NewTurn(rollout.NewTokens(7), rollout.Completion{Tokens: []rollout.TokenID{'x', policytest.IMEnd}})
	turn.Covers = 2
	next := func(h render.History) (policy.Prompt, error, int64) {
		c, err := render.NewChat(rewriting{ml}, policytest.Bytes{}, h)
		require.NoError(t, err)
		p, err := c.Continue(turn, all, nil)
		return p, err, c.Rewrites()
	}
	p, err, n := next(render.Keep)
	require.NoError(t, err)
	require.True(t, p.Tokens.HasPrefix(turn.Context))
	require.False(t, p.Rewrote)
	require.EqualValues(t, 1, n)

	p, err, n = next(render.Fork)
	require.NoError(t, err)
	require.False(t, p.Tokens.HasPrefix(turn.Context))
	require.True(t, p.Rewrote)
	require.EqualValues(t, 1, n)

	_, err, n = next(render.Fail)
	require.ErrorIs(t, err, policy.ErrRewritten)
	require.EqualValues(t, 1, n)

	_, err = render.NewChat(ml, policytest.Bytes{}, "maybe")
	require.ErrorContains(t, err, `history is "maybe"`)
}

func TestDecode(t *testing.T) {
	chat := policytest.NewChat()
	for name, c := range map[string]struct {
		ids  []rollout.TokenID
		text string
		ends []int
	}{
		"plain":                    {[]rollout.TokenID{'h', 'i', policytest.IMEnd}, "hi<|im_end|>", []int{1, 2, 12}},
		"a character over ids":     {policytest.Encode("é!"), "é!", []int{1, 2, 3}},
		"half a character":         {[]rollout.TokenID{'a', 0xE4, 0xB8, 'b'}, "a\uFFFDb", []int{1, 4, 4, 5}},
		"lone continuation bytes":  {[]rollout.TokenID{0x80, 0x80}, "\uFFFD\uFFFD", []int{3, 6}},
		"unknown ids add nothing":  {[]rollout.TokenID{9999, 'a', 9999}, "a", []int{0, 1, 1}},
		"unknown beside a half":    {[]rollout.TokenID{9999, 0xFF, 9999, 'a'}, "\uFFFDa", []int{0, 3, 3, 4}},
		"a replacement that is it": {policytest.Encode("\uFFFD"), "\uFFFD", []int{1, 2, 3}},
	} {
		got, ends := chat.Decode(c.ids)
		require.Equal(t, c.text, got, name)
		require.Equal(t, c.ends, ends, name)
	}
}

func TestDecodeProperty(t *testing.T) {
	tok := golden(t, "qwen3")
	chat := newChat(t, tok, render.Safe)
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.OneOf(rapid.Int32Range(0, 400), rapid.Int32Range(0, int32(tok.VocabSize())))).Draw(t, "ids")
		got, ends := chat.Decode(ids)
		require.Equal(t, tok.Decode(ids), got)
		require.True(t, utf8.ValidString(got) && slices.IsSorted(ends), "%q %v", got, ends)
		if len(ids) > 0 {
			require.Equal(t, len(got), ends[len(ids)-1])
		}
	})
}

func TestLoad(t *testing.T) {
	folder := policytest.Folder()
	chat, err := render.LoadFS(folder, render.Options{})
	require.NoError(t, err)
	require.Equal(t, []rollout.TokenID{policytest.IMEnd, policytest.EndOfText}, chat.StopIDs())
	messages := []rollout.Message{rollout.System("s"), rollout.User("é <|im_end|>\x00\xff")}
	got, err := chat.Prepare(messages, []rollout.ToolSchema{calculator})
	require.NoError(t, err)
	want, err := policytest.NewChat().Prepare(messages, []rollout.ToolSchema{calculator})
	require.NoError(t, err)
	require.Equal(t, want.Tokens.Slice(), got.Tokens.Slice(), "the folder is the Bytes tokenizer")

	folder["generation_config.json"].Data = []byte(`{"eos_token_id": [256, 97]}`)
	chat, err = render.LoadFS(folder, render.Options{})
	require.NoError(t, err)
	require.Equal(t, []rollout.TokenID{policytest.IMEnd, policytest.EndOfText, 'a'}, chat.StopIDs())

	folder["generation_config.json"].Data = []byte(`{"eos_token_id": "x"}`)
	_, err = render.LoadFS(folder, render.Options{})
	require.ErrorContains(t, err, "generation_config.json: eos_token_id")

	_, err = render.Load("testdata/nowhere", render.Options{})
	require.ErrorContains(t, err, "model folder testdata/nowhere")
	require.ErrorContains(t, err, "tokenizer.json")
	_, err = render.LoadFS(folder, render.Options{Template: "x", Tokens: "y", History: "z"})
	for _, key := range []string{"template:", "tokens:", "history:"} {
		require.ErrorContains(t, err, key)
	}
}

// A bridge costs its own length, whatever the conversation's.
func BenchmarkContinue(b *testing.B) {
	chat := policytest.NewChat()
	for _, n := range []int{1 << 10, 1 << 16} {
		b.Run(sizeName(n), func(b *testing.B) {
			turn := rollout.NewTurn(rollout.NewTokens(make([]rollout.TokenID, n)...), rollout.Completion{Tokens: []rollout.TokenID{policytest.IMEnd}})
			turn.Covers = 2
			all := []rollout.Message{rollout.User("a"), rollout.Assistant("b"), rollout.User("more of the same")}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := chat.Continue(turn, all, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func sizeName(n int) string {
	if n >= 1<<16 {
		return "64k"
	}
	return "1k"
}
