package cmd

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/jobs.md and docs/search.md name every kind and every key that a job file
// may hold.
func TestTheDocumentNamesEveryKey(t *testing.T) {
	text, err := os.ReadFile("../docs/jobs.md")
	require.NoError(t, err)
	search, err := os.ReadFile("../docs/search.md")
	require.NoError(t, err)
	text = append(text, search...)
	b, err := json.Marshal(Builtin().Schema())
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, json.Unmarshal(b, &schema))
	walk(schema, func(key string) {
		found := strings.Contains(string(text), "`"+key+"`") || strings.Contains(string(text), "."+key+"`")
		require.Truef(t, found, "neither docs/jobs.md nor docs/search.md names %q", key)
	})
}

// walk calls f for every key and kind of a schema, the sections' own names left
// out: they are headings.
func walk(schema any, f func(string)) {
	switch s := schema.(type) {
	case []any:
		for _, one := range s {
			walk(one, f)
		}
	case map[string]any:
		if kind, ok := s["const"].(string); ok {
			f(kind)
		}
		props, _ := s["properties"].(map[string]any)
		for key, sub := range props {
			if m, ok := sub.(map[string]any); ok && m["properties"] == nil && m["anyOf"] == nil && key != "kind" {
				f(key)
			}
			walk(sub, f)
		}
		walk(s["anyOf"], f)
		walk(s["items"], f)
	}
}

// The README's first command is the quickstart, and its YAML for a server is
// four lines.
func TestReadmeShowsWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	for _, want := range []string{"go run ./cmd/focus run examples/quickstart.yaml", "go test ./...", "policy:\n  kind: vllm\n  url: "} {
		require.Contains(t, string(text), want)
	}
	for _, c := range command(Builtin()).Commands() {
		if !c.Hidden && c.Name() != "help" {
			require.Contains(t, string(text), "`focus "+c.Name(), "the README names every command")
		}
	}
}
