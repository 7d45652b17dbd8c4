package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// fastFS is the operating system's without waiting for the device.
type fastFS struct{ osFS }

func (fastFS) SyncDir(string) error { return nil }

func (fastFS) Create(path string) (File, error) {
	f, err := os.Create(path)
	return fastFile{f}, err
}

type fastFile struct{ *os.File }

func (fastFile) Sync() error { return nil }

// loss says what a power cut takes.
type loss int

const (
	// lossNone: the process died, the system did not.
	lossNone loss = iota
	// lossData: what was not synced is gone from files, names stay.
	lossData
	// lossNames: names that no directory sync made durable are gone too.
	lossNames
)

var errDied = errors.New("the process died here")

// faultFS fails operation number failAt and all after it, and can then take
// away what was not synced. It works on real files.
type faultFS struct {
	osFS
	failAt, ops int
	err         error
	// synced is how much of a file a power cut leaves; names maps to it.
	synced map[string]*int64
	// undo takes back what changed names, in reverse, by directory.
	undo []change
}

type change struct {
	dir  string
	back func() error
}

func newFaultFS(failAt int, err error) *faultFS {
	return &faultFS{failAt: failAt, err: err, synced: map[string]*int64{}}
}

// op counts an operation and says whether it works.
func (f *faultFS) op() error {
	f.ops++
	if f.failAt > 0 && f.ops >= f.failAt {
		return f.err
	}
	return nil
}

func (f *faultFS) MkdirAll(dir string) error {
	if err := f.op(); err != nil {
		return err
	}
	return f.osFS.MkdirAll(dir)
}

func (f *faultFS) Create(path string) (File, error) {
	if err := f.op(); err != nil {
		return nil, err
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	f.synced[path] = new(int64)
	f.undo = append(f.undo, change{filepath.Dir(path), func() error { return os.Remove(path) }})
	return &faultFile{File: file, fs: f, synced: f.synced[path]}, nil
}

func (f *faultFS) Rename(from, to string) error {
	if err := f.op(); err != nil {
		return err
	}
	old, err := os.ReadFile(to)
	had := err == nil
	oldSynced := f.synced[to]
	if err := os.Rename(from, to); err != nil {
		return err
	}
	f.synced[to] = f.synced[from]
	delete(f.synced, from)
	f.undo = append(f.undo, change{filepath.Dir(to), func() error {
		f.synced[from] = f.synced[to]
		f.synced[to] = oldSynced
		err := os.Rename(to, from)
		if had {
			err = errors.Join(err, os.WriteFile(to, old, 0o644))
		}
		return err
	}})
	return nil
}

func (f *faultFS) Remove(path string) error {
	if err := f.op(); err != nil {
		return err
	}
	return os.Remove(path)
}

func (f *faultFS) SyncDir(dir string) error {
	if err := f.op(); err != nil {
		return err
	}
	f.undo = slices.DeleteFunc(f.undo, func(c change) bool { return c.dir == dir })
	return nil
}

// cut takes away what a power cut would.
func (f *faultFS) cut(what loss) error {
	var errs []error
	if what == lossNames {
		for _, c := range slices.Backward(f.undo) {
			errs = append(errs, c.back())
		}
	}
	if what >= lossData {
		for path, n := range f.synced {
			if info, err := os.Stat(path); n != nil && err == nil && info.Size() > *n {
				errs = append(errs, os.Truncate(path, *n))
			}
		}
	}
	return errors.Join(errs...)
}

type faultFile struct {
	*os.File
	fs     *faultFS
	synced *int64
}

// Write leaves half of what it was given when it fails, as a full disk does.
func (f *faultFile) Write(p []byte) (int, error) {
	if err := f.fs.op(); err != nil {
		n, werr := f.File.Write(p[:len(p)/2])
		return n, errors.Join(err, werr)
	}
	return f.File.Write(p)
}

func (f *faultFile) Sync() error {
	if err := f.fs.op(); err != nil {
		return err
	}
	info, err := f.File.Stat()
	if err == nil {
		*f.synced = info.Size()
	}
	return err
}

func (f *faultFile) Close() error {
	return errors.Join(f.fs.op(), f.File.Close())
}

// faults are what a disk says.
var faults = map[string]error{"full": syscall.ENOSPC, "broken": syscall.EIO}
