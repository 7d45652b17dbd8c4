package jinja

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// goldenDir returns goldens/chat, or skips the test.
func goldenDir(t testing.TB) string {
	dir := os.Getenv("FOCUS_GOLDENS")
	if dir == "" {
		root, err := os.Getwd()
		require.NoError(t, err)
		for {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			parent := filepath.Dir(root)
			require.NotEqual(t, root, parent, "no go.mod above the test")
			root = parent
		}
		dir = filepath.Join(root, "..", "shared", "goldens")
	}
	dir = filepath.Join(dir, "chat")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no goldens: %v (set FOCUS_GOLDENS)", err)
	}
	return dir
}

// conversation is an entry of convs.json.
type conversation struct {
	ID       string          `json:"id"`
	Messages json.RawMessage `json:"messages"`
	Tools    json.RawMessage `json:"tools"`
	Add      bool            `json:"add_generation_prompt"`
	Kwargs   json.RawMessage `json:"kwargs"`
}

var goldenNow = Options{Now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}

func goldenConversations(t testing.TB, dir string) []conversation {
	data, err := os.ReadFile(filepath.Join(dir, "convs.json"))
	require.NoError(t, err)
	var list []conversation
	require.NoError(t, json.Unmarshal(data, &list))
	return list
}

// vars builds what the reference passes to a template.
func (c conversation) vars(t testing.TB) Vars {
	decode := func(raw json.RawMessage) Value {
		if len(raw) == 0 {
			return None
		}
		v, err := Decode(string(raw), Trusted)
		require.NoError(t, err)
		return v
	}
	messages, tools := MarkChat(decode(c.Messages), decode(c.Tools))
	vars := Vars{
		"messages": messages, "tools": tools, "documents": None, "add_generation_prompt": Bool(c.Add),
		"bos_token": String("<s>"), "eos_token": String("</s>"), "pad_token": String("<pad>"),
	}
	for k, v := range decode(c.Kwargs).(*Dict).All {
		vars[k.(*Str).Text()] = v
	}
	return vars
}

func goldenTemplates(t testing.TB, dir string) map[string]string {
	files, err := filepath.Glob(filepath.Join(dir, "templates", "*"))
	require.NoError(t, err)
	out := map[string]string{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		require.NoError(t, err)
		out[filepath.Base(f)] = string(src)
	}
	return out
}

type goldenRender struct {
	OK  *string `json:"ok"`
	Err string  `json:"err"`
}

func goldenRenders(t testing.TB, dir string) map[string]map[string]goldenRender {
	f, err := os.Open(filepath.Join(dir, "renders.json.gz"))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var out map[string]map[string]goldenRender
	require.NoError(t, json.NewDecoder(z).Decode(&out))
	return out
}

// TestGoldens renders every template with every conversation: the text is CPython's, byte for byte, and we raise where it
// does, for the same reason.
func TestGoldens(t *testing.T) {
	dir := goldenDir(t)
	renders := goldenRenders(t, dir)
	convs := goldenConversations(t, dir)
	same, raised, sameMessage, bad := 0, 0, 0, 0
	for name, src := range goldenTemplates(t, dir) {
		tmpl, parseErr := Parse(src)
		for _, c := range convs {
			want, ok := renders[name][c.ID]
			require.True(t, ok, "%s × %s has no render", name, c.ID)
			var got Output
			err := parseErr
			if err == nil {
				got, err = tmpl.Render(c.vars(t), goldenNow)
			}
			switch {
			case want.OK != nil && err == nil && got.Text == *want.OK:
				same++
			case want.OK == nil && err != nil:
				raised++
				if explains(err, want.Err) {
					sameMessage++
				} else if testing.Verbose() {
					t.Logf("%s × %s: raised %v, the reference %s", name, c.ID, err, want.Err)
				}
			default:
				if bad++; bad <= 20 {
					t.Errorf("%s × %s:\n%s", name, c.ID, difference(got.Text, err, want))
				}
			}
		}
	}
	t.Logf("%d renders identical, %d raise as the reference does (%d with its message), %d differ", same, raised, sameMessage, bad)
}

// explains tells whether an error says what the reference's does.
func explains(err error, want string) bool {
	_, msg, _ := strings.Cut(want, ": ")
	if len(msg) > 200 {
		msg = msg[:200]
	}
	return strings.Contains(err.Error(), msg) || strings.HasPrefix(want, "RecursionError") && strings.Contains(err.Error(), "nested calls")
}

func difference(got string, err error, want goldenRender) string {
	if want.OK == nil {
		return "rendered, where the reference raises " + want.Err
	}
	if err != nil {
		return "error " + err.Error()
	}
	w := *want.OK
	i := 0
	for i < len(got) && i < len(w) && got[i] == w[i] {
		i++
	}
	from := max(0, i-40)
	return "got  …" + quote(got[from:min(len(got), i+60)]) + "\nwant …" + quote(w[from:min(len(w), i+60)])
}
