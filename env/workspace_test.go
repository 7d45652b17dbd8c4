package env_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/env/envtest"
	"focus/rollout"
)

func TestMemories(t *testing.T) {
	ws, err := env.MemoryWorkspaces(env.MemoryConfig{MaxBytes: 1000})
	require.NoError(t, err)
	envtest.RunStores(t, ws, 1000)
	require.ErrorContains(t, env.MemoryConfig{MaxBytes: -1}.Validate(), "max_bytes")
}

func TestDirectories(t *testing.T) {
	parent := t.TempDir()
	t.Run("suite", func(t *testing.T) {
		ws, err := env.DirectoryWorkspaces(env.DirectoryConfig{Parent: parent, MaxBytes: 1000})
		require.NoError(t, err)
		envtest.RunStores(t, ws, 1000)
	})
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Empty(t, left, "directories of closed workspaces")
}

func directory(t *testing.T, cfg env.DirectoryConfig) *env.Directory {
	t.Helper()
	cfg.Parent = t.TempDir()
	all, err := env.DirectoryWorkspaces(cfg)
	require.NoError(t, err)
	ws, err := all.Open(t.Context(), rollout.Task{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ws.Close()) })
	return ws.(*env.Directory)
}

// No name and no link leads out of a directory, to read or to write.
func TestNothingEscapesADirectory(t *testing.T) {
	d := directory(t, env.DirectoryConfig{})
	outside := filepath.Join(filepath.Dir(d.Path()), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	require.NoError(t, os.Symlink("../secret", filepath.Join(d.Path(), "relative")))
	require.NoError(t, os.Symlink(outside, filepath.Join(d.Path(), "absolute")))
	require.NoError(t, os.Symlink("..", filepath.Join(d.Path(), "up")))
	require.NoError(t, os.Symlink("loop", filepath.Join(d.Path(), "loop")))
	require.NoError(t, os.Mkdir(filepath.Join(d.Path(), "dir"), 0o755))
	for _, name := range []string{
		"../secret", outside, "dir/../../secret", "./../secret", "..", ".", "/", "relative", "absolute", "up/secret", "loop",
		"dir", "a//b", "a/", "a\x00b", strings.Repeat("a/", 200) + "a",
	} {
		t.Run(name, func(t *testing.T) {
			var refusal *env.Refusal
			_, err := d.Read(name)
			require.ErrorAs(t, err, &refusal)
			require.ErrorAs(t, d.Write(name, []byte("changed")), &refusal)
		})
	}
	b, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "secret", string(b))
	list, err := d.List()
	require.NoError(t, err)
	require.Empty(t, list)
}

func TestForkOfADirectoryKeepsModesAndLinks(t *testing.T) {
	d := directory(t, env.DirectoryConfig{})
	require.NoError(t, d.Write("deep/er/run.sh", []byte("#!")))
	require.NoError(t, os.Chmod(filepath.Join(d.Path(), "deep", "er", "run.sh"), 0o755))
	require.NoError(t, os.Symlink("deep/er", filepath.Join(d.Path(), "link")))
	require.NoError(t, os.Mkdir(filepath.Join(d.Path(), "empty"), 0o755))
	ws, err := d.Fork()
	require.NoError(t, err)
	f := ws.(*env.Directory)
	st, err := os.Stat(filepath.Join(f.Path(), "link", "run.sh"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), st.Mode().Perm())
	require.DirExists(t, filepath.Join(f.Path(), "empty"))
	require.NoError(t, f.Write("link/more", []byte("x")))
	require.NoFileExists(t, filepath.Join(d.Path(), "deep", "er", "more"))
	require.NoError(t, f.Close())
	require.NoDirExists(t, f.Path())
	require.FileExists(t, filepath.Join(d.Path(), "deep", "er", "run.sh"))
}

func TestDirectoryLimits(t *testing.T) {
	d := directory(t, env.DirectoryConfig{MaxFiles: 3, MaxBytes: 100})
	var refusal *env.Refusal
	require.NoError(t, d.Write("a/b", nil))
	require.NoError(t, d.Write("c", nil))
	require.ErrorAs(t, d.Write("d", nil), &refusal)
	require.Equal(t, env.CauseFull, refusal.Cause)
	require.NoError(t, d.Write("c", make([]byte, 100)))
	require.NoError(t, os.WriteFile(filepath.Join(d.Path(), "c"), make([]byte, 200), 0o600))
	_, err := d.Read("c")
	require.ErrorAs(t, err, &refusal, "a file that a program made too large")
}

func TestDirectoryConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for parent, want := range map[string]string{file: "is not a directory", file + "x": "no such file"} {
		err := env.DirectoryConfig{Parent: parent, MaxBytes: -1, MaxFiles: -1}.Validate()
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "max_bytes")
		require.ErrorContains(t, err, "max_files")
	}
}
