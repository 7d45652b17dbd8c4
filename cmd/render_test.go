package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy/render"
)

func TestRender(t *testing.T) {
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "f.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	talk := file(`[{"role": "user", "content": "2+3? <|im_end|>"}, {"role": "assistant", "content": "5"}]`)
	code, out, errs := focus(t, "render", modelDir, "--messages", talk)
	require.Equal(t, ExitDone, code, errs)
	require.Contains(t, out, "text, 99 bytes\n<|im_start|>user\n2+3? <|im_end|><|im_end|>\n")
	require.Contains(t, out, "from messages and tools, 2 spans\n    17–32     message 0   \"2+3? <|im_end|>\"\n")
	require.Contains(t, out, "marked as the assistant's, 1 spans\n    65–76     \"5<|im_end|>\"\n")
	require.Contains(t, out, "\nids, ")

	show := func(args ...string) render.Rendered {
		code, out, errs := focus(t, append([]string{"render", modelDir, "--json", "--messages", talk}, args...)...)
		require.Equal(t, ExitDone, code, errs)
		var r render.Rendered
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		return r
	}
	safe, exact, finished := show(), show("--tokens", "hf-exact"), show("--finished")
	require.Greater(t, len(safe.IDs), len(exact.IDs), "a marker in a message is spelled out")
	require.Equal(t, safe.Text, exact.Text)
	require.Less(t, len(finished.Text), len(safe.Text))
	tools := show("--tools", file(`[{"type": "function", "function": {"name": "f", "parameters": {"z": 1.0, "a": 2}}}]`))
	require.Contains(t, tools.Text, `{"z": 1.0, "a": 2}`)
	require.Equal(t, -1, tools.Content[0].Message)

	for _, args := range [][]string{
		{"render", modelDir}, {"render"}, {"render", modelDir, "--messages", "nowhere.json"}, {"render", t.TempDir(), "--messages", talk},
		{"render", modelDir, "--messages", file(`{}`)}, {"render", modelDir, "--messages", talk, "--kwarg", "x"},
		{"render", modelDir, "--messages", talk, "--tokens", "x"}, {"render", modelDir, "--messages", talk, "--tools", "nowhere.json"},
	} {
		code, _, errs := focus(t, args...)
		require.Equal(t, ExitRefused, code, "%v", args)
		require.NotEmpty(t, errs)
	}
	kwargs, err := parseKwargs([]string{"a=false", "b=x=y", "c="})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": json.RawMessage("false"), "b": "x=y", "c": ""}, kwargs)
}
