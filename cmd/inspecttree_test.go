package cmd

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/dataset"
)

func TestInspectDrawsTheTreeOfATask(t *testing.T) {
	dir := newDir(t)
	ran(t, "../examples/search/tree-grpo.yaml", "--out", dir, "--set", "tasks.count=2", "--set", "credit={kind: td}")
	run, err := dataset.Read(dir)
	require.NoError(t, err)
	var s *dataset.Sample
	for s, err = range run.Samples() {
		require.NoError(t, err)
		break
	}
	code, byTask, errs := focus(t, "inspect", dir, "--tree", string(s.TaskID))
	require.Equal(t, ExitDone, code, errs)
	code, byTree, errs := focus(t, "inspect", dir, "--tree", string(s.TreeID)[:10])
	require.Equal(t, ExitDone, code, errs)
	require.Equal(t, byTask, byTree)
	for _, want := range []string{
		"tree " + string(s.TreeID) + " of task " + string(s.TaskID), "strategy tree-grpo, estimator tree.td{loo}",
		"#0  V ", "├─ #1", "by roots, pass 0", "by random, pass 1", ", reward ", "  A ", "  w ", "rollout " + string(s.RolloutID)[:8],
	} {
		require.Contains(t, byTask, want)
	}
	require.NotContains(t, byTask, "\x1b", "this is no terminal")
	code, all, errs := focus(t, "inspect", dir, "--tree", string(s.TaskID), "--all")
	require.Equal(t, ExitDone, code, errs)
	require.Greater(t, strings.Count(all, "\n"), strings.Count(byTask, "\n"))

	code, text, errs := focus(t, "inspect", dir, "--tree", string(s.TaskID), "--json")
	require.Equal(t, ExitDone, code, errs)
	var v dataset.TreeView
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	require.Equal(t, s.TreeID, v.Tree)
	require.NotEmpty(t, v.Nodes)

	for _, args := range [][]string{{"--tree", "nothing"}, {"--tree", string(s.TaskID), "3fa1"}} {
		code, _, errs = focus(t, append([]string{"inspect", dir}, args...)...)
		require.Equal(t, ExitRefused, code)
		require.Equal(t, 1, strings.Count(errs, "\n"), errs)
	}
}
