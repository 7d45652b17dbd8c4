package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBenchTreesWritesTheTable(t *testing.T) {
	jobs := t.TempDir()
	for _, name := range []string{"group", "tree-grpo"} {
		b, err := os.ReadFile("../examples/search/" + name + ".yaml")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(jobs, name+".yaml"), b, 0o600))
	}
	doc := filepath.Join(t.TempDir(), "doc.md")
	require.NoError(t, os.WriteFile(doc, []byte("before\n"+treesBegin+"old\n"+treesEnd+"after\n"), 0o600))
	code, out, errs := focus(t, "bench", "trees", "--jobs", jobs, "--tasks", "2", "--update", doc)
	require.Equal(t, ExitDone, code, errs)
	require.Contains(t, out, "| `tree-grpo` | 2 |")
	b, err := os.ReadFile(doc)
	require.NoError(t, err)
	require.Equal(t, "before\n"+treesBegin+out+"\n"+treesEnd+"after\n", string(b))

	code, _, errs = focus(t, "bench", "trees", "--jobs", t.TempDir())
	require.Equal(t, ExitRefused, code)
	require.Contains(t, errs, "holds no job files")
}

// The tables of docs/search.md have a row for every strategy, or say why not.
func TestTheTablesOfStrategiesAreWhole(t *testing.T) {
	b, err := os.ReadFile("../docs/search.md")
	require.NoError(t, err)
	_, text, ok := strings.Cut(string(b), treesBegin)
	require.True(t, ok)
	text, _, ok = strings.Cut(text, treesEnd)
	require.True(t, ok)
	worlds := strings.Split(text, "| strategy |")[1:]
	require.Len(t, worlds, len(treeWorlds))
	for i, world := range worlds {
		for _, kind := range Builtin().Strategies.Kinds() {
			row := strings.Contains(world, "| `"+kind+"` | ")
			unfit := strings.Contains(world, "`"+kind+"` (")
			require.Truef(t, kind == "group" || row != unfit, "%s in %s", kind, treeWorlds[i].name)
		}
	}
}
