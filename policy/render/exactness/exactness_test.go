package exactness_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy/policytest"
	"focus/policy/render/exactness"
)

// folder writes files; a name that ends in .gz is packed.
func folder(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		f, err := os.Create(path)
		require.NoError(t, err)
		if filepath.Ext(name) == ".gz" {
			z := gzip.NewWriter(f)
			_, err = z.Write([]byte(text))
			require.NoError(t, err)
			require.NoError(t, z.Close())
		} else {
			_, err = f.WriteString(text)
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
	}
	return dir
}

const convs = `[{"id": "one", "messages": [{"role": "user", "content": "hi"}], "tools": null, "add_generation_prompt": true, "kwargs": {"x": 1.0}}]`

func TestTemplates(t *testing.T) {
	for name, c := range map[string]struct {
		template, render string
		want             exactness.Line
	}{
		"identical":      {"{{ messages[0].content }} {{ x }}{{ bos_token }}", `{"one": {"ok": "hi 1.0<s>"}}`, exactness.Line{Same: 1, Total: 1}},
		"refused":        {"{{ raise_exception('no') }}", `{"one": {"err": "TemplateError: no"}}`, exactness.Line{Same: 1, Total: 1, Refused: 1}},
		"no syntax":      {"{% for %}", `{"_compile": "TemplateSyntaxError: x"}`, exactness.Line{Same: 1, Total: 1, Refused: 1}},
		"other text":     {"hi 1.0", `{"one": {"ok": "hi 1"}}`, exactness.Line{Total: 1, Difference: `conversation one: at byte 4 got "hi 1.0", want "hi 1"`}},
		"not refused":    {"hi", `{"one": {"err": "TypeError: x"}}`, exactness.Line{Total: 1, Difference: "conversation one: rendered, where the reference raises TypeError: x"}},
		"refuses":        {"{{ raise_exception('no') }}", `{"one": {"ok": "x"}}`, exactness.Line{Total: 1, Difference: "conversation one: template line 1: no"}},
		"compiles":       {"x", `{"_compile": "E"}`, exactness.Line{Total: 1, Difference: `it compiles, where the reference says "E"`}},
		"no answer":      {"x", `{}`, exactness.Line{Total: 1, Difference: "conversation one: renders.json has no answer"}},
		"an odd answer":  {"x", `{"one": {}}`, exactness.Line{Total: 1, Difference: "conversation one: the answer in renders.json is neither ok nor err"}},
		"a stray answer": {"x", `{"one": {"ok": "x"}, "two": {"ok": "x"}}`, exactness.Line{Same: 1, Total: 2, Difference: "conversation two: it has an answer and is not in convs.json"}},
	} {
		dir := folder(t, map[string]string{"templates/a.jinja": c.template, "renders.json.gz": `{"a.jinja": ` + c.render + `}`, "convs.json": convs})
		c.want.Kind, c.want.Name = "template", "a.jinja"
		require.NoError(t, exactness.Templates(dir, "", func(got exactness.Line) error {
			require.Equal(t, c.want, got, name)
			require.Equal(t, c.want.Difference == "", got.Identical())
			return nil
		}), name)
	}
}

func TestTemplateThatDoesNotCompile(t *testing.T) {
	dir := folder(t, map[string]string{"templates/a.jinja": "{% for %}", "renders.json": `{"a.jinja": {"one": {"ok": "x"}}}`, "convs.json": convs})
	require.NoError(t, exactness.Templates(dir, "", func(got exactness.Line) error {
		require.Contains(t, got.Difference, "it does not compile: template line 1")
		return nil
	}))
}

func TestMissing(t *testing.T) {
	dir := folder(t, map[string]string{"renders.json": `{"a.jinja": {"one": {"ok": ""}}}`, "templates/b.jinja": "x"})
	ignore := func(exactness.Line) error { return nil }
	require.ErrorContains(t, exactness.Templates(dir, "", ignore), "convs.json")
	file := filepath.Join(folder(t, map[string]string{"c.json": convs}), "c.json")
	var got []string
	require.NoError(t, exactness.Templates(dir, file, func(l exactness.Line) error {
		got = append(got, l.Name+": "+l.Difference)
		return nil
	}))
	require.Equal(t, []string{"a.jinja: the folder has no such template", "b.jinja: conversation one: renders.json has no answer"}, got)
	require.ErrorContains(t, exactness.Tokenizers(dir, "", ignore), "corpus.json")
	stop := os.ErrClosed
	require.ErrorIs(t, exactness.Templates(dir, file, func(exactness.Line) error { return stop }), stop)
}

func TestTokenizers(t *testing.T) {
	file := string(policytest.Folder()["tokenizer.json"].Data)
	dir := folder(t, map[string]string{
		"corpus.json":         `["hi", "", "<|im_end|>"]`,
		"a.tokenizer.json.gz": file, "a.ids.json.gz": `[[104, 105], [], [258]]`,
		"b.tokenizer.json": file, "b.ids.json": `[[104, 106], [], [258]]`,
		"c.tokenizer.json": file, "c.ids.json": `[[104]]`,
		"d.tokenizer.json": "{}", "d.ids.json": `[[], [], []]`,
		"e.ids.json": `[[], [], []]`, "f.tokenizer.json": file,
	})
	var got []exactness.Line
	require.NoError(t, exactness.Tokenizers(dir, "", func(l exactness.Line) error { got = append(got, l); return nil }))
	require.Len(t, got, 6)
	require.Equal(t, exactness.Line{Kind: "tokenizer", Name: "a", Same: 3, Total: 3, IDs: 3}, got[0])
	require.Equal(t, exactness.Line{Kind: "tokenizer", Name: "b", Same: 2, Total: 3, IDs: 1, Difference: `string 0, "hi": at id 1 got [105], want [106]`}, got[1])
	require.Equal(t, "1 answers for 3 strings", got[2].Difference)
	for i, want := range []string{"tokenizer.json", "e.tokenizer.json", "f.ids.json"} {
		require.Contains(t, got[3+i].Difference, want)
		require.False(t, got[3+i].Identical())
	}
	require.Equal(t, "tokenizer  a  identical: 3 strings, 3 ids", got[0].String())
	require.Equal(t, `tokenizer  b  DIFFERENT in 1 of 3: string 0, "hi": at id 1 got [105], want [106]`, got[1].String())
}
