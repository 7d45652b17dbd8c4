package env

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"unicode/utf8"

	"focus/rollout"
)

// DirectoryConfig bounds workspaces that are directories.
type DirectoryConfig struct {
	// Parent is where the directories are made. Default (empty): the system's
	// temporary directory. It must exist.
	Parent string `yaml:"parent"`
	// MaxBytes is the most that the files of one workspace hold. Default (0)
	// 16 MiB.
	MaxBytes int `yaml:"max_bytes"`
	// MaxFiles is the most files and directories of one workspace. Default (0)
	// 1,000.
	MaxFiles int `yaml:"max_files"`
}

// Validate reports every problem at once.
func (c DirectoryConfig) Validate() error {
	var errs []error
	if c.MaxBytes < 0 {
		errs = append(errs, fmt.Errorf("max_bytes: %d is negative", c.MaxBytes))
	}
	if c.MaxFiles < 0 {
		errs = append(errs, fmt.Errorf("max_files: %d is negative", c.MaxFiles))
	}
	if c.Parent != "" {
		if st, err := os.Stat(c.Parent); err != nil {
			errs = append(errs, fmt.Errorf("parent: %w", err))
		} else if !st.IsDir() {
			errs = append(errs, fmt.Errorf("parent: %s is not a directory", c.Parent))
		}
	}
	return errors.Join(errs...)
}

// DirectoryWorkspaces gives every rollout a [Directory] of its own.
func DirectoryWorkspaces(c DirectoryConfig) (Workspaces, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.MaxBytes, c.MaxFiles = orDefault(c.MaxBytes, 16<<20), orDefault(c.MaxFiles, 1000)
	return directories{c}, nil
}

type directories struct{ cfg DirectoryConfig }

func (d directories) Open(context.Context, rollout.Task) (rollout.Workspace, error) {
	return newDirectory(d.cfg)
}

func (d directories) Restore(_ context.Context, _ rollout.Task, content []byte) (rollout.Workspace, error) {
	entries, err := decodeEntries(content)
	if err != nil {
		return nil, err
	}
	return filledDirectory(d.cfg, entries)
}

// Directory is a workspace of files. No name leads outside of it, through
// whatever symbolic links a program has left there.
type Directory struct {
	cfg  DirectoryConfig
	path string

	mu   sync.Mutex
	root *os.Root // nil once closed
}

func newDirectory(cfg DirectoryConfig) (*Directory, error) {
	at, err := os.MkdirTemp(cfg.Parent, "workspace-")
	if err != nil {
		return nil, fmt.Errorf("make workspace directory: %w", err)
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open workspace directory: %w", err), os.RemoveAll(at))
	}
	return &Directory{cfg: cfg, path: at, root: root}, nil
}

func filledDirectory(cfg DirectoryConfig, entries []entry) (*Directory, error) {
	d, err := newDirectory(cfg)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := e.write(d.root); err != nil {
			return nil, errors.Join(fmt.Errorf("fill workspace directory: %w", err), d.Close())
		}
	}
	return d, nil
}

// Path is where the directory is, for programs that work in it.
func (d *Directory) Path() string { return d.path }

// Read is the content of a file; name is a slash-separated relative path.
func (d *Directory) Read(name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(name); err != nil {
		return nil, err
	}
	st, err := d.root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, sorted(name, err)
	}
	if !st.Mode().IsRegular() || st.Size() > int64(d.cfg.MaxBytes) {
		return nil, &Refusal{CauseBadName, fmt.Sprintf("%q is not a file that can be read", cutUTF8(name, 64))}
	}
	b, err := d.root.ReadFile(filepath.FromSlash(name))
	return b, sorted(name, err)
}

// Write puts content into a file and makes the directories above it.
func (d *Directory) Write(name string, content []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(name); err != nil {
		return err
	}
	if err := d.fits(name, len(content)); err != nil {
		return err
	}
	local := filepath.FromSlash(name)
	if st, err := d.root.Stat(local); err == nil && !st.Mode().IsRegular() {
		return &Refusal{CauseBadName, fmt.Sprintf("%q is not a file", cutUTF8(name, 64))}
	}
	if above := path.Dir(name); above != "." {
		if err := d.root.MkdirAll(filepath.FromSlash(above), 0o755); err != nil {
			return sorted(name, err)
		}
	}
	return sorted(name, d.root.WriteFile(local, content, 0o644))
}

// fits refuses a write that would go over the limits. Sizes are looked up anew:
// programs may have written beside us.
func (d *Directory) fits(name string, size int) error {
	bytes, files := int64(size), 1
	err := fs.WalkDir(d.root.FS(), ".", func(at string, e fs.DirEntry, err error) error {
		if err != nil || at == "." || at == path.Clean(name) {
			return err
		}
		files++
		if e.Type().IsRegular() {
			st, err := e.Info()
			if err != nil {
				return err
			}
			bytes += st.Size()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("measure workspace: %w", err)
	}
	if bytes > int64(d.cfg.MaxBytes) || files > d.cfg.MaxFiles {
		return &Refusal{CauseFull, fmt.Sprintf("full: %d bytes in %d files is the limit", d.cfg.MaxBytes, d.cfg.MaxFiles)}
	}
	return nil
}

// List is the paths of all regular files in order.
func (d *Directory) List() ([]string, error) {
	entries, err := d.entries()
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool { return e.Kind != fileEntry })
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Path
	}
	slices.Sort(out)
	return out, nil
}

// Fork copies all files into a directory of their own.
func (d *Directory) Fork() (rollout.Workspace, error) {
	entries, err := d.entries()
	if err != nil {
		return nil, err
	}
	return filledDirectory(d.cfg, entries)
}

// Close removes the directory and all in it. Closing again does nothing.
func (d *Directory) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.root == nil {
		return nil
	}
	err := d.root.Close()
	d.root = nil
	return errors.Join(err, os.RemoveAll(d.path))
}

// usable refuses a name that is no path inside the directory.
func (d *Directory) usable(name string) error {
	if d.root == nil {
		return errClosed
	}
	if len(name) > maxName || !utf8.ValidString(name) || !fs.ValidPath(name) || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return &Refusal{CauseBadName, fmt.Sprintf("%q is not a path in the workspace", cutUTF8(ValidUTF8(name), 64))}
	}
	return nil
}

// sorted makes a refusal of what a name can cause: not there, not a file, a
// link that leads outside. What is left means that the disk broke.
func sorted(name string, err error) error {
	if err == nil {
		return nil
	}
	for _, broken := range []error{syscall.ENOSPC, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.EROFS, fs.ErrClosed} {
		if errors.Is(err, broken) {
			return fmt.Errorf("workspace file: %w", err)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &Refusal{CauseNotFound, fmt.Sprintf("no file %q", cutUTF8(name, 64))}
	}
	return &Refusal{CauseBadName, fmt.Sprintf("%q cannot be used", cutUTF8(name, 64))}
}
