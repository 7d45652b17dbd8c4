package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// crashGroups are enough for several shards of one group each.
func crashGroups() []Group {
	return []Group{simple("a"), branched("b"), failedGroup("c"), folded("d")}
}

// writeMissing opens or resumes the run in dir and writes the groups that are
// not in it. The error is the first of the writer.
func writeMissing(t *testing.T, fs FS, dir string) error {
	cfg := config(t, dir)
	cfg.FS, cfg.ShardBytes = fs, 1
	have := map[rollout.TreeID]bool{}
	w, err := Create(cfg)
	if errors.Is(err, ErrHoldsRun) {
		_, nodes := readRun(t, dir)
		for _, n := range nodes {
			have[n.Tree] = true
		}
		w, err = Resume(cfg, nil)
	}
	if err != nil {
		return err
	}
	for _, g := range crashGroups() {
		if have[g.Trees[0].ID] {
			continue
		}
		if err := w.Write(build(t, g)); err != nil {
			require.ErrorIs(t, w.Close(), err, "a writer that failed stays dead")
			return errors.Join(err, ignore(w.Abort()))
		}
	}
	err = w.Close()
	return errors.Join(err, ignore(w.Abort()))
}

// ignore drops what Abort could not delete on a broken disk.
func ignore(error) error { return nil }

// TestCrashAnywhere fails every file system operation in turn, in every way,
// and then goes on: nothing listed is ever missing or wrong, and nothing is
// lost or written twice.
func TestCrashAnywhere(t *testing.T) {
	whole := t.TempDir()
	counter := newFaultFS(0, nil)
	require.NoError(t, writeMissing(t, counter, whole))
	want := proved(t, whole)
	require.Equal(t, 8, want.Shards)

	for what, name := range map[loss]string{lossNone: "process", lossData: "data", lossNames: "names"} {
		t.Run(name, func(t *testing.T) {
			for n := 1; n <= counter.ops; n++ {
				dir := filepath.Join(t.TempDir(), "run")
				fs := newFaultFS(n, errDied)
				require.ErrorIs(t, writeMissing(t, fs, dir), errDied, "operation %d", n)
				require.NoError(t, fs.cut(what), "operation %d", n)
				listedIsWhole(t, dir, n)
				require.NoError(t, writeMissing(t, fastFS{}, dir), "operation %d", n)
				got := proved(t, dir)
				require.Equal(t, want.Digest, got.Digest, "operation %d", n)
				require.Equal(t, want.IDsSHA256, got.IDsSHA256, "operation %d", n)
			}
		})
	}
}

// listedIsWhole reads all that the manifest lists, as a reader would.
func listedIsWhole(t *testing.T, dir string, n int) {
	m, err := ReadManifest(dir)
	if errors.Is(err, ErrNoRun) {
		return
	}
	require.NoError(t, err, "operation %d", n)
	for _, s := range m.Shards {
		f, err := prove(dir, s)
		require.NoError(t, err, "operation %d", n)
		require.NoError(t, f.Close())
	}
	readRun(t, dir)
}

// TestDiskFaults keeps the system up: the writer stops at the fault and says
// which file, and the next writer goes on.
func TestDiskFaults(t *testing.T) {
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			counter := newFaultFS(0, nil)
			require.NoError(t, writeMissing(t, counter, t.TempDir()))
			for n := 1; n <= counter.ops; n += 3 {
				dir := filepath.Join(t.TempDir(), "run")
				err := writeMissing(t, newFaultFS(n, fault), dir)
				require.ErrorIs(t, err, fault)
				require.ErrorContains(t, err, dir)
				listedIsWhole(t, dir, n)
			}
		})
	}
}

func TestAbortLeavesNothingToTrust(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(config(t, dir))
	require.NoError(t, err)
	require.NoError(t, w.Write(build(t, simple("a"))))
	require.NoError(t, w.Abort())
	require.Empty(t, shardFiles(t, dir))
	require.ErrorIs(t, w.Write(build(t, simple("b"))), errClosed)
	require.NoError(t, w.Abort(), "twice is fine")
}

func TestGarbageIsSwept(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(config(t, dir))
	require.NoError(t, err)
	require.NoError(t, w.Write(build(t, simple("a"))))
	require.NoError(t, w.Seal())
	for _, name := range []string{"samples-000001.arrows", "nodes-000001.arrows", "samples-000002.arrows.tmp"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, ShardsDir, name), []byte("half"), 0o644))
	}
	for _, name := range []string{"manifest.json.tmp", "mine.tmp"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	again, err := Resume(config(t, dir), nil)
	require.NoError(t, err)
	require.Len(t, shardFiles(t, dir), 2)
	require.NoFileExists(t, filepath.Join(dir, "manifest.json.tmp"))
	require.FileExists(t, filepath.Join(dir, "mine.tmp"), "others' files are theirs")
	require.NoError(t, again.Close())
	proved(t, dir)
}

// TestJournalKnowsMoreThanTheManifest is the crash between the two.
func TestJournalKnowsMoreThanTheManifest(t *testing.T) {
	dir := t.TempDir()
	var journal []Shard
	cfg := config(t, dir)
	cfg.ShardBytes = 1
	cfg.Committed = func(s []Shard) error {
		for _, one := range s {
			f, err := prove(dir, one)
			require.NoError(t, err, "recorded before it was durable")
			require.NoError(t, f.Close())
			m, err := ReadManifest(dir)
			require.NoError(t, err)
			require.NotContains(t, fmt.Sprint(m.Shards), one.Name, "listed before it was recorded")
		}
		journal = append(journal, s...)
		if len(journal) == 4 {
			return errDied
		}
		return nil
	}
	w, err := Create(cfg)
	require.NoError(t, err)
	require.NoError(t, w.Write(build(t, simple("a"))))
	require.ErrorIs(t, w.Write(build(t, simple("b"))), errDied)
	require.NoError(t, w.Abort())

	again, err := Resume(config(t, dir), journal)
	require.NoError(t, err)
	require.ErrorIs(t, again.Write(build(t, simple("b"))), ErrTrainTwice)
	require.NoError(t, again.Close())
	require.Equal(t, 4, proved(t, dir).Samples)
}

func TestResumeRefusesADamagedRun(t *testing.T) {
	made := func(t *testing.T) string {
		dir := t.TempDir()
		write(t, config(t, dir), simple("a"))
		return dir
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		err    error
		says   string
	}{
		"samples gone":    {func(t *testing.T, dir string) { remove(t, dir, "shards/samples-000000.arrows") }, ErrDamaged, "samples-000000"},
		"nodes cut":       {func(t *testing.T, dir string) { cutFile(t, dir, "shards/nodes-000000.arrows") }, ErrDamaged, "nodes-000000"},
		"manifest broken": {func(t *testing.T, dir string) { cutFile(t, dir, ManifestName) }, ErrDamaged, ManifestName},
		"manifest gone":   {func(t *testing.T, dir string) { remove(t, dir, ManifestName) }, ErrNoRun, "no manifest.json"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := made(t)
			c.damage(t, dir)
			_, err := Resume(config(t, dir), nil)
			require.ErrorIs(t, err, c.err)
			require.ErrorContains(t, err, c.says)
		})
	}
	t.Run("another run", func(t *testing.T) {
		cfg := config(t, made(t))
		cfg.Metadata.RunID = "other"
		_, err := Resume(cfg, nil)
		require.ErrorContains(t, err, "it is run run-1, not other")
	})
	t.Run("another config", func(t *testing.T) {
		cfg := config(t, made(t))
		cfg.Metadata.Config = []byte(`{"seed":2}`)
		_, err := Resume(cfg, nil)
		require.ErrorContains(t, err, "another config")
	})
}

func remove(t *testing.T, dir, name string) {
	require.NoError(t, os.Remove(filepath.Join(dir, name)))
}

func cutFile(t *testing.T, dir, name string) {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, info.Size()/2))
}
