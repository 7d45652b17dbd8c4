package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"focus/rollout"
)

// Names within a run's directory.
const (
	ManifestName = "manifest.json"
	ShardsDir    = "shards"
)

// Manifest lists the files of a run. Readers trust it and never a directory
// listing.
type Manifest struct {
	Format int           `json:"format"`
	RunID  rollout.RunID `json:"run_id"`
	// Finished is false while rows may still come.
	Finished bool    `json:"finished"`
	Shards   []Shard `json:"shards"`
}

// Shard is one file. Shards of the same number hold the same groups, in the
// same order; one that would have no rows is left out.
type Shard struct {
	// Name is relative to the run's directory, with slashes.
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`
	// Kinds counts the rows of a samples shard by kind.
	Kinds map[Kind]int `json:"kinds,omitempty"`
}

var shardName = regexp.MustCompile(`^shards/(samples|nodes)-([0-9]{6})\.arrows$`)

func nameShard(t table, number int) string {
	return fmt.Sprintf("%s/%s-%06d.arrows", ShardsDir, t, number)
}

// parse splits a shard's name; false for a name that no writer gives.
func (s Shard) parse() (table, int, bool) {
	m := shardName.FindStringSubmatch(s.Name)
	if m == nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(m[2])
	return table(m[1]), n, err == nil
}

// ReadManifest reads the manifest of a run's directory. The error is [ErrNoRun]
// when there is none.
func ReadManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, fmt.Errorf("read %s: %w: it has no %s", dir, ErrNoRun, ManifestName)
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest: %w", err)
	}
	m, err := parseManifest(data)
	if err != nil {
		return Manifest{}, fmt.Errorf("read %s: %w", path, err)
	}
	return m, nil
}

func parseManifest(data []byte) (Manifest, error) {
	var m Manifest
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return Manifest{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Manifest{}, fmt.Errorf("%w: something follows the manifest", ErrDamaged)
	}
	if !readable(m.Format) {
		return Manifest{}, fmt.Errorf("%w: format %d, this focus reads %d to %d", ErrDamaged, m.Format, oldestFormat, FormatVersion)
	}
	if m.RunID == "" {
		return Manifest{}, fmt.Errorf("%w: run_id is empty", ErrDamaged)
	}
	seen := map[string]bool{}
	last := -1
	for _, s := range m.Shards {
		_, number, ok := s.parse()
		if !ok || seen[s.Name] || number < last {
			return Manifest{}, fmt.Errorf("%w: shard %q is misnamed, out of order or listed twice", ErrDamaged, s.Name)
		}
		seen[s.Name], last = true, number
	}
	return m, nil
}

func (m Manifest) write(fs FS, dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("encode manifest: %w", err)
	}
	return replaceFile(fs, filepath.Join(dir, ManifestName), append(data, '\n'))
}

// next is the number of the next shards.
func (m Manifest) next() int {
	if len(m.Shards) == 0 {
		return 0
	}
	_, number, _ := m.Shards[len(m.Shards)-1].parse()
	return number + 1
}
