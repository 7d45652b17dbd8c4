package dataset

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"focus/rollout"
)

// Config says where and how a run is written.
type Config struct {
	// Dir is the run's directory; it is made when it is not there.
	Dir string
	// Metadata goes into every file.
	Metadata Metadata
	// BatchBytes and BatchRows close a record batch, whichever comes first.
	// Defaults 16 MiB and 1,024. A row larger than BatchBytes is a batch of its
	// own. Smaller suits readers with little memory.
	BatchBytes int
	BatchRows  int
	// ShardBytes closes a shard after the group that reaches it. Default
	// 256 MiB.
	ShardBytes int
	// Committed is called when shards are durable under their final names and
	// before the manifest lists them: where a journal records them. Default nil.
	Committed func([]Shard) error
	// FS is the file system. Default the operating system's.
	FS FS

	mem memory.Allocator
}

func (c Config) withDefaults() Config {
	if c.BatchBytes == 0 {
		c.BatchBytes = 16 << 20
	}
	if c.BatchRows == 0 {
		c.BatchRows = 1024
	}
	if c.ShardBytes == 0 {
		c.ShardBytes = 256 << 20
	}
	if c.FS == nil {
		c.FS = osFS{}
	}
	if c.mem == nil {
		c.mem = memory.DefaultAllocator
	}
	return c
}

// Validate reports everything wrong with c.
func (c Config) Validate() error {
	errs := []error{c.Metadata.validate()}
	if c.Dir == "" {
		errs = append(errs, errors.New("dir is empty"))
	}
	if c.BatchBytes < 0 || c.BatchRows < 0 || c.ShardBytes < 0 {
		errs = append(errs, errors.New("batch bytes, batch rows and shard bytes must be at least 0"))
	}
	return errors.Join(errs...)
}

// Writer writes a run. It belongs to one goroutine. After an error other than a
// [RefusedError] it is dead: every call returns that error, and the run goes on
// with [Resume].
type Writer struct {
	cfg            Config
	manifest       Manifest
	samples, nodes *shardFile
	// trees are those with rows on disk or in the open shards: a tree that
	// comes back could train twice.
	trees map[rollout.TreeID]bool
	err   error
}

// errClosed is what a writer says after Close or Abort.
var errClosed = errors.New("dataset writer is closed")

// Write checks the rows of one group and writes them, or refuses them all. It
// seals the open shards when they are full. The error of a refusal is a
// [RefusedError], and the writer may go on with other groups.
func (w *Writer) Write(r Rows) error {
	if w.err != nil {
		return w.err
	}
	infos, err := w.admit(r)
	if err != nil {
		return err
	}
	if err := w.append(r, infos); err != nil {
		w.err = err
		return err
	}
	for _, n := range r.Nodes {
		w.trees[n.Tree] = true
	}
	if w.size() < w.cfg.ShardBytes {
		return nil
	}
	return w.Seal()
}

func (w *Writer) append(r Rows, infos [][]byte) error {
	if err := w.open(&w.samples, tableSamples, len(r.Samples)); err != nil {
		return err
	}
	if err := w.open(&w.nodes, tableNodes, len(r.Nodes)); err != nil {
		return err
	}
	for i, s := range r.Samples {
		if err := w.samples.addSample(s, infos[i]); err != nil {
			return err
		}
	}
	for _, n := range r.Nodes {
		if err := w.nodes.addNode(n); err != nil {
			return err
		}
	}
	return nil
}

// open makes a shard file when there are rows for it.
func (w *Writer) open(at **shardFile, t table, rows int) error {
	if *at != nil || rows == 0 {
		return nil
	}
	lim := limits{w.cfg.BatchBytes, w.cfg.BatchRows, w.cfg.ShardBytes}
	s, err := createShard(w.cfg.FS, w.cfg.Dir, w.cfg.Metadata, t, w.manifest.next(), lim, w.cfg.mem)
	if err != nil {
		return err
	}
	*at = s
	return nil
}

func (w *Writer) opened() []*shardFile {
	var out []*shardFile
	for _, s := range []*shardFile{w.samples, w.nodes} {
		if s != nil {
			out = append(out, s)
		}
	}
	return out
}

func (w *Writer) size() int {
	n := 0
	for _, s := range w.opened() {
		n = max(n, s.size())
	}
	return n
}

// Seal makes all rows so far durable and lists them in the manifest. Without
// new rows it does nothing.
func (w *Writer) Seal() error {
	if w.err != nil {
		return w.err
	}
	if w.err = w.seal(); w.err != nil {
		return w.err
	}
	return nil
}

func (w *Writer) seal() error {
	open := w.opened()
	if len(open) == 0 {
		return nil
	}
	for _, s := range open {
		if err := s.finish(); err != nil {
			return err
		}
	}
	var shards []Shard
	for _, s := range open {
		if err := s.publish(); err != nil {
			return err
		}
		shards = append(shards, s.shard)
	}
	dir := filepath.Join(w.cfg.Dir, ShardsDir)
	if err := w.cfg.FS.SyncDir(dir); err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	if w.cfg.Committed != nil {
		if err := w.cfg.Committed(shards); err != nil {
			return fmt.Errorf("record shards %s: %w", shards[0].Name, err)
		}
	}
	for _, s := range open {
		s.release()
	}
	w.samples, w.nodes = nil, nil
	w.manifest.Shards = append(w.manifest.Shards, shards...)
	return w.manifest.write(w.cfg.FS, w.cfg.Dir)
}

// Close seals and marks the run as finished.
func (w *Writer) Close() error {
	if err := w.Seal(); err != nil {
		return err
	}
	w.manifest.Finished = true
	w.err = w.manifest.write(w.cfg.FS, w.cfg.Dir)
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

// Abort gives up the rows that are not sealed. What the manifest lists stays
// whole. It may follow any error, and Close.
func (w *Writer) Abort() error {
	var errs []error
	for _, s := range w.opened() {
		errs = append(errs, s.discard())
	}
	w.samples, w.nodes = nil, nil
	if w.err == nil {
		w.err = errClosed
	}
	return errors.Join(errs...)
}
