package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"path/filepath"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"focus/rollout"
)

// Names of checks that are not about one row.
const (
	checkFile       = "file"
	checkUnexpected = "unexpected file"
	checkUnfinished = "unfinished run"
	checkCounts     = "counts"
	checkMetadata   = "metadata"
)

// Verify proves a finished run and reports everything that is wrong with it.
// The error is not nil only when there is no run to look at: [ErrNoRun], or a
// manifest that does not parse.
func Verify(dir string) (Report, error) { return verify(dir, memory.DefaultAllocator) }

func verify(dir string, mem memory.Allocator) (Report, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	v := &verifier{
		run: &Run{Dir: dir, Manifest: m, mem: mem}, ids: sha256.New(),
		groups: map[rollout.GroupID]bool{}, trees: map[rollout.TreeID]bool{}, rollouts: map[rollout.RolloutID]bool{},
		report: Report{
			RunID: m.RunID, Format: m.Format, Finished: m.Finished, Shards: len(m.Shards),
			Kinds: map[Kind]int{}, Problems: []Problem{},
		},
	}
	if !m.Finished {
		v.problem(ManifestName, -1, checkUnfinished, "the job did not finish this run: its process died, or is still writing")
	}
	v.run.seen = v.metadata
	v.unexpected()
	for at := 0; at < len(m.Shards); {
		_, number, _ := m.Shards[at].parse()
		end := at
		for end < len(m.Shards) {
			if _, n, _ := m.Shards[end].parse(); n != number {
				break
			}
			end++
		}
		v.pair(m.Shards[at:end])
		at = end
	}
	return v.done(), nil
}

// verifier reads a run once, one tree in memory at a time.
type verifier struct {
	run    *Run
	report Report
	ids    hash.Hash
	digest digest
	unread bool
	// first is what the first file says about the run.
	first     *Metadata
	firstName string
	groups    map[rollout.GroupID]bool
	trees     map[rollout.TreeID]bool
	rollouts  map[rollout.RolloutID]bool
}

func (v *verifier) problem(file string, row int, check, format string, args ...any) {
	v.report.add(Problem{File: file, Row: row, Check: check, Detail: fmt.Sprintf(format, args...)})
}

func (v *verifier) done() Report {
	r := v.report
	r.Groups, r.Trees = len(v.groups), len(v.trees)
	r.Rollouts += len(v.rollouts)
	for _, s := range v.run.Manifest.Shards {
		r.Bytes += s.Bytes
	}
	if !v.unread {
		r.IDsSHA256, r.Digest = hex.EncodeToString(v.ids.Sum(nil)), v.digest.hex()
	}
	return r
}

// unexpected reports files in the shards folder that the manifest does not list.
func (v *verifier) unexpected() {
	names, err := list(filepath.Join(v.run.Dir, ShardsDir))
	if err != nil {
		v.problem(ShardsDir, -1, checkFile, "%v", err)
	}
	for _, name := range names {
		path := ShardsDir + "/" + name
		if !slices.ContainsFunc(v.run.Manifest.Shards, func(s Shard) bool { return s.Name == path }) {
			v.problem(path, -1, checkUnexpected, "the manifest does not list it")
		}
	}
}

// metadata proves that all files say the same about the run.
func (v *verifier) metadata(s Shard, md Metadata, format int) {
	if want := v.run.Manifest.Format; format != want {
		v.problem(s.Name, -1, checkMetadata, "its format is %d, the manifest says %d", format, want)
	}
	if v.first == nil {
		v.first, v.firstName = &md, s.Name
	}
	if !v.first.equal(md) {
		v.problem(s.Name, -1, checkMetadata, "what it says about the run differs from %s", v.firstName)
	}
}

// pair proves the shards of one number.
func (v *verifier) pair(shards []Shard) {
	p := &pair{v: v, kinds: map[Kind]int{}}
	for _, s := range shards {
		if t, _, _ := s.parse(); t == tableSamples {
			p.samplesShard = s
		} else {
			p.nodesShard = s
		}
	}
	if err := p.walk(); err != nil {
		v.unread = true
		v.problem(p.failed, -1, problemOf(err), "%v", err)
	}
}

// problemOf is the name of the check behind an error of reading.
func problemOf(err error) string {
	for _, sentinel := range []error{ErrText, ErrLength, ErrSpan, ErrMask, ErrIdentity} {
		if errors.Is(err, sentinel) {
			return sentinel.Error()
		}
	}
	return checkFile
}
