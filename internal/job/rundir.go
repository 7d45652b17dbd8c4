package job

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"focus/dataset"
	"focus/policy"
	"focus/rollout"
)

// Names within a run's folder, beside those of package dataset.
const (
	lockName    = "LOCK"
	runName     = "run.json"
	metricsName = "metrics.jsonl"
)

// ErrHoldsRun: the output folder holds a run already.
var ErrHoldsRun = dataset.ErrHoldsRun

// runFile is run.json: what the run is, written once.
type runFile struct {
	FormatVersion int                `json:"format_version"`
	RunID         rollout.RunID      `json:"run_id"`
	Name          string             `json:"name"`
	Seed          int64              `json:"seed"`
	Config        json.RawMessage    `json:"config"`
	ConfigSHA256  string             `json:"config_sha256"`
	Policy        policy.Description `json:"policy"`
	Tasks         int                `json:"tasks"`
	Warnings      []string           `json:"warnings,omitempty"`
	Version       string             `json:"focus_version"`
}

// CheckOut refuses a folder that a run cannot be written to, without writing.
func CheckOut(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("output %s: %w; choose another folder with --out", dir, err)
	case !info.IsDir():
		return fmt.Errorf("output %s: is a file; choose another folder with --out", dir)
	}
	for _, name := range []string{runName, dataset.ManifestName} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("output %s: %w (it has %s); choose another folder with --out, or remove it", dir, ErrHoldsRun, name)
		}
	}
	return nil
}

// CheckRunFile compares run.json with the run that the manifest names.
func CheckRunFile(dir string, id rollout.RunID) error {
	b, err := os.ReadFile(filepath.Join(dir, runName))
	if err != nil {
		return err
	}
	var f runFile
	if err := json.Unmarshal(b, &f); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	if f.RunID != id {
		return fmt.Errorf("it is of run %q, the manifest of %q", f.RunID, id)
	}
	if sum := sha256.Sum256(compact(f.Config)); hex.EncodeToString(sum[:]) != f.ConfigSHA256 {
		return errors.New("its config is not the one of its hash")
	}
	return nil
}

// compact undoes the indentation that run.json is written with.
func compact(b []byte) []byte {
	var out bytes.Buffer
	if json.Compact(&out, b) != nil {
		return b
	}
	return out.Bytes()
}

// lock takes the run's folder for this process.
func lock(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make output folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock output folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("output %s: another focus is writing to it: %w", dir, err), f.Close())
	}
	return f, nil
}

// writeRunFile writes run.json: temp, fsync, rename, sync of the folder.
func (l *Live) writeRunFile(dir string, warnings []string) error {
	p := l.Plan
	b, err := json.MarshalIndent(runFile{
		FormatVersion: dataset.FormatVersion, RunID: p.RunID(), Name: p.Config.Name, Seed: p.Config.Seed,
		Config: p.JSON, ConfigSHA256: p.Hash(), Policy: l.Described, Tasks: len(l.Tasks), Warnings: warnings,
		Version: Version(),
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", runName, err)
	}
	return dataset.WriteFile(filepath.Join(dir, runName), append(b, '\n'))
}

// Version is the version of this binary: the module's, else the revision it
// was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "devel"
}
