package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldenFolder is the goldens' folder, or skips.
func goldenFolder(t *testing.T) string {
	dir := os.Getenv("FOCUS_GOLDENS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "goldens")
	}
	if _, err := os.Stat(filepath.Join(dir, "chat")); err != nil {
		t.Skipf("no goldens: %v; set FOCUS_GOLDENS", err)
	}
	return dir
}

// chatFolder has one template and its answer.
func chatFolder(t *testing.T, answer string) string {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("templates/a.jinja", "{{ messages[0].content }}")
	write("convs.json", `[{"id": "one", "messages": [{"role": "user", "content": "hi"}], "tools": null, "add_generation_prompt": true, "kwargs": {}}]`)
	write("renders.json", `{"a.jinja": {"one": `+answer+`}}`)
	return dir
}

func TestExactness(t *testing.T) {
	code, out, errs := focus(t, "exactness", "--chat", chatFolder(t, `{"ok": "hi"}`))
	require.Equal(t, ExitDone, code, errs)
	require.Equal(t, "template   a.jinja  identical: 1 texts, 0 refusals\n1 of 1 identical\n", out)

	code, out, errs = focus(t, "exactness", "--chat", chatFolder(t, `{"ok": "ho"}`))
	require.Equal(t, 1, code)
	require.Empty(t, errs)
	require.Equal(t, "template   a.jinja  DIFFERENT in 1 of 1: conversation one: at byte 1 got \"hi\", want \"ho\"\n0 of 1 identical\n", out)

	code, out, _ = focus(t, "exactness", "--json", "--chat", chatFolder(t, `{"ok": "ho"}`))
	require.Equal(t, 1, code)
	var r exactReport
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, 1, r.Total)
	require.Zero(t, r.Same)
	require.Contains(t, r.Lines[0].Difference, "byte 1")

	for _, args := range [][]string{{}, {"--chat", t.TempDir()}, {"--tokenizer", t.TempDir()}, {"--chat", chatFolder(t, `{}`), "--convs", "nowhere.json"}} {
		code, _, errs = focus(t, append([]string{"exactness"}, args...)...)
		require.Equal(t, ExitRefused, code, "%v", args)
		require.NotEmpty(t, errs)
	}
}

// The goldens, whole: what docs/exactness.md shows.
func TestExactnessGoldens(t *testing.T) {
	dir := goldenFolder(t)
	code, out, errs := focus(t, "exactness", "--chat", filepath.Join(dir, "chat"), "--tokenizer", filepath.Join(dir, "tokenizer"))
	require.Equal(t, ExitDone, code, "%s%s", out, errs)
	require.Contains(t, out, "213 of 213 identical\n")
}
