package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/policy/policytest"
	"focus/rollout"
)

// logbook keeps the words of a list in its workspace, and their number in its
// state: a value.
func logbook(t *testing.T, ws env.Workspaces, broken func(words []byte) error) env.Env {
	t.Helper()
	schema := rollout.ToolSchema{
		Name: "note", Description: "Add a word to the list.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
	}
	note := env.WriteTool(schema, func(_ context.Context, c env.Call[int], a struct{ Word string }) (env.Effect[int], error) {
		store := c.Workspace.(env.Store)
		var list []byte
		if c.State > 0 {
			var err error
			if list, err = store.Read("list"); err != nil {
				return env.Effect[int]{}, err
			}
			list = append(list, ' ')
		}
		if err := broken(list); err != nil {
			return env.Effect[int]{}, err
		}
		list = append(list, a.Word...)
		return env.Effect[int]{State: c.State + 1, Result: string(list)}, store.Write("list", list)
	})
	e, err := env.NewToolEnv(env.ToolConfig[int]{
		Name: "logbook", Tools: []env.Tool[int]{note}, Workspaces: ws, AnswerEnds: true,
		Answer: func(s int, _ string) float64 { return float64(s) },
		Open: func(context.Context, rollout.Task) (int, []rollout.Message, error) {
			return 0, []rollout.Message{rollout.User("keep a list")}, nil
		},
	})
	require.NoError(t, err)
	return e
}

func never([]byte) error { return nil }

// A branch goes on from its own copy of the workspace, whatever kind that is.
func TestWorkspacesOfBranchesAreApart(t *testing.T) {
	var want string
	for _, concurrency := range []int{1, 16} {
		parent := t.TempDir()
		directories, err := env.DirectoryWorkspaces(env.DirectoryConfig{Parent: parent})
		require.NoError(t, err)
		memory, err := env.MemoryWorkspaces(env.MemoryConfig{})
		require.NoError(t, err)
		for _, ws := range []env.Workspaces{memory, directories} {
			dir := filepath.Join(t.TempDir(), "run")
			sum, err := opened(t, inWorld(noting, logbook(t, ws, never)), treeJob(t), fmt.Sprintf("run.concurrency=%d", concurrency)).Run(t.Context(), Options{Out: dir})
			require.NoError(t, err)
			require.Equal(t, 42, sum.Finished)
			require.Zero(t, sum.Failed, "%v", sum.Failures)
			if want == "" {
				want = sum.Verified.Digest
			}
			require.Equal(t, want, sum.Verified.Digest, "%T at concurrency %d", ws, concurrency)
			for _, s := range samplesOf(t, dir) {
				seesOwnNotesAlone(t, s)
			}
			requireEmpty(t, parent)
		}
	}
}

func requireEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "folders are left behind")
}

// No folder is left, whatever ends the run.
func TestWorkspaceFoldersAreGoneHoweverTheRunEnds(t *testing.T) {
	for name, c := range map[string]struct {
		broken func([]byte) error
		stop   int64
		set    []string
	}{
		"cancelled": {broken: never, stop: 40},
		"given up": {set: []string{"run.retries=-1", "run.give_up_after=3"}, broken: func(list []byte) error {
			if len(list) > 10 {
				return errors.New("the disk is gone")
			}
			return nil
		}},
		"failures between": {set: []string{"run.retries=-1", "run.give_up_after=-1"}, broken: func(list []byte) error {
			if len(list) > 0 && list[1]%2 == 0 {
				return errors.New("the disk is gone")
			}
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			ws, err := env.DirectoryWorkspaces(env.DirectoryConfig{Parent: parent})
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			script := func(ctx context.Context, call policytest.Call) ([]rollout.TokenID, error) {
				if c.stop > 0 && call.N >= c.stop {
					cancel()
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return noting(ctx, call)
			}
			sum, err := opened(t, inWorld(script, logbook(t, ws, c.broken)), treeJob(t), c.set...).Run(ctx, Options{Out: filepath.Join(t.TempDir(), "run")})
			switch name {
			case "given up":
				_, ok := errors.AsType[*GaveUpError](err)
				require.True(t, ok, "got %v", err)
			case "cancelled":
				require.NoError(t, err)
				require.Positive(t, sum.Dropped)
				require.Equal(t, 14*sum.Groups, sum.Verified.Rollouts, "a tree is written as a whole or not at all")
			default:
				require.NoError(t, err)
				require.Positive(t, sum.Failed)
				require.Less(t, sum.Failed, sum.Finished)
			}
			requireEmpty(t, parent)
		})
	}
}
