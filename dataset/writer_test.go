package dataset

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"focus/rollout"
)

// batches is the number of rows of each batch of a file.
func batches(t *testing.T, data []byte) []int {
	rd, err := ipc.NewReader(bytes.NewReader(data), ipc.WithAllocator(memory.DefaultAllocator))
	require.NoError(t, err)
	defer rd.Release()
	var out []int
	for rd.Next() {
		out = append(out, int(rd.Record().NumRows()))
	}
	return out
}

func many(n int) []Group {
	var out []Group
	for i := range n {
		out = append(out, simple(rollout.DeriveID(string(rune('a'+i)))))
	}
	return out
}

func TestRowsComeBackAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	groups := []Group{simple("a"), branched("b"), folded("c"), failedGroup("d")}
	write(t, config(t, dir), groups...)
	samples, nodes := readRun(t, dir)
	var want Rows
	for _, g := range groups {
		r := build(t, g)
		want.Samples = append(want.Samples, r.Samples...)
		want.Nodes = append(want.Nodes, r.Nodes...)
	}
	require.Len(t, samples, len(want.Samples))
	for i, s := range samples {
		info, err := marshal(want.Samples[i].Info)
		require.NoError(t, err)
		require.Equal(t, string(info), s.infoText)
		// JSON compares lists and nulls, not what is empty and what is nil.
		s.Info, s.infoText, want.Samples[i].Info = Info{}, "", Info{}
		require.Equal(t, inJSON(t, want.Samples[i]), inJSON(t, s))
		require.Equal(t, want.Samples[i].Advantages == nil, s.Advantages == nil)
	}
	require.Len(t, nodes, len(want.Nodes))
	for i, n := range nodes {
		if n.IDs = n.IDs[:len(n.IDs):len(n.IDs)]; len(n.IDs) == 0 {
			n.IDs = nil
		}
		want.Nodes[i].Started = want.Nodes[i].Started.UTC()
		require.Equal(t, want.Nodes[i], n)
	}
}

func inJSON(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestSameRowsMakeTheSameBytes(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	write(t, config(t, one), crashGroups()...)
	write(t, config(t, two), crashGroups()...)
	require.Equal(t, shardFiles(t, one), shardFiles(t, two))
	a, err := os.ReadFile(filepath.Join(one, ManifestName))
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(two, ManifestName))
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
}

func TestBatchesAndShardsClose(t *testing.T) {
	size := build(t, simple("a")).Samples[0].bytes(nil)
	for name, c := range map[string]struct {
		change  func(*Config)
		shards  int
		batches []int
	}{
		"defaults":      {func(*Config) {}, 2, []int{12}},
		"by rows":       {func(c *Config) { c.BatchRows = 5 }, 2, []int{5, 5, 2}},
		"by bytes":      {func(c *Config) { c.BatchBytes = 1 }, 2, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		"shards":        {func(c *Config) { c.ShardBytes = 1 }, 12, []int{2}},
		"shard of some": {func(c *Config) { c.ShardBytes = 6 * size }, -1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cfg := config(t, dir)
			c.change(&cfg)
			write(t, cfg, many(6)...)
			r := proved(t, dir)
			require.Equal(t, 12, r.Samples)
			if c.shards < 0 {
				require.Greater(t, r.Shards, 2)
				require.Less(t, r.Shards, 12)
				return
			}
			require.Equal(t, c.shards, r.Shards)
			require.Equal(t, c.batches, batches(t, shardFiles(t, dir)["samples-000000.arrows"]))
		})
	}
}

func TestManifestListsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	cfg := config(t, dir)
	cfg.ShardBytes = 1
	w, err := Create(cfg)
	require.NoError(t, err)
	m, err := ReadManifest(dir)
	require.NoError(t, err)
	require.Empty(t, m.Shards)
	require.NoError(t, w.Write(build(t, folded("a"))))
	m, err = ReadManifest(dir)
	require.NoError(t, err)
	require.False(t, m.Finished)
	require.Equal(t, "shards/samples-000000.arrows", m.Shards[0].Name)
	require.Equal(t, map[Kind]int{KindTask: 2, KindFold: 1}, m.Shards[0].Kinds)
	require.Equal(t, 2, m.Shards[1].Rows)
	require.NoError(t, w.Close())
	m, err = ReadManifest(dir)
	require.NoError(t, err)
	require.True(t, m.Finished)
	require.ErrorIs(t, w.Write(Rows{}), errClosed)
}

func TestRunOfFailuresHasNodesOnly(t *testing.T) {
	dir := t.TempDir()
	why := &rollout.Failure{Class: rollout.FailureInfrastructure, Cause: "connection"}
	write(t, config(t, dir), chains("a", state().Ended(rollout.StopFailed, why)))
	r := proved(t, dir)
	require.Equal(t, 1, r.Shards)
	require.Equal(t, 1, r.Failed)
	require.Equal(t, 1, r.Rollouts)
}

func TestEmptyRunVerifies(t *testing.T) {
	dir := t.TempDir()
	write(t, config(t, dir))
	r := proved(t, dir)
	require.Zero(t, r.Shards)
	require.Equal(t, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", r.IDsSHA256)
}

func TestCreateRefusesADirectoryThatHoldsARun(t *testing.T) {
	dir := t.TempDir()
	write(t, config(t, dir), simple("a"))
	_, err := Create(config(t, dir))
	require.ErrorIs(t, err, ErrHoldsRun)
	remove(t, dir, ManifestName)
	_, err = Create(config(t, dir))
	require.ErrorIs(t, err, ErrHoldsRun, "shards without a manifest are somebody's")
}

func TestConfigReportsEverything(t *testing.T) {
	err := Config{BatchRows: -1, Metadata: Metadata{Config: json.RawMessage("{"), EstimatorParams: json.RawMessage("}"), StrategyParams: json.RawMessage("]")}}.Validate()
	for _, says := range []string{"run id", "config is not JSON", "estimator parameters", "strategy parameters", "dir is empty", "at least 0"} {
		require.ErrorContains(t, err, says)
	}
}

func TestMetadataComesBack(t *testing.T) {
	dir := t.TempDir()
	write(t, config(t, dir), simple("a"))
	run, err := Read(dir)
	require.NoError(t, err)
	md, err := run.Metadata()
	require.NoError(t, err)
	require.Equal(t, metadata(), md)
}

func TestFilesNameTheirStrategyAndEstimator(t *testing.T) {
	dir, cfg := t.TempDir(), config(t, "")
	cfg.Dir, cfg.Metadata.Strategy, cfg.Metadata.StrategyParams = dir, "tree-grpo", json.RawMessage(`{"trees":2}`)
	write(t, cfg, simple("a"))
	run, err := Read(dir)
	require.NoError(t, err)
	got, err := run.Metadata()
	require.NoError(t, err)
	require.Equal(t, cfg.Metadata, got)
}
