package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"focus/dataset"
	"focus/internal/job"
	"focus/rollout"
)

const (
	foldsSummarize = "../examples/folds/summarize.yaml"
	foldsPrefix    = "../examples/folds/prefix-summary.yaml"
)

// Both examples fold most of their rollouts, and the folds are used.
func TestFoldExamples(t *testing.T) {
	for _, file := range []string{foldsSummarize, foldsPrefix} {
		t.Run(file, func(t *testing.T) {
			dir := newDir(t)
			sum := ran(t, file, "--out", dir, "--set", "tasks.count=2", "--set", "search.size=2")
			require.Equal(t, 4, sum.Finished)
			unusable := sum.Stops[rollout.StopFoldFailed] + sum.Stops[rollout.StopFoldStuck] + sum.Stops[rollout.StopContextFull]
			require.Less(t, unusable, sum.Finished/2, "%v", sum.Stops)
			run, err := dataset.Read(dir)
			require.NoError(t, err)
			folded := map[rollout.RolloutID]bool{}
			for s, err := range run.Samples() {
				require.NoError(t, err)
				for _, turn := range s.Info.Turns {
					if turn.Fold != nil && turn.Fold.Accepted {
						folded[s.RolloutID] = true
					}
				}
			}
			require.Greater(t, len(folded), sum.Finished/2, "rollouts with an accepted fold")
		})
	}
}

// Without a manager the same notes overflow the window.
func TestFoldExamplesOverflowWithoutAManager(t *testing.T) {
	sum := ran(t, foldsSummarize, "--out", newDir(t), "--set", "tasks.count=2", "--set", "search.size=2", "--set", "context=append_only")
	require.Greater(t, sum.Stops[rollout.StopContextFull], sum.Finished/2, "%v", sum.Stops)
}

// The embedded policy was taught to fold: of the rollouts that folded, at least
// one in five is solved. Shorter notes than the example's, folded after each.
func TestFoldedRolloutsSucceed(t *testing.T) {
	plan, err := job.Load(Builtin(), foldsSummarize, []string{
		"tasks.count=64", "env.min_hops=2", "env.max_hops=2", "env.filler=12", "context.trigger.max=320",
	})
	require.NoError(t, err)
	live, err := plan.Open(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, live.Close()) }()
	folded, solved := 0, 0
	for _, s := range played(t, live) {
		if s.Folds() == 0 {
			continue
		}
		folded++
		if reward, ok := s.Reward(); ok && reward == 1 {
			solved++
		}
	}
	require.Greater(t, folded, 48, "the notes do not fit")
	require.GreaterOrEqual(t, 5*solved, folded, "%d of %d folded rollouts are solved", solved, folded)
	t.Logf("%d of %d folded rollouts are solved", solved, folded)
}

// played is the end of each of a job's tasks, played once.
func played(t *testing.T, live *job.Live) []rollout.State {
	ends := make([]rollout.State, len(live.Tasks))
	group, ctx := errgroup.WithContext(t.Context())
	for i, task := range live.Tasks {
		group.Go(func() error {
			s, err := live.Agent.Start(ctx, task, "")
			if err == nil {
				ends[i], err = live.Agent.Run(ctx, s)
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
	return ends
}
