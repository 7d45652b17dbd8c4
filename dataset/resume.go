package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"focus/rollout"
)

// Create starts a run in a directory that holds none; else the error is
// [ErrHoldsRun].
func Create(cfg Config) (*Writer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	cfg = cfg.withDefaults()
	shards := filepath.Join(cfg.Dir, ShardsDir)
	names, err := list(shards)
	if err != nil {
		return nil, err
	}
	_, err = os.Lstat(filepath.Join(cfg.Dir, ManifestName))
	if err == nil || len(committedNames(names)) > 0 {
		return nil, fmt.Errorf("create run in %s: %w", cfg.Dir, ErrHoldsRun)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("create run in %s: %w", cfg.Dir, err)
	}
	if err := cfg.FS.MkdirAll(shards); err != nil {
		return nil, fmt.Errorf("make directory %s: %w", shards, err)
	}
	for _, dir := range []string{filepath.Dir(filepath.Clean(cfg.Dir)), cfg.Dir} {
		if err := cfg.FS.SyncDir(dir); err != nil {
			return nil, fmt.Errorf("sync directory %s: %w", dir, err)
		}
	}
	return start(cfg, nil, nil)
}

// Resume goes on with a run after a crash. committed is what a journal says is
// committed and overrides the manifest; nil means what the manifest lists. Every
// committed file is read and proved first, else the error is [ErrDamaged].
// Files that are not committed are deleted: their rows must be written again.
func Resume(cfg Config, committed []Shard) (*Writer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("resume run: %w", err)
	}
	cfg = cfg.withDefaults()
	if committed == nil {
		m, err := ReadManifest(cfg.Dir)
		if err != nil {
			return nil, fmt.Errorf("resume run: %w", err)
		}
		if m.RunID != cfg.Metadata.RunID {
			return nil, fmt.Errorf("resume run in %s: it is run %s, not %s", cfg.Dir, m.RunID, cfg.Metadata.RunID)
		}
		committed = m.Shards
	}
	trees, err := committedTrees(cfg, committed)
	if err != nil {
		return nil, fmt.Errorf("resume run: %w", err)
	}
	return start(cfg, committed, trees)
}

// start deletes what no manifest will list and writes the first one.
func start(cfg Config, committed []Shard, trees map[rollout.TreeID]bool) (*Writer, error) {
	if err := sweep(cfg, committed); err != nil {
		return nil, err
	}
	if trees == nil {
		trees = map[rollout.TreeID]bool{}
	}
	w := &Writer{cfg: cfg, trees: trees}
	w.manifest = Manifest{Format: FormatVersion, RunID: cfg.Metadata.RunID, Shards: slices.Clone(committed)}
	if w.manifest.Shards == nil {
		w.manifest.Shards = []Shard{}
	}
	if err := w.manifest.write(cfg.FS, cfg.Dir); err != nil {
		return nil, err
	}
	return w, nil
}

// committedTrees proves the committed files and returns the trees in them.
func committedTrees(cfg Config, committed []Shard) (map[rollout.TreeID]bool, error) {
	run := &Run{Dir: cfg.Dir, Manifest: Manifest{RunID: cfg.Metadata.RunID, Shards: committed}, mem: cfg.mem}
	var other error
	run.seen = func(s Shard, md Metadata, format int) {
		switch {
		case format != FormatVersion:
			other = fmt.Errorf("%s has format %d, and this focus writes %d: finish the run with the one that began it", s.Name, format, FormatVersion)
		case !md.equal(cfg.Metadata):
			other = fmt.Errorf("%s was written under another config, model or template; use the run's own, or another directory", s.Name)
		}
	}
	trees := map[rollout.TreeID]bool{}
	for n, err := range run.Nodes() {
		if err != nil {
			return nil, err
		}
		trees[n.Tree] = true
	}
	for _, s := range run.shards(tableSamples) {
		if f, err := prove(cfg.Dir, s); err != nil {
			return nil, err
		} else if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return trees, other
}

// sweep deletes temporary and uncommitted files of this package, and no others.
func sweep(cfg Config, committed []Shard) error {
	dir := filepath.Join(cfg.Dir, ShardsDir)
	names, err := list(dir)
	if err != nil {
		return err
	}
	garbage := slices.DeleteFunc(committedNames(names), func(name string) bool {
		return slices.ContainsFunc(committed, func(s Shard) bool { return s.Name == ShardsDir+"/"+name })
	})
	for _, name := range names {
		if strings.HasSuffix(name, tmpSuffix) {
			garbage = append(garbage, name)
		}
	}
	for _, name := range garbage {
		if err := cfg.FS.Remove(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("delete uncommitted %s: %w", filepath.Join(dir, name), err)
		}
	}
	err = cfg.FS.Remove(filepath.Join(cfg.Dir, ManifestName+tmpSuffix))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete %s: %w", filepath.Join(cfg.Dir, ManifestName+tmpSuffix), err)
	}
	return nil
}

// committedNames are the names that only a committed or lost shard has.
func committedNames(names []string) []string {
	var out []string
	for _, name := range names {
		if shardName.MatchString(ShardsDir + "/" + name) {
			out = append(out, name)
		}
	}
	return out
}

// list is the names in a directory; none when it is not there.
func list(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out, nil
}
