package dataset

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden run of this format version")

// goldenDir holds a run as this format version is written. A later version
// keeps it and adds its own.
const goldenDir = "testdata/v2"

// TestGoldenRun: the rows of a fixed group make the bytes of the golden files,
// and the golden files still prove themselves.
func TestGoldenRun(t *testing.T) {
	dir := t.TempDir()
	if *update {
		dir = goldenDir
		require.NoError(t, os.RemoveAll(dir))
	}
	write(t, config(t, dir), append(crashGroups(), offAnchor("e"))...)
	require.Equal(t, shardFiles(t, goldenDir), shardFiles(t, dir))
	want, err := os.ReadFile(filepath.Join(goldenDir, ManifestName))
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(dir, ManifestName))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))

	r := proved(t, goldenDir)
	require.Equal(t, "d482c5cd3c21287100c17cf0ad69dce0020d39cbb202ed27a9822751fdfe3074", r.IDsSHA256)
	require.Equal(t, "0edf0693ca7a1000e1a9ee30602d44b4cc70a91ca41077b3151adbcb46bf57dc", r.Digest)
}

// TestGoldenRunOfVersion1: files of the first version prove themselves still,
// with the digest they had, and the same rows written today have that digest.
func TestGoldenRunOfVersion1(t *testing.T) {
	const old = "testdata/v1"
	r := proved(t, old)
	require.Equal(t, "cb82a59d13041247a557bc9cd06c6f99698f7e10cb0653874847609fc59c7afa", r.IDsSHA256)
	require.Equal(t, "4ca4f0f43a3f905f39e93b3aac695357d87d2dffbcdfbd05071d077e9722fd89", r.Digest)

	dir := t.TempDir()
	write(t, config(t, dir), crashGroups()...)
	require.Equal(t, r.Digest, proved(t, dir).Digest)
	was, _ := readRun(t, old)
	is, _ := readRun(t, dir)
	require.Equal(t, was, is)

	// A writer of today does not add files of its own to them.
	into := t.TempDir()
	require.NoError(t, os.CopyFS(into, os.DirFS(old)))
	_, err := Resume(config(t, into), nil)
	require.ErrorContains(t, err, "has format 1, and this focus writes 2")
	require.Equal(t, shardFiles(t, old), shardFiles(t, into))

	// Files of two formats are not one run.
	name := filepath.Join(into, ManifestName)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, bytes.Replace(text, []byte(`"format": 1`), []byte(`"format": 2`), 1), 0o600))
	mixed := mustVerify(t, into)
	require.False(t, mixed.OK())
	require.Equal(t, "its format is 1, the manifest says 2", mixed.Problems[0].Detail)
}
