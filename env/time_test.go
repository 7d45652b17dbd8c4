package env_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/rollout"
)

func TestReadersRunSideBySide(t *testing.T) {
	for _, tc := range []struct {
		name     string
		parallel int
		calls    rollout.Calls
		want     []string
		took     time.Duration
	}{
		{"all at once", 8, calls("wait", `{"n":3}`, "wait", `{"n":1}`, "wait", `{"n":2}`), []string{"waited 3", "waited 1", "waited 2"}, 3 * time.Second},
		{"two at once", 2, calls("wait", `{"n":2}`, "wait", `{"n":2}`, "wait", `{"n":2}`), []string{"waited 2", "waited 2", "waited 2"}, 4 * time.Second},
		{"a writer is a fence", 8, calls("wait", `{"n":2}`, "add", `{"n":1}`, "wait", `{"n":2}`), []string{"waited 2", "ok", "waited 2"}, 4 * time.Second},
		{"a refused call is none", 8, calls("wait", `{"n":2}`, "add", `{}`, "wait", `{"n":2}`), []string{"waited 2", "error: add: missing property 'n'", "waited 2"}, 2 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newLedger(t, func(c *env.ToolConfig[ledger]) { c.Limits.Parallel = tc.parallel })
				w := begin(t, e)
				from := time.Now()
				_, tr := step(t, e, w, tc.calls)
				require.Equal(t, tc.want, said(tr))
				require.Equal(t, tc.took, time.Since(from))
			})
		})
	}
}

func TestTimeoutIsAnObservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newLedger(t, func(c *env.ToolConfig[ledger]) { c.Limits.CallTime = 5 * time.Second })
		w := begin(t, e)
		next, tr := step(t, e, w, calls("wait", `{"n":60}`, "get", `{}`))
		require.Equal(t, []string{"error: wait took over 5s", "0"}, said(tr))
		require.Equal(t, env.CauseToolTimeout, tr.Failure.Cause)
		require.Equal(t, rollout.FailureVisible, tr.Failure.Class)
		require.False(t, tr.Done)
		require.Equal(t, w, next)
	})
}

func TestToolsOwnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newLedger(t, func(c *env.ToolConfig[ledger]) {
			for i := range c.Tools {
				if c.Tools[i].Schema.Name == "wait" {
					c.Tools[i].Timeout = time.Minute
				}
			}
		})
		_, tr := step(t, e, begin(t, e), calls("wait", `{"n":59}`))
		require.Equal(t, []string{"waited 59"}, said(tr))
	})
}

// A handler that ignores its context: without a workspace the model may go on,
// with one the rollout ends with the world's score. Close waits for it.
func TestStuckHandlers(t *testing.T) {
	memory, err := env.MemoryWorkspaces(env.MemoryConfig{})
	require.NoError(t, err)
	for _, tc := range []struct {
		name       string
		workspaces env.Workspaces
		done       bool
	}{{"without a workspace", env.NoWorkspaces(), false}, {"with one", memory, true}} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hold := stubborn{make(chan struct{})}
				e := newLedger(t, func(c *env.ToolConfig[ledger]) {
					c.Tools, c.Workspaces = ledgerTools(hold), tc.workspaces
				})
				w := begin(t, e)
				from := time.Now()
				_, tr := step(t, e, w, calls("hold", `{}`))
				require.Equal(t, 11*time.Second, time.Since(from), "call time and grace")
				require.Equal(t, []string{"error: hold took over 10s"}, said(tr))
				require.Equal(t, tc.done, tr.Done)
				if tc.done {
					require.Equal(t, rollout.StopTimeLimit, tr.Stop)
					require.Equal(t, -1.0, *tr.Outcome)
					require.Equal(t, &rollout.Failure{Class: rollout.FailureTask, Cause: env.CauseToolStuck, Detail: "hold took over 10s"}, tr.Failure)
				}
				closed := make(chan struct{})
				go func() { require.NoError(t, e.Close()); close(closed) }()
				synctest.Wait()
				select {
				case <-closed:
					t.Fatal("close did not wait for the handler")
				default:
				}
				close(hold.release)
				<-closed
			})
		})
	}
}

// A handler that returns within the grace has done what it says.
func TestLateResultCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := stubborn{make(chan struct{})}
		e := newLedger(t, func(c *env.ToolConfig[ledger]) { c.Tools = ledgerTools(hold) })
		time.AfterFunc(10*time.Second+time.Millisecond, func() { close(hold.release) })
		_, tr := step(t, e, begin(t, e), calls("hold", `{}`))
		require.Equal(t, []string{"released"}, said(tr))
	})
}

func TestEpisodeTimeEndsTheRollout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newLedger(t, func(c *env.ToolConfig[ledger]) { c.Limits.EpisodeTime = 5 * time.Second })
		w, tr := step(t, e, begin(t, e), calls("wait", `{"n":3}`))
		require.False(t, tr.Done)
		_, tr = step(t, e, w, calls("wait", `{"n":3}`, "get", `{}`, "add", `{"n":1}`))
		require.Equal(t, []string{"error: wait took over 2s", "0", "not run: the episode has ended"}, said(tr))
		require.True(t, tr.Done)
		require.Equal(t, rollout.StopTimeLimit, tr.Stop)
		require.Equal(t, -1.0, *tr.Outcome)
		require.Equal(t, rollout.FailureTask, tr.Failure.Class)
	})
}
