package dataset

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// unchecked writes rows as the writer does, without any of its checks.
func unchecked(t *testing.T, dir string, groups ...Rows) {
	t.Helper()
	cfg := config(t, dir)
	w, err := Create(cfg)
	require.NoError(t, err)
	for _, r := range groups {
		var infos [][]byte
		for _, s := range r.Samples {
			info, err := marshal(s.Info)
			require.NoError(t, err)
			infos = append(infos, info)
		}
		require.NoError(t, w.append(r, infos))
	}
	require.NoError(t, w.Close())
	require.NoError(t, w.Abort())
}

// TestVerifyFindsEachPlant: whatever the writer refuses, Verify finds in files
// that were written without asking.
func TestVerifyFindsEachPlant(t *testing.T) {
	for _, p := range plants() {
		t.Run(p.name, func(t *testing.T) {
			dir := t.TempDir()
			rows := build(t, branched("a"))
			p.change(&rows)
			unchecked(t, dir, build(t, simple("b")), rows)
			r := mustVerify(t, dir)
			found := slices.ContainsFunc(r.Problems, func(q Problem) bool { return q.Check == p.err.Error() })
			require.True(t, found, "want %q, got %v", p.err, r.Problems)
			for _, q := range r.Problems {
				require.Contains(t, []string{"shards/samples-000000.arrows", "shards/nodes-000000.arrows"}, q.File)
				if p.rollout != "" && q.Check == p.err.Error() && q.Row >= 0 {
					require.GreaterOrEqual(t, q.Row, 2, "the first two rows are right")
				}
			}
		})
	}
}

func TestVerifyNamesFileAndRow(t *testing.T) {
	dir := t.TempDir()
	rows := build(t, branched("a"))
	fillMask(rows.Samples[1], 0)
	unchecked(t, dir, build(t, simple("b")), rows)
	r := mustVerify(t, dir)
	require.Equal(t, []Problem{{
		File: "shards/samples-000000.arrows", Row: 3, Check: ErrTrainTwice.Error(),
		Detail: "tree a, rollout a-b, row 0, turn 0: sampled token would train twice: turn 0 of node 1 has loss here and in rollout a-a, row 0",
	}}, r.Problems)
}

func TestVerifyFindsWhatComesBack(t *testing.T) {
	dir := t.TempDir()
	unchecked(t, dir, build(t, branched("a")), build(t, simple("b")), build(t, branched("a")))
	r := mustVerify(t, dir)
	checks := map[string]bool{}
	for _, p := range r.Problems {
		checks[p.Check] = true
	}
	require.True(t, checks[ErrTrainTwice.Error()] && checks[ErrIdentity.Error()], "%v", r.Problems)
}

// TestFlippedBytesAreCaught flips a bit at positions all over each file of a
// run, the manifest included.
func TestFlippedBytesAreCaught(t *testing.T) {
	dir := t.TempDir()
	write(t, config(t, dir), branched("a"), failedGroup("b"))
	files := []string{ManifestName, "shards/samples-000000.arrows", "shards/nodes-000000.arrows"}
	for _, name := range files {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		step := max(1, len(data)/150)
		for i := 0; i < len(data); i += step {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << (i % 8)
			require.NoError(t, os.WriteFile(path, bad, 0o644))
			r, err := verify(dir, memoryOf(t))
			if err == nil && r.OK() {
				require.Equal(t, ManifestName, name)
				require.True(t, sameManifest(data, bad), "a flip at %d of %s went unnoticed:\n%s", i, name, bad)
			}
		}
		require.NoError(t, os.WriteFile(path, data, 0o644))
	}
	proved(t, dir)
}

// sameManifest: JSON has bytes that say nothing, such as which white space.
func sameManifest(a, b []byte) bool {
	var x, y Manifest
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && inText(x) == inText(y)
}

func inText(m Manifest) string { b, _ := json.Marshal(m); return string(b) }

func TestVerifyFindsDamage(t *testing.T) {
	put := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
		}
	}
	edit := func(change func(m *Manifest)) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			m, err := ReadManifest(dir)
			require.NoError(t, err)
			change(&m)
			require.NoError(t, m.write(fastFS{}, dir))
		}
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		check  string
		says   string
	}{
		"file gone":        {func(t *testing.T, dir string) { remove(t, dir, "shards/nodes-000001.arrows") }, checkFile, "no such file"},
		"file cut":         {func(t *testing.T, dir string) { cutFile(t, dir, "shards/samples-000001.arrows") }, checkFile, "bytes, the manifest says"},
		"unlisted shard":   {put("shards/samples-000007.arrows"), checkUnexpected, "does not list it"},
		"temporary file":   {put("shards/samples-000002.arrows.tmp"), checkUnexpected, "does not list it"},
		"unfinished":       {edit(func(m *Manifest) { m.Finished = false }), checkUnfinished, "the job did not finish this run"},
		"row count":        {edit(func(m *Manifest) { m.Shards[0].Rows++ }), checkFile, "2 rows, the manifest says 3"},
		"kind count":       {edit(func(m *Manifest) { m.Shards[0].Kinds[KindFold]++ }), checkCounts, "rows by kind"},
		"run id":           {edit(func(m *Manifest) { m.RunID = "run-2" }), checkFile, "belongs to run run-1"},
		"hash":             {edit(func(m *Manifest) { m.Shards[0].SHA256 = "00" }), checkFile, "SHA-256"},
		"shards exchanged": {edit(func(m *Manifest) { a, b := &m.Shards[0], &m.Shards[1]; a.Name, b.Name = b.Name, a.Name }), checkFile, "the manifest says"},
		"nodes not listed": {edit(func(m *Manifest) { m.Shards = m.Shards[:3] }), ErrTree.Error(), "its tree has no nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cfg := config(t, dir)
			cfg.ShardBytes = 1
			write(t, cfg, branched("a"), simple("b"))
			c.damage(t, dir)
			r := mustVerify(t, dir)
			require.True(t, slices.ContainsFunc(r.Problems, func(p Problem) bool {
				return p.Check == c.check && bytes.Contains([]byte(p.String()), []byte(c.says))
			}), "%v", r.Problems)
			require.Equal(t, c.check == checkFile, r.Digest == "", "a run that could not be read has no digest")
		})
	}
}

func TestVerifyFindsAnotherConfig(t *testing.T) {
	dir := t.TempDir()
	cfg := config(t, dir)
	w, err := Create(cfg)
	require.NoError(t, err)
	require.NoError(t, w.Write(build(t, simple("a"))))
	require.NoError(t, w.Seal())
	w.cfg.Metadata.Config = json.RawMessage(`{"seed":2}`)
	require.NoError(t, w.Write(build(t, simple("b"))))
	require.NoError(t, w.Close())
	r := mustVerify(t, dir)
	require.Equal(t, checkMetadata, r.Problems[0].Check)
}

func TestVerifyNeedsARun(t *testing.T) {
	_, err := Verify(t.TempDir())
	require.ErrorIs(t, err, ErrNoRun)
}

// TestDigestSaysWhatHappened: it is the same whatever the order, the times, the
// attempts and the servers, and another when anything else is.
func TestDigestSaysWhatHappened(t *testing.T) {
	digest := func(t *testing.T, groups ...Group) Report {
		dir := t.TempDir()
		write(t, config(t, dir), groups...)
		return proved(t, dir)
	}
	base := digest(t, branched("a"), failedGroup("b"))
	same := map[string]func(a, b *Group){
		"servers": func(a, _ *Group) { a.Trees[0].Edges[1].Turns[0].Server = "elsewhere" },
		"times": func(a, _ *Group) {
			a.Trees[0].Edges[1].Turns[0].Timing = rollout.Timing{Started: time.UnixMicro(5), Generate: time.Hour, Apply: time.Minute}
		},
		"attempts": func(a, _ *Group) { a.Trees[0].Lines[1].Attempt = 4 },
		"error's text": func(_, b *Group) {
			b.Trees[0].Lines[1].State.Failure = &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: "connection", Detail: "host 7"}
		},
	}
	for name, change := range same {
		t.Run(name, func(t *testing.T) {
			a, b := branched("a"), failedGroup("b")
			change(&a, &b)
			require.Equal(t, base.Digest, digest(t, a, b).Digest)
		})
	}
	t.Run("order", func(t *testing.T) {
		got := digest(t, failedGroup("b"), branched("a"))
		require.Equal(t, base.Digest, got.Digest)
		require.NotEqual(t, base.IDsSHA256, got.IDsSHA256, "the ids are hashed in file order")
	})
	other := map[string]func(a, b *Group){
		"token":   func(a, _ *Group) { u := a.Trees[0].Edges[2].Turns[0]; u.Context = u.Prefix().Append(201, 201) },
		"logprob": func(a, _ *Group) { a.Trees[0].Edges[2].Turns[0].Logprobs[0] = -0.125 },
		"reward":  func(a, _ *Group) { a.Trees[0].Edges[2].Turns[0].Transition.Outcome = ptr(0.5) },
		"credit":  func(a, _ *Group) { a.Trees[0].Lines[0].Advantages[0] = 1 },
		"no credit": func(a, _ *Group) {
			a.Trees[0].Lines[0].Advantages, a.Trees[0].Lines[0].Weights = nil, nil
		},
		"value":  func(a, _ *Group) { a.Trees[0].Edges[1].Value = ptr(0.75) },
		"prior":  func(a, _ *Group) { a.Trees[0].Edges[1].Prior = nil },
		"seed":   func(a, _ *Group) { a.Trees[0].Edges[2].Turns[0].Sampling.Seed = 8 },
		"law":    func(a, _ *Group) { a.Trees[0].Edges[2].Turns[0].Sampling.TopK = 8 },
		"status": func(a, _ *Group) { a.Trees[0].Edges[2].Status = "pruned" },
		"cause": func(_, b *Group) {
			b.Trees[0].Lines[1].State.Failure = &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: "timeout"}
		},
	}
	for name, change := range other {
		t.Run(name, func(t *testing.T) {
			a, b := branched("a"), failedGroup("b")
			change(&a, &b)
			require.NotEqual(t, base.Digest, digest(t, a, b).Digest)
		})
	}
}

func TestReportCounts(t *testing.T) {
	dir := t.TempDir()
	write(t, config(t, dir), branched("a"), folded("b"), failedGroup("c"))
	r := proved(t, dir)
	require.Equal(t, map[Kind]int{KindTask: 6, KindFold: 1}, r.Kinds)
	require.Equal(t, []int{3, 3, 6, 2, 0}, []int{r.Groups, r.Trees, r.Rollouts, r.Failed, r.Unscored})
	require.EqualValues(t, 10+7+3, r.SampledTokens)
	require.EqualValues(t, 7+7+2, r.LossTokens, "the shared turn once, the failed rollout not at all")
	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text))
	require.Contains(t, text.String(), "6 in 3 trees of 3 groups; 2 failed, 0 unscored")
	require.Contains(t, text.String(), r.Digest)
	require.Contains(t, text.String(), "verified: ")
}
