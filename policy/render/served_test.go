package render_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy/render"
	"focus/policy/tokenizer"
	"focus/rollout"
)

// serve is vLLM's /tokenize over a template: arguments come as texts and are
// read before the template sees them.
func serve(t *testing.T, r *render.Template) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		data, err := io.ReadAll(q.Body)
		if err != nil || q.URL.Path != "/tokenize" {
			http.Error(w, "no", http.StatusNotFound)
			return
		}
		var body struct {
			Model    string           `json:"model"`
			Messages []map[string]any `json:"messages"`
			Tools    json.RawMessage  `json:"tools"`
			Next     bool             `json:"add_generation_prompt"`
			Special  bool             `json:"add_special_tokens"`
		}
		if err := json.Unmarshal(data, &body); err != nil || body.Special {
			http.Error(w, "bad", http.StatusBadRequest)
			return
		}
		for _, m := range body.Messages {
			calls, _ := m["tool_calls"].([]any)
			for _, c := range calls {
				f := c.(map[string]any)["function"].(map[string]any)
				f["arguments"] = json.RawMessage(f["arguments"].(string))
			}
		}
		messages, err := json.Marshal(body.Messages)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		got, err := r.RenderJSON(messages, body.Tools, body.Next)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"tokens": got.IDs, "count": len(got.IDs)})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestServed(t *testing.T) {
	own, err := render.LoadTemplate(os.DirFS(bundled), render.Options{Tokens: render.HFExact})
	require.NoError(t, err)
	r, err := render.NewServed(render.ServedConfig{URL: serve(t, own) + "/", Model: "m", Stops: own.StopIDs()})
	require.NoError(t, err)
	require.Len(t, r.Hash(), 64)
	require.Equal(t, own.StopIDs(), r.StopIDs())
	compareServed(t, own, r)
}

func TestServedRewrites(t *testing.T) {
	tok := golden(t, "qwen3")
	own := newTemplate(t, tok, render.HFExact, goldenTemplate(t, "llamacpp__Qwen-Qwen3-0.6B.jinja"), "<|im_end|>")
	r, err := render.NewServed(render.ServedConfig{URL: serve(t, own), Model: "m", Stops: own.StopIDs()})
	require.NoError(t, err)
	compareRewrites(t, tok, own, r)
}

// compareRewrites: Qwen3 drops the old reasoning.
func compareRewrites(t *testing.T, tok *tokenizer.Tokenizer, own *render.Template, r render.Renderer) {
	thought := rollout.Message{Role: rollout.RoleAssistant, Reasoning: "r", Content: "Yes.", Sampled: tok.Encode(nil, "<think>\nr\n</think>\n\nYes.<|im_end|>")}
	all := []rollout.Message{rollout.User("u"), thought, rollout.User("more")}
	for _, last := range []rollout.TokenID{own.StopIDs()[0], 77} {
		gap := render.Gap{Last: last, Messages: all, Covered: 2}
		want, err := own.Bridge(gap)
		require.NoError(t, err)
		got, err := r.Bridge(gap)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.True(t, got.Rewrites)
	}
	whole, err := r.Prompt(all, nil)
	require.NoError(t, err)
	require.Equal(t, "<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\nYes.<|im_end|>\n<|im_start|>user\nmore<|im_end|>\n<|im_start|>assistant\n", tok.Decode(whole))
}

func TestServedRefuses(t *testing.T) {
	_, err := render.NewServed(render.ServedConfig{})
	for _, key := range []string{"url:", "model:", "stops:"} {
		require.ErrorContains(t, err, key)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"count": 1}`) }))
	defer s.Close()
	_, err = render.NewServed(render.ServedConfig{URL: s.URL, Model: "m", Stops: []rollout.TokenID{1}})
	require.ErrorContains(t, err, "no tokens")
	_, err = render.NewServed(render.ServedConfig{URL: s.URL + "/%zz", Model: "m", Stops: []rollout.TokenID{1}})
	require.Error(t, err)
}

// A real vLLM that serves the bundled folder renders as the folder's template
// does. FOCUS_VLLM_URL names it.
func TestServedLive(t *testing.T) {
	url := os.Getenv("FOCUS_VLLM_URL")
	if url == "" {
		t.Skip("FOCUS_VLLM_URL is not set")
	}
	own, err := render.LoadTemplate(os.DirFS(bundled), render.Options{Tokens: render.HFExact})
	require.NoError(t, err)
	r, err := render.NewServed(render.ServedConfig{URL: url, Model: "tinylm", Stops: own.StopIDs()})
	require.NoError(t, err)
	compareServed(t, own, r)
}

func compareServed(t *testing.T, own *render.Template, r render.Renderer) {
	end := own.StopIDs()[0]
	asks := rollout.Message{Role: rollout.RoleAssistant, Content: "so", ToolCalls: []rollout.ToolCall{call(`{"x":1.0}`), call(``)}}
	all := []rollout.Message{rollout.System("s"), rollout.User("é <|im_end|>"), asks, rollout.ToolResult(call(`{}`), "one"), rollout.ToolResult(call(`{}`), "two")}
	tools := []rollout.ToolSchema{calculator}
	for _, last := range []rollout.TokenID{end, 77} {
		want, err := own.Bridge(render.Gap{Last: last, Messages: all, Covered: 3, Tools: tools})
		require.NoError(t, err)
		got, err := r.Bridge(render.Gap{Last: last, Messages: all, Covered: 3, Tools: tools})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, sampled := range [][]rollout.TokenID{nil, {70, 71, end}, {70, 71}} {
		all[2].Sampled = sampled
		want, err := own.Prompt(all, tools)
		require.NoError(t, err)
		got, err := r.Prompt(all, tools)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
