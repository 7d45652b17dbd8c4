package envtest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/rollout"
)

// RunStores checks a kind of workspace that is an [env.Store]. limit is the
// most bytes that one of them holds.
func RunStores(t *testing.T, workspaces env.Workspaces, limit int) {
	t.Helper()
	open := func(t *testing.T) env.Store {
		ws, err := workspaces.Open(t.Context(), rollout.Task{ID: "t"})
		require.NoError(t, err)
		closeAfter(t, env.World{Workspace: ws})
		return ws.(env.Store)
	}
	t.Run("reads what was written", func(t *testing.T) {
		s := open(t)
		for _, name := range []string{"b", "a", "c"} {
			require.NoError(t, s.Write(name, []byte(name+" first")))
			require.NoError(t, s.Write(name, []byte(name+"\x00\xff")))
		}
		require.Equal(t, map[string]string{"a": "a\x00\xff", "b": "b\x00\xff", "c": "c\x00\xff"}, contents(t, s))
	})
	t.Run("copies in and out", func(t *testing.T) {
		s := open(t)
		given := []byte("before")
		require.NoError(t, s.Write("n", given))
		given[0] = 'X'
		got, err := s.Read("n")
		require.NoError(t, err)
		got[1] = 'X'
		require.Equal(t, map[string]string{"n": "before"}, contents(t, s))
	})
	t.Run("what a policy can cause is a refusal", func(t *testing.T) { checkRefusals(t, open(t), limit) })
	t.Run("forks do not see each other", func(t *testing.T) {
		s := open(t)
		require.NoError(t, s.Write("shared", []byte("old")))
		ws, err := s.Fork()
		require.NoError(t, err)
		f := ws.(env.Store)
		require.NoError(t, f.Write("shared", []byte("fork")))
		require.NoError(t, f.Write("extra", nil))
		require.NoError(t, s.Write("shared", []byte("new")))
		require.Equal(t, map[string]string{"shared": "new"}, contents(t, s))
		require.Equal(t, map[string]string{"shared": "fork", "extra": ""}, contents(t, f))
		require.NoError(t, f.Close())
		require.Equal(t, map[string]string{"shared": "new"}, contents(t, s))
	})
	t.Run("snapshots restore", func(t *testing.T) { checkStoreSnapshot(t, workspaces, open(t)) })
	t.Run("close ends it", func(t *testing.T) {
		s := open(t)
		require.NoError(t, s.Close())
		require.NoError(t, s.Close(), "closing again")
		_, err := s.Fork()
		require.Error(t, err)
		require.False(t, refused(s.Write("n", nil)), "a write after close is the caller's defect, not the policy's")
		require.Error(t, s.Write("n", nil))
	})
	t.Run("is used at once", func(t *testing.T) {
		s := open(t)
		var wg sync.WaitGroup
		errs := make([]error, 16)
		for i := range errs {
			wg.Go(func() {
				name := fmt.Sprintf("n%d", i%4)
				_, listErr := s.List()
				errs[i] = errors.Join(s.Write(name, []byte(name)), listErr, forkAndClose(s))
			})
		}
		wg.Wait()
		require.NoError(t, errors.Join(errs...))
		require.Len(t, contents(t, s), 4)
	})
}

func forkAndClose(s env.Store) error {
	f, err := s.Fork()
	if err != nil {
		return err
	}
	return f.Close()
}

func checkRefusals(t *testing.T, s env.Store, limit int) {
	require.NoError(t, s.Write("kept", []byte("x")))
	_, err := s.Read("absent")
	require.True(t, refused(err), "read of a name that is not there: %v", err)
	for _, name := range []string{"", strings.Repeat("n", 300), "\xff"} {
		require.True(t, refused(s.Write(name, nil)), "write to %q", name)
	}
	require.True(t, refused(s.Write("big", make([]byte, limit+1))), "write of more than the limit")
	require.NoError(t, s.Write("big", make([]byte, limit/2)))
	require.True(t, refused(s.Write("more", make([]byte, limit/2+1))), "second write over the limit")
	require.NoError(t, s.Write("big", make([]byte, limit/2)), "writing again in place of itself")
	require.Len(t, contents(t, s), 2, "a refused write changes nothing")
}

func checkStoreSnapshot(t *testing.T, workspaces env.Workspaces, s env.Store) {
	require.NoError(t, s.Write("a", []byte("\x00\xff")))
	require.NoError(t, s.Write("empty", nil))
	b, err := s.(env.WorkspaceSnapshotter).Snapshot()
	require.NoError(t, err)
	ws, err := workspaces.Restore(t.Context(), rollout.Task{}, b)
	require.NoError(t, err)
	closeAfter(t, env.World{Workspace: ws})
	require.Equal(t, contents(t, s), contents(t, ws.(env.Store)))
	again, err := ws.(env.WorkspaceSnapshotter).Snapshot()
	require.NoError(t, err)
	require.Equal(t, string(b), string(again))
	_, err = workspaces.Restore(t.Context(), rollout.Task{}, []byte("{["))
	require.Error(t, err, "a snapshot that cannot be read")
}

func refused(err error) bool {
	_, ok := errors.AsType[*env.Refusal](err)
	return ok
}

func contents(t *testing.T, s env.Store) map[string]string {
	t.Helper()
	names, err := s.List()
	require.NoError(t, err)
	require.IsNonDecreasing(t, append([]string{""}, names...))
	out := map[string]string{}
	for _, n := range names {
		b, err := s.Read(n)
		require.NoError(t, err, "read %s", n)
		out[n] = string(b)
	}
	return out
}
