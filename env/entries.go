package env

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// entryKind is what an entry of a directory is.
type entryKind string

const (
	fileEntry entryKind = "file"
	dirEntry  entryKind = "dir"
	linkEntry entryKind = "link"
)

// entry is one thing in a [Directory]; a list of them, parents first, is its
// snapshot.
type entry struct {
	Path    string      `json:"path"`
	Kind    entryKind   `json:"kind"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	Content []byte      `json:"content,omitempty"`
	Target  string      `json:"target,omitempty"`
}

// entries reads the whole directory, parents first.
func (d *Directory) entries() ([]entry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.root == nil {
		return nil, errClosed
	}
	var out []entry
	err := fs.WalkDir(d.root.FS(), ".", func(at string, e fs.DirEntry, err error) error {
		if err != nil || at == "." {
			return err
		}
		read, err := readEntry(d.root, at, e)
		out = append(out, read)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read workspace directory: %w", err)
	}
	return out, nil
}

func readEntry(root *os.Root, at string, e fs.DirEntry) (entry, error) {
	local := filepath.FromSlash(at)
	switch {
	case e.IsDir():
		return entry{Path: at, Kind: dirEntry}, nil
	case e.Type()&fs.ModeSymlink != 0:
		target, err := root.Readlink(local)
		return entry{Path: at, Kind: linkEntry, Target: target}, err
	case e.Type().IsRegular():
		st, err := e.Info()
		if err != nil {
			return entry{}, err
		}
		b, err := root.ReadFile(local)
		return entry{Path: at, Kind: fileEntry, Mode: st.Mode().Perm(), Content: b}, err
	}
	return entry{}, fmt.Errorf("%s is a %s, which cannot be copied", at, e.Type())
}

func (e entry) write(root *os.Root) error {
	local := filepath.FromSlash(e.Path)
	switch e.Kind {
	case dirEntry:
		return root.Mkdir(local, 0o755)
	case linkEntry:
		return root.Symlink(e.Target, local)
	case fileEntry:
		if err := root.WriteFile(local, e.Content, 0o600); err != nil {
			return err
		}
		return root.Chmod(local, e.Mode)
	}
	return fmt.Errorf("entry %s: unknown kind %q", e.Path, e.Kind)
}

// Snapshot is the entries as JSON.
func (d *Directory) Snapshot() ([]byte, error) {
	entries, err := d.entries()
	if err != nil {
		return nil, err
	}
	return json.Marshal(entries)
}

func decodeEntries(b []byte) ([]entry, error) {
	var entries []entry
	if err := json.Unmarshal(b, &entries); err != nil {
		return nil, fmt.Errorf("read directory snapshot: %w", err)
	}
	return entries, nil
}
