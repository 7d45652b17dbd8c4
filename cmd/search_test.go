package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"focus/internal/job"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

// searchExamples are the job files of examples/search by name.
func searchExamples(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../examples/search/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	out := map[string]string{}
	for _, f := range files {
		out[strings.TrimSuffix(filepath.Base(f), ".yaml")] = f
	}
	return out
}

// Every strategy has an example of its name.
func TestEveryStrategyHasAnExample(t *testing.T) {
	files := searchExamples(t)
	for _, kind := range Builtin().Strategies.Kinds() {
		file, ok := files[kind]
		require.Truef(t, ok, "examples/search has no %s.yaml", kind)
		plan, err := job.Load(Builtin(), file, nil)
		require.NoError(t, err)
		require.Equal(t, kind, plan.Config.Search.Kind)
		s, err := Builtin().Strategies.Build(job.Deps{}, plan.Config.Search)
		require.NoError(t, err)
		require.Equal(t, kind, s.Name)
		want := cmp.Or(s.Credit, "grpo")
		require.True(t, Builtin().Estimators.Has(want))
		require.Equal(t, want, plan.Config.Credit.Kind, "the example takes what goes with its strategy")
	}
}

// The digest of a run is the same at any concurrency, on the embedded policy.
func TestSearchExamplesAreTheSameAtAnyConcurrency(t *testing.T) {
	for name, file := range searchExamples(t) {
		t.Run(name, func(t *testing.T) {
			var want string
			for _, c := range []int{1, 64} {
				sum := ran(t, file, "--out", newDir(t), "--set", "tasks.count=2", "--set", fmt.Sprintf("run.concurrency=%d", c))
				require.Positive(t, sum.Finished)
				require.Zero(t, sum.Failed)
				if want == "" {
					want = sum.Verified.Digest
				}
				require.Equalf(t, want, sum.Verified.Digest, "concurrency %d", c)
			}
		})
	}
}

// paced replies after a time, and with a text, that the request's seed decides.
func paced(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
	seed := uint64(c.Sampling.Seed)
	select {
	case <-time.After(time.Duration(1+seed%97) * time.Millisecond):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	text := `<tool_call>` + "\n" + `{"name": "submit", "arguments": {"answer": ` + strconv.FormatUint(seed%5, 10) + "}}\n</tool_call>"
	switch {
	case strings.Contains(c.Text(), "Reach the target"):
		text = "(1+" + strconv.FormatUint(seed%9, 10) + ")"
	case seed%3 != 0:
		text = `<tool_call>` + "\n" + `{"name": "calculator", "arguments": {"expression": "` + strconv.FormatUint(seed%11, 10) + "+1\"}}\n</tool_call>"
	}
	return append(policytest.Encode(text), policytest.IMEnd), nil
}

// The same seed and a policy with fixed latencies give the same trees, whatever
// the number of workers.
func TestTreesAreTheSameForAnyNumberOfWorkers(t *testing.T) {
	for name, file := range searchExamples(t) {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var want string
			for _, workers := range []int{1, 5, 200} {
				dir := newDir(t)
				synctest.Test(t, func(t *testing.T) {
					r := Builtin()
					RegisterPolicy(r, "paced", "", func(none) (policy.Policy, error) { return policytest.NewScripted(paced), nil })
					plan, err := job.Parse(r, file, text, []string{"policy={kind: paced}", "tasks.count=3", fmt.Sprintf("run.concurrency=%d", workers)})
					require.NoError(t, err)
					live, err := plan.Open(t.Context())
					require.NoError(t, err)
					sum, err := live.Run(t.Context(), job.Options{Out: dir})
					require.NoError(t, err)
					require.NoError(t, live.Close())
					require.True(t, sum.Verified.OK(), "%v", sum.Verified.Problems)
					require.Zero(t, sum.Failed)
					if want == "" {
						want = sum.Verified.Digest
					}
					require.Equalf(t, want, sum.Verified.Digest, "%d workers", workers)
				})
			}
		})
	}
}
