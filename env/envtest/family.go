package envtest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/rollout"
)

// RunFamily checks a family's tasks, then runs the suite on a few of them;
// script gives the actions that solve a task with outcome 1.
func RunFamily(t *testing.T, newFamily func(*testing.T) env.Family, script func(*testing.T, env.Family, rollout.Task) []rollout.Action) {
	t.Helper()
	t.Run("tasks follow from seed and index", func(t *testing.T) { checkTasks(t, newFamily(t), newFamily(t)) })
	f := newFamily(t)
	t.Run("scripts solve", func(t *testing.T) {
		for i := range 10 {
			task := f.Task(11, i)
			worlds, views := play(t, f, reset(t, f, task).World, script(t, f, task))
			last := views[len(views)-1]
			require.NotNil(t, last.Outcome, "task %s", task.ID)
			require.Equal(t, 1.0, *last.Outcome, "task %s", task.ID)
			require.NotEmpty(t, worlds)
		}
	})
	var cases []Case
	for i := range 2 {
		task := f.Task(7, i)
		cases = append(cases, Case{task, script(t, f, task)})
	}
	Run(t, func(t *testing.T) env.Env { return newFamily(t) }, cases...)
}

func checkTasks(t *testing.T, f, again env.Family) {
	ids := map[rollout.TaskID]bool{}
	problems := map[string]bool{}
	const count = 20
	for _, seed := range []int64{0, -3, 1 << 62} {
		for i := range count {
			task := f.Task(seed, i)
			require.Equal(t, task, again.Task(seed, i), "the same seed and index")
			require.Equal(t, i, task.Index)
			require.NotEmpty(t, task.Family)
			require.False(t, ids[task.ID], "task id %s is there twice", task.ID)
			ids[task.ID] = true
			require.True(t, json.Valid(task.Truth) && json.Valid(task.Meta), "truth %s, meta %s", task.Truth, task.Meta)
			problems[string(task.Meta)] = true
		}
	}
	require.Greater(t, len(problems), count, "problems of 3 seeds, %d indices each", count)
}
