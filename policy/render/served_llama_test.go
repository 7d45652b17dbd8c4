package render_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy/render"
	"focus/policy/tokenizer"
	"focus/rollout"
)

// llamaServer behaves as llama-server does: the text loses its BOS and /tokenize
// adds it, and a last assistant message is left open.
type llamaServer struct {
	own      *render.Template
	tok      *tokenizer.Tokenizer
	template string
	bos, eos string
	double   bool // BOS stays in the text
	closes   bool // the vocabulary adds EOS too
}

type object = map[string]any

func (l llamaServer) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	answer := func(code int, v any) {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(v)
	}
	refuse := func(code int, message string) {
		answer(code, object{"error": object{"code": code, "message": message, "type": "server_error"}})
	}
	data, err := io.ReadAll(q.Body)
	if err != nil {
		refuse(400, err.Error())
		return
	}
	switch q.Method + " " + q.URL.Path {
	case "GET /props":
		answer(200, object{"default_generation_settings": object{"n_ctx": 2048}, "total_slots": 1, "chat_template": l.template, "bos_token": l.bos, "eos_token": l.eos})
	case "POST /tokenize":
		body := struct {
			Content      string
			AddSpecial   bool `json:"add_special"`
			ParseSpecial bool `json:"parse_special"`
		}{ParseSpecial: true}
		if err := json.Unmarshal(data, &body); err != nil || !body.ParseSpecial {
			refuse(400, "bad tokenize")
			return
		}
		if body.AddSpecial {
			body.Content = l.bos + body.Content
			if l.closes {
				body.Content += l.eos
			}
		}
		answer(200, object{"tokens": append([]rollout.TokenID{}, l.tok.Encode(nil, body.Content)...)})
	case "POST /detokenize":
		var body struct{ Tokens []rollout.TokenID }
		if err := json.Unmarshal(data, &body); err != nil {
			refuse(400, err.Error())
			return
		}
		answer(200, object{"content": string(l.tok.AppendBytes(nil, body.Tokens))})
	case "POST /apply-template":
		text, err := l.apply(data)
		if err != nil {
			refuse(500, err.Error())
			return
		}
		answer(200, object{"prompt": text})
	default:
		refuse(404, "File Not Found")
	}
}

func (l llamaServer) apply(data []byte) (string, error) {
	body := struct {
		Messages []object        `json:"messages"`
		Tools    json.RawMessage `json:"tools"`
		Next     bool            `json:"add_generation_prompt"`
	}{Next: true}
	if err := json.Unmarshal(data, &body); err != nil {
		return "", err
	}
	prefill := ""
	if n := len(body.Messages); n > 0 && body.Messages[n-1]["role"] == "assistant" {
		prefill = body.Messages[n-1]["content"].(string)
		body.Messages, body.Next = body.Messages[:n-1], true
	}
	for _, m := range body.Messages {
		calls, _ := m["tool_calls"].([]any)
		for _, c := range calls {
			f := c.(object)["function"].(object)
			f["arguments"] = json.RawMessage(f["arguments"].(string))
		}
	}
	messages, err := json.Marshal(body.Messages)
	if err != nil {
		return "", err
	}
	got, err := l.own.RenderJSON(messages, body.Tools, body.Next)
	if err != nil {
		return "", err
	}
	if l.double {
		return got.Text + prefill, nil
	}
	return strings.TrimPrefix(got.Text, l.bos) + prefill, nil
}

func (l llamaServer) start(t *testing.T) string {
	s := httptest.NewServer(l)
	t.Cleanup(s.Close)
	return s.URL
}

func bundledLlama(t *testing.T) llamaServer {
	own, err := render.LoadTemplate(os.DirFS(bundled), render.Options{Tokens: render.HFExact})
	require.NoError(t, err)
	tok, err := tokenizer.Load(bundled)
	require.NoError(t, err)
	text, err := os.ReadFile(bundled + "/chat_template.jinja")
	require.NoError(t, err)
	return llamaServer{own: own, tok: tok, template: string(text), eos: "<|im_end|>"}
}

func TestLlama(t *testing.T) {
	l := bundledLlama(t)
	for _, stops := range [][]rollout.TokenID{nil, l.own.StopIDs()} {
		r, err := render.NewLlama(render.ServedConfig{URL: l.start(t) + "/", Stops: stops})
		require.NoError(t, err)
		require.Equal(t, l.own.Hash(), r.Hash())
		require.Equal(t, l.own.StopIDs()[0], r.StopIDs()[0])
		compareServed(t, l.own, r)
	}
	l.template = ""
	r, err := render.NewLlama(render.ServedConfig{URL: l.start(t)})
	require.NoError(t, err)
	require.Len(t, r.Hash(), 64)
	require.NotEqual(t, l.own.Hash(), r.Hash())
}

func TestLlamaRewrites(t *testing.T) {
	tok := golden(t, "qwen3")
	own := newTemplate(t, tok, render.HFExact, goldenTemplate(t, "llamacpp__Qwen-Qwen3-0.6B.jinja"), "<|im_end|>")
	r, err := render.NewLlama(render.ServedConfig{URL: llamaServer{own: own, tok: tok, eos: "<|im_end|>"}.start(t)})
	require.NoError(t, err)
	compareRewrites(t, tok, own, r)
}

// The template's BOS is in the ids once, and a stop id in what was said is not
// taken for the end of the turn.
func TestLlamaBOS(t *testing.T) {
	tok := golden(t, "mistral_nemo")
	own := newTemplate(t, tok, render.HFExact, `{{ bos_token }}{% for m in messages %}{% if m.role == "assistant" %}{{ m.content }}{{ eos_token }}{% else %}[INST]{{ m.content }}[/INST]{% endif %}{% endfor %}`, "</s>")
	l := llamaServer{own: own, tok: tok, bos: "<s>", eos: "</s>"}
	r, err := render.NewLlama(render.ServedConfig{URL: l.start(t)})
	require.NoError(t, err)
	all := []rollout.Message{rollout.User("u"), rollout.Assistant("one </s> two"), rollout.User("v")}
	want, err := own.Prompt(all, nil)
	require.NoError(t, err)
	got, err := r.Prompt(all, nil)
	require.NoError(t, err)
	require.Equal(t, want, got)
	b, err := r.Bridge(render.Gap{Last: 77, Messages: all, Covered: 2})
	require.NoError(t, err)
	require.Equal(t, render.Bridge{IDs: tok.Encode(nil, "</s>[INST]v[/INST]")}, b)

	for want, change := range map[string]func(*llamaServer){
		"twice":                  func(l *llamaServer) { l.double = true },
		"other ids than one BOS": func(l *llamaServer) { l.closes = true },
	} {
		bad := l
		change(&bad)
		url := bad.start(t)
		_, err = render.NewLlama(render.ServedConfig{URL: url})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, url+"/tokenize")
	}
}

func TestLlamaRefuses(t *testing.T) {
	l := bundledLlama(t)
	faults := []struct {
		name   string
		route  string // that answers with
		status int
		body   string
		stops  []rollout.TokenID
		want   []string
	}{
		{"loading", "/props", 503, `{"error":{"code":503,"message":"Loading model"}}`, nil, []string{"/props", "503", "Loading model", "wait"}},
		{"no key", "/props", 401, `{"error":{"message":"Invalid API Key"}}`, nil, []string{"/props", "Invalid API Key", "key"}},
		{"another server", "/props", 404, `{"detail":"Not Found"}`, nil, []string{"/props", "404", "is url a server of this kind?"}},
		{"a web page", "/props", 200, "<html>\nhello", nil, []string{"/props", "hello", "is url a server of this kind?"}},
		{"other props", "/props", 200, `{"model":"m"}`, nil, []string{"/props", "not a llama-server"}},
		{"no eos", "/props", 200, `{"default_generation_settings":{},"eos_token":""}`, nil, []string{"eos_token", "as stops"}},
		{"template raises", "/apply-template", 500, `{"error":{"message":"roles must\nalternate"}}`, nil, []string{"/apply-template", "roles must alternate"}},
		{"no prompt", "/apply-template", 200, `{}`, nil, []string{"/apply-template", "no prompt"}},
		{"an empty 200", "/apply-template", 200, ``, nil, []string{"/apply-template"}},
		{"no tokens", "/tokenize", 200, `{}`, nil, []string{"/tokenize", "no tokens"}},
		{"wrong stops", "", 0, "", []rollout.TokenID{77}, []string{"[77]", "stop ids"}},
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.URL.Path != f.route {
					l.ServeHTTP(w, q)
					return
				}
				w.WriteHeader(f.status)
				_, _ = io.WriteString(w, f.body)
			}))
			defer s.Close()
			_, err := render.NewLlama(render.ServedConfig{URL: s.URL, Stops: f.stops})
			require.ErrorContains(t, err, s.URL)
			for _, want := range f.want {
				require.ErrorContains(t, err, want)
			}
			require.NotContains(t, err.Error(), "\n")
			if se := (*render.ServedError)(nil); f.route != "" {
				require.True(t, errors.As(err, &se))
				require.True(t, strings.HasPrefix(se.URL, s.URL+"/"), se.URL)
			}
		})
	}
	_, err := render.NewLlama(render.ServedConfig{})
	require.ErrorContains(t, err, "url:")
	dead := httptest.NewServer(l)
	dead.Close()
	_, err = render.NewLlama(render.ServedConfig{URL: dead.URL})
	require.ErrorContains(t, err, dead.URL)
	require.ErrorContains(t, err, "start the server")
}

// A last assistant message would come back open: it is refused, not guessed.
func TestLlamaRefusesOpenTurns(t *testing.T) {
	r, err := render.NewLlama(render.ServedConfig{URL: bundledLlama(t).start(t)})
	require.NoError(t, err)
	all := []rollout.Message{rollout.User("u"), rollout.Assistant("a")}
	_, err = r.Prompt(all, nil)
	require.ErrorContains(t, err, "leaves open")
	_, err = r.Bridge(render.Gap{Last: 1, Messages: all, Covered: 2})
	require.ErrorContains(t, err, "leaves open")
	_, err = r.Bridge(render.Gap{Last: 1, Messages: all, Covered: 3})
	require.Error(t, err)
}
