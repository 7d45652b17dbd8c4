package dataset

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden run of this format version")

// goldenDir holds a run as format version 1 was written. A later version keeps
// it and adds its own.
const goldenDir = "testdata/v1"

// TestGoldenRun: the rows of a fixed group make the bytes of the golden files,
// and the golden files still prove themselves.
func TestGoldenRun(t *testing.T) {
	dir := t.TempDir()
	if *update {
		dir = goldenDir
		require.NoError(t, os.RemoveAll(dir))
	}
	write(t, config(t, dir), crashGroups()...)
	require.Equal(t, shardFiles(t, goldenDir), shardFiles(t, dir))
	want, err := os.ReadFile(filepath.Join(goldenDir, ManifestName))
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(dir, ManifestName))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))

	r := proved(t, goldenDir)
	require.Equal(t, "cb82a59d13041247a557bc9cd06c6f99698f7e10cb0653874847609fc59c7afa", r.IDsSHA256)
	require.Equal(t, "4ca4f0f43a3f905f39e93b3aac695357d87d2dffbcdfbd05071d077e9722fd89", r.Digest)
}
