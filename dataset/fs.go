package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// FS is what a commit needs of a file system. Tests put a failing one here;
// everyone else uses the operating system's.
type FS interface {
	// MkdirAll makes a directory and its parents.
	MkdirAll(dir string) error
	// Create makes an empty file, over one that is there.
	Create(path string) (File, error)
	// Rename replaces to.
	Rename(from, to string) error
	// Remove deletes a file.
	Remove(path string) error
	// SyncDir makes the names in a directory durable.
	SyncDir(dir string) error
}

// File is written once, from front to back.
type File interface {
	io.WriteCloser
	// Sync makes what was written durable.
	Sync() error
}

// osFS is the operating system's.
type osFS struct{}

func (osFS) MkdirAll(dir string) error        { return os.MkdirAll(dir, 0o755) }
func (osFS) Rename(from, to string) error     { return os.Rename(from, to) }
func (osFS) Remove(path string) error         { return os.Remove(path) }
func (osFS) Create(path string) (File, error) { return os.Create(path) }

func (osFS) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// tmpSuffix marks files that nobody may trust. They are deleted at start-up.
const tmpSuffix = ".tmp"

// replaceFile writes a small file so that a reader finds the old or the new
// one, whole, also after a crash.
func replaceFile(fs FS, path string, data []byte) error {
	tmp := path + tmpSuffix
	f, err := fs.Create(tmp)
	if err != nil {
		return fmt.Errorf("create %s: %w", tmp, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", tmp, err)
	}
	if err := fs.Rename(tmp, path); err != nil {
		return fmt.Errorf("rename %s: %w", tmp, err)
	}
	if err := fs.SyncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("sync directory of %s: %w", path, err)
	}
	return nil
}
